// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// emukernel-run PROGRAM [ARGUMENT]...
// Runs an unmodified program, also a statically linked one, on the emulated kernel without touching
// it: its view of /sys and /dev is replaced, its device ioctls are answered from outside. Neither
// netlink, nor the write() ABI, nor configuration space. Exit status: the program's, 128 + signal.
#include "kernel.h"
#include "remote_caller.h"
#include "sandbox.h"
#include "unique_fd.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <map>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <utility>

using namespace adp::emukernel;

namespace {

class supervisor {
  public:
    supervisor(kernel &machine, int listener) : machine_{&machine}, listener_{listener} {}

    // Answers calls until the program has ended.
    void serve(::pid_t program)
    {
        for (;;) {
            ::pollfd waiting{listener_, POLLIN, 0};
            if (::poll(&waiting, 1, 200) < 0 && errno != EINTR)
                return;
            if ((waiting.revents & POLLIN) != 0)
                answer_one();
            else if ((waiting.revents & (POLLHUP | POLLERR)) != 0 || has_ended(program))
                return;
        }
    }

  private:
    static bool has_ended(::pid_t program)
    {
        ::siginfo_t info{};
        return ::waitid(P_PID, static_cast<::id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) ==
                   0 &&
               info.si_pid == program;
    }

    void answer_one()
    {
        seccomp_notif call{};
        if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
            return;
        seccomp_notif_resp response{};
        response.id = call.id;
        if (open_node *node = find(call)) {
            remote_caller process{listener_, call};
            const long answer =
                machine_->ioctl(*node, process, call.data.args[1], call.data.args[2]);
            response.error = answer < 0 ? static_cast<int>(answer) : 0;
            response.val = answer < 0 ? 0 : answer;
        } else {
            response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        }
        ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }

    // The node behind the descriptor of the call, by the name it was opened with.
    open_node *find(const seccomp_notif &call)
    {
        const auto thread = static_cast<::pid_t>(call.pid);
        const auto fd = static_cast<int>(call.data.args[0]);
        char path[PATH_MAX];
        const std::string link = "/proc/" + std::to_string(thread) + "/fd/" + std::to_string(fd);
        const ::ssize_t n = ::readlink(link.c_str(), path, sizeof path);
        std::string name(path, static_cast<std::size_t>(std::max<::ssize_t>(0, n)));
        // A node that was removed from the tree while it was open.
        if (const std::size_t at = name.find(" (deleted)"); at != std::string::npos)
            name.erase(at);
        // Seen from here it may be named by its place in the root.
        if (const std::size_t at = name.rfind("/dev/"); at != std::string::npos)
            name.erase(0, at);
        if (machine_->kind_of(name) == node_kind::none)
            return nullptr;
        // The call names a thread; descriptors belong to the process, and a child has its parent's.
        const ::pid_t process = std::atoi(process_status(thread, "Tgid:").c_str());
        std::shared_ptr<open_node> &node = open_[{process, fd}];
        if (node == nullptr) {
            const ::pid_t parent = std::atoi(process_status(process, "PPid:").c_str());
            const auto inherited = open_.find({parent, fd});
            if (inherited != open_.end())
                node = inherited->second;
        }
        // No close is seen: a new context on the same number means that it was opened anew.
        if (node == nullptr || node_name_[node.get()] != name || starts_context(call))
            node = machine_->open(name);
        node_name_[node.get()] = name;
        return node.get();
    }

    bool starts_context(const seccomp_notif &call)
    {
        remote_caller process{listener_, call};
        std::uint16_t header[4] = {}; // length, object, method, attributes
        return call.data.args[1] == 0xc0181b01 &&
               process.read(call.data.args[2], header, sizeof header) && header[1] == 0 &&
               header[2] == 3;
    }

    kernel *machine_;
    int listener_;
    std::map<std::pair<::pid_t, int>, std::shared_ptr<open_node>> open_;
    std::map<open_node *, std::string> node_name_;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: emukernel-run PROGRAM [ARGUMENT]...\n");
        return 1;
    }
    config settings = config_from_environment();
    settings.bind_mounts = true;
    settings.netlink = false;
    char name[] = "/tmp/emukernel-XXXXXX";
    const bool own_root = settings.root.empty();
    if (own_root && ::mkdtemp(name) != nullptr)
        settings.root = name;
    std::error_code ignored;
    std::filesystem::create_directories(settings.root, ignored);
    int status = 125 << 8;
    {
        kernel machine{settings};
        int ends[2];
        if (!machine.tree_made() ||
            ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
            std::perror("emukernel-run");
            return 125;
        }
        const ::pid_t program = ::fork();
        if (program == 0) {
            ::close(ends[0]);
            enter_and_run(machine, ends[1], argv + 1);
        }
        ::close(ends[1]);
        const adp::unique_fd socket{ends[0]};
        const adp::unique_fd listener{receive_listener(ends[0])};
        if (listener)
            supervisor{machine, listener.get()}.serve(program);
        ::waitpid(program, &status, 0);
    }
    if (own_root)
        std::filesystem::remove_all(settings.root, ignored);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
