// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "child_process.h"

#include "file.h"
#include "unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

namespace adp::os {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view safe_path{"/usr/sbin:/usr/bin:/sbin:/bin"};

// How long we sleep between two looks at a child: while its pipe is open, which wakes us too, and
// once it is closed and the end should be near.
constexpr milliseconds glance{20};
constexpr milliseconds short_glance{5};

bool elevated()
{
    return ::getauxval(AT_SECURE) != 0;
}

// Moves a descriptor out of the way of 0, 1 and 2, which an application may have closed.
unique_fd above_stdio(unique_fd fd)
{
    if (fd.get() > STDERR_FILENO)
        return fd;
    return unique_fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
}

class file_actions {
  public:
    file_actions() { code_ = ::posix_spawn_file_actions_init(&actions_); }
    file_actions(const file_actions &) = delete;
    file_actions &operator=(const file_actions &) = delete;
    ~file_actions() { ::posix_spawn_file_actions_destroy(&actions_); }

    void redirect(int output)
    {
        add(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
        add(::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO));
        add(::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO));
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
        // Ours are closed on exec anyway; the application's need not be.
        add(::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
#endif
#endif
    }
    int code() const
    {
        return code_;
    }
    const posix_spawn_file_actions_t *get() const
    {
        return &actions_;
    }

  private:
    void add(int code)
    {
        code_ = code_ != 0 ? code_ : code;
    }

    posix_spawn_file_actions_t actions_;
    int code_ = 0;
};

class spawn_attributes {
  public:
    spawn_attributes()
    {
        code_ = ::posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        // The application's blocked and ignored signals (SIGPIPE often is) are not the program's.
        add(::posix_spawnattr_setsigmask(&attributes_, &none));
        add(::posix_spawnattr_setsigdefault(&attributes_, &all));
        add(::posix_spawnattr_setpgroup(&attributes_, 0));
        add(::posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    }
    spawn_attributes(const spawn_attributes &) = delete;
    spawn_attributes &operator=(const spawn_attributes &) = delete;
    ~spawn_attributes() { ::posix_spawnattr_destroy(&attributes_); }

    int code() const { return code_; }
    const posix_spawnattr_t *get() const { return &attributes_; }

  private:
    void add(int code) { code_ = code_ != 0 ? code_ : code; }

    posix_spawnattr_t attributes_;
    int code_ = 0;
};

// The caller's environment with messages in plain English; next to nothing of it when the caller
// is not to be trusted.
std::vector<std::string> program_environment()
{
    if (elevated())
        return {"PATH=" + std::string{safe_path}, "LC_ALL=C"};
    std::vector<std::string> list;
    for (char **entry = environ; entry != nullptr && *entry != nullptr; entry++)
        if (std::strncmp(*entry, "LC_ALL=", 7) != 0)
            list.emplace_back(*entry);
    list.emplace_back("LC_ALL=C");
    return list;
}

std::vector<char *> pointers(std::vector<std::string> &list)
{
    std::vector<char *> out;
    for (std::string &text : list)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// What is in the pipe now, at most a full pipe's worth: the time must be looked at as well. False:
// nobody can write to it any more.
bool drain(int fd, std::size_t max, spawn_result &run)
{
    char buffer[16384];
    for (int rounds = 0; rounds < 64; rounds++) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        if (n == 0)
            return false;
        const auto got = static_cast<std::size_t>(n);
        const std::size_t room = max - std::min(max, run.output.size());
        run.output.append(buffer, std::min(got, room));
        run.truncated = run.truncated || got > room;
    }
    return true;
}

enum class child : std::uint8_t { running, ended, lost };

// An ended child's number stays reserved until reap(); a lost one was reaped by the application.
child look_at(pid_t pid)
{
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == EINTR ? child::running : child::lost;
    return info.si_pid == pid ? child::ended : child::running;
}

void reap(pid_t pid, spawn_result &run)
{
    int status = 0;
    pid_t done = 0;
    do
        done = ::waitpid(pid, &status, 0);
    while (done < 0 && errno == EINTR);
    if (done != pid || run.timed_out)
        return;
    if (WIFEXITED(status))
        run.exit_status = WEXITSTATUS(status);
    else if (WIFSIGNALED(status))
        run.signal = WTERMSIG(status);
}

child attend(pid_t pid, int output, const spawn_options &options, spawn_result &run)
{
    const auto deadline = steady_clock::now() + options.timeout;
    bool open = true;
    for (;;) {
        pollfd watch{open ? output : -1, POLLIN, 0};
        ::poll(&watch, 1, static_cast<int>((open ? glance : short_glance).count()));
        // The child's end is looked for before the pipe is emptied, so that nothing it wrote is lost.
        const child state = look_at(pid);
        if (open)
            open = drain(output, options.max_output, run);
        if (state != child::running)
            return state;
        if (steady_clock::now() >= deadline) {
            run.timed_out = true;
            return state;
        }
    }
}

} // namespace

result<spawn_result> run_program(const std::vector<std::string> &argv, const spawn_options &options)
{
    if (argv.empty() || argv.front().empty())
        return error{EINVAL, "no program to run", "", {}};

    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return failure(errno, argv.front());
    const unique_fd reader = above_stdio(unique_fd{ends[0]});
    unique_fd writer = above_stdio(unique_fd{ends[1]});
    if (!reader || !writer || ::fcntl(reader.get(), F_SETFL, O_NONBLOCK) != 0)
        return failure(errno, argv.front());

    file_actions actions;
    const spawn_attributes attributes;
    actions.redirect(writer.get());
    int code = actions.code() != 0 ? actions.code() : attributes.code();

    std::vector<std::string> arguments = argv;
    std::vector<std::string> environment_list = program_environment();
    pid_t pid = -1;
    if (code == 0)
        code = ::posix_spawn(&pid, argv.front().c_str(), actions.get(), attributes.get(),
                             pointers(arguments).data(), pointers(environment_list).data());
    if (code != 0)
        return failure(code, argv.front());
    writer.reset();

    spawn_result run;
    if (attend(pid, reader.get(), options, run) != child::lost) {
        // Before it is reaped the child holds its number, so the group can be no other.
        ::kill(-pid, SIGKILL);
        reap(pid, run);
    }
    return run;
}

std::string find_program(const std::string &name)
{
    if (name.empty() || name.find('/') != std::string::npos)
        return {};
    const std::string wanted = elevated() ? std::string{} : environment("PATH");
    const std::string path = wanted.empty() ? std::string{safe_path} : wanted;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string file = path.substr(at, end - at) + "/" + name;
        struct stat st {};
        if (path[at] == '/' && ::stat(file.c_str(), &st) == 0 && S_ISREG(st.st_mode) &&
            ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0)
            return file;
        at = end + 1;
    }
    return {};
}

} // namespace adp::os
