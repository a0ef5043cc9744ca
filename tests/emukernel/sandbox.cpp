// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sandbox.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace adp::emukernel {

namespace fs = std::filesystem;

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t this_arch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_arch = AUDIT_ARCH_AARCH64;
#elif defined(__riscv)
constexpr std::uint32_t this_arch = AUDIT_ARCH_RISCV64;
#else
constexpr std::uint32_t this_arch = 0; // no call matches: the program sees EPERM
#endif

[[noreturn]] void fail(const char *what)
{
    std::perror(what);
    ::_exit(126);
}

void write_text(const char *path, const std::string &text)
{
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ::write(fd, text.data(), text.size()) < 0)
        fail(path);
    ::close(fd);
}

// An ordinary user needs a user namespace to mount anything.
void new_mount_namespace()
{
    const ::uid_t user = ::getuid();
    const ::gid_t group = ::getgid();
    if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0)
        fail("emukernel-run: unshare");
    if (user != 0) {
        const auto same = [](auto id) {
            return std::to_string(id) + ' ' + std::to_string(id) + " 1";
        };
        write_text("/proc/self/setgroups", "deny");
        write_text("/proc/self/uid_map", same(user));
        write_text("/proc/self/gid_map", same(group));
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        fail("emukernel-run: mount");
}

void bind_mount(const std::string &from, const std::string &to)
{
    if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
        fail(to.c_str());
}

// Nodes become /dev/zero: a character device that can be mapped at any offset. sysfs says 1:5.
void mount_tree(const config &settings)
{
    const std::string dev = settings.root + "/dev";
    std::error_code ignored;
    for (const char *kind : {"/infiniband", "/fwctl"})
        for (const auto &node : fs::directory_iterator{dev + kind, ignored})
            bind_mount("/dev/zero", node.path().string());
    for (const char *name :
         {"null", "zero", "full", "random", "urandom", "tty", "pts", "shm", "ptmx"}) {
        const fs::path from = fs::path{"/dev"} / name, to = fs::path{dev} / name;
        if (!fs::exists(from, ignored))
            continue;
        if (fs::is_directory(from, ignored))
            fs::create_directory(to, ignored);
        else
            ::close(::open(to.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        bind_mount(from.string(), to.string());
    }
    for (const char *own : {"/run/adp", "/var/lib/adp"})
        if (fs::exists(own, ignored))
            bind_mount(settings.root + own, own);
    bind_mount(dev, "/dev");
    bind_mount(settings.root + "/sys", "/sys");
}

sock_filter load(std::size_t offset)
{
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

sock_filter unless(std::uint32_t value, std::uint8_t skip)
{
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
}

sock_filter answer(std::uint32_t what)
{
    return BPF_STMT(BPF_RET | BPF_K, what);
}

// Three ioctls go to the supervisor. NETLINK_RDMA sockets are refused, so that the libraries read
// sysfs, also on a machine with RDMA. Everything else is as ever.
int install_filter()
{
    constexpr std::size_t args = offsetof(seccomp_data, args);
    constexpr std::size_t number = offsetof(seccomp_data, nr);
    const sock_filter filter[] = {
        load(offsetof(seccomp_data, arch)),
        unless(this_arch, 1),
        BPF_STMT(BPF_JMP | BPF_JA, 1),
        answer(SECCOMP_RET_ERRNO | EPERM), // another architecture's calls would slip through
        load(number),
        unless(SYS_socket, 5),
        load(args),
        unless(AF_NETLINK, 10),
        load(args + 2 * sizeof(std::uint64_t)),
        unless(20, 8),
        answer(SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
        unless(SYS_ioctl, 6),
        load(args + sizeof(std::uint64_t)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc0181b01, 3, 0), // RDMA_VERBS_IOCTL
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x9a00, 2, 0),     // FWCTL_INFO
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x9a01, 1, 0),     // FWCTL_RPC
        answer(SECCOMP_RET_ALLOW),
        answer(SECCOMP_RET_USER_NOTIF),
        answer(SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(filter), const_cast<sock_filter *>(filter)};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                      SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// A message of one byte that a descriptor may travel with.
struct descriptor_message {
    char byte = 0;
    ::iovec part{&byte, 1};
    alignas(::cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    ::msghdr header{};

    descriptor_message()
    {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof control;
    }
};

bool send_listener(int socket, int listener)
{
    descriptor_message m;
    ::cmsghdr *c = CMSG_FIRSTHDR(&m.header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof listener);
    std::memcpy(CMSG_DATA(c), &listener, sizeof listener);
    return ::sendmsg(socket, &m.header, 0) == 1;
}

} // namespace

int receive_listener(int socket)
{
    descriptor_message m;
    if (::recvmsg(socket, &m.header, MSG_CMSG_CLOEXEC) <= 0 || CMSG_FIRSTHDR(&m.header) == nullptr)
        return -1;
    int listener = -1;
    std::memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&m.header)), sizeof listener);
    return listener;
}

void enter_and_run(const kernel &machine, int socket, char **arguments)
{
    new_mount_namespace();
    mount_tree(machine.settings());
    const int listener = install_filter();
    if (listener < 0)
        fail("emukernel-run: seccomp");
    if (!send_listener(socket, listener))
        fail("emukernel-run: sendmsg");
    ::close(listener);
    ::close(socket);
    ::execvp(arguments[0], arguments);
    std::perror(arguments[0]);
    ::_exit(127);
}

} // namespace adp::emukernel
