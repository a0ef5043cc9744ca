// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "interposer.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace adp::emukernel {

namespace {

thread_local bool inside = false;

// Lives until the process ends: hooks may run until then.
struct process_state {
    std::mutex busy;
    std::map<int, descriptor> descriptors;
    std::unique_ptr<kernel> machine;
    std::string root;
};
process_state &process()
{
    static auto *state = new process_state;
    return *state;
}

constexpr int most_descriptors = 65536;
std::atomic<bool> ours[most_descriptors];

// A root of our own, removed at exit by the process that made it; children inherit it.
std::string private_root()
{
    static ::pid_t owner = 0;
    static std::string made;
    char name[] = "/tmp/emukernel-XXXXXX";
    if (::mkdtemp(name) == nullptr)
        return {};
    made = name;
    owner = ::getpid();
    ::setenv("EMUKERNEL_ROOT", name, 1);
    std::atexit([] {
        std::error_code ignored;
        const own_code here;
        if (::getpid() == owner)
            std::filesystem::remove_all(made, ignored);
    });
    return made;
}

void make_kernel()
{
    const own_code here;
    process_state &p = process();
    config settings = config_from_environment();
    if (settings.root.empty())
        settings.root = private_root();
    std::error_code failed;
    std::filesystem::create_directories(settings.root, failed);
    settings.root = std::filesystem::canonical(settings.root, failed).string();
    p.root = settings.root;
    p.machine = std::make_unique<kernel>(settings);
    if (!p.machine->tree_made()) {
        static constexpr char text[] = "emukernel: EMUKERNEL_ROOT cannot be written\n";
        if (::write(2, text, sizeof text - 1) < 0)
            ::_exit(126);
        ::_exit(125);
    }
    // A fork in one thread must not find the table locked by another.
    ::pthread_atfork([] { process().busy.lock(); }, [] { process().busy.unlock(); },
                     [] { process().busy.unlock(); });
}

} // namespace

own_code::own_code() : before_{std::exchange(inside, true)} {}

own_code::~own_code()
{
    inside = before_;
}

kernel *this_kernel()
{
    if (inside)
        return nullptr;
    static std::once_flag once;
    std::call_once(once, make_kernel);
    return process().machine.get();
}

const std::string &emulated_root()
{
    return process().root;
}

bool is_ours(int fd)
{
    return fd >= 0 && fd < most_descriptors && ours[fd].load(std::memory_order_relaxed);
}

descriptor find_descriptor(int fd)
{
    if (inside || !is_ours(fd))
        return {};
    process_state &p = process();
    const std::lock_guard lock{p.busy};
    const auto found = p.descriptors.find(fd);
    return found == p.descriptors.end() ? descriptor{} : found->second;
}

int keep_descriptor(int fd, descriptor d)
{
    if (fd < 0)
        return fd;
    if (fd >= most_descriptors) {
        ::syscall(SYS_close, fd);
        errno = EMFILE;
        return -1;
    }
    process_state &p = process();
    const std::lock_guard lock{p.busy};
    p.descriptors[fd] = std::move(d);
    ours[fd] = true;
    return fd;
}

void forget_descriptor(int fd)
{
    if (!is_ours(fd))
        return;
    process_state &p = process();
    descriptor gone;
    {
        const std::lock_guard lock{p.busy};
        ours[fd] = false;
        if (auto node = p.descriptors.extract(fd))
            gone = std::move(node.mapped());
    }
    // The kernel's end of a netlink socket goes with the program's last one.
    if (gone.netlink_peer < 0)
        return;
    const std::lock_guard lock{p.busy};
    for (const auto &[other, d] : p.descriptors)
        if (d.netlink_peer == gone.netlink_peer)
            return;
    ::syscall(SYS_close, gone.netlink_peer);
}

int open_emulated(const emulated_path &path, int flags)
{
    kernel *k = this_kernel();
    const own_code here;
    if (const int failed = k->open_error(path.kind())) {
        errno = failed;
        return -1;
    }
    const int wanted = flags & O_ACCMODE;
    const int mode = wanted == O_RDONLY ? R_OK : wanted == O_WRONLY ? W_OK : R_OK | W_OK;
    if (::faccessat(AT_FDCWD, path.real(), mode, AT_EACCESS) != 0)
        return -1; // ENOENT, EACCES: what the file in the root says
    descriptor d;
    d.kind = path.kind();
    d.name = path.name();
    d.node = k->open(path.name());
    if (d.node == nullptr) {
        errno = ENXIO;
        return -1;
    }
    // A tool locks configuration space by its descriptor: that is one of the file in the root.
    const char *node = d.kind == node_kind::config_space ? path.real() : "/dev/zero";
    const int fd = ::open(node, wanted | (flags & O_CLOEXEC));
    return keep_descriptor(fd, std::move(d));
}

long system_call_result(long answer)
{
    if (answer >= 0)
        return answer;
    errno = static_cast<int>(-answer);
    return -1;
}

} // namespace adp::emukernel
