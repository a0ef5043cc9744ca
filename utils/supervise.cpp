// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "supervise.h"

#include "signals.h"

#include "file.h"
#include "text/format.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adp::cli {

namespace {

constexpr double patience = 3;       // seconds before it is said
constexpr double after_a_signal = 1; // ... before the one in the kernel is left alone

// Shared by both processes: half a new text is the worst that can be read.
struct shared_note {
    char what[160];
};
shared_note *note = nullptr;

double seconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// State D of proc(5): in the kernel, and no signal reaches it.
bool in_the_kernel(pid_t process)
{
    const auto stat = os::read_file(adp::format("/proc/{}/stat", process), 4096);
    if (!stat)
        return false;
    const std::size_t name = stat->rfind(") ");
    return name != std::string::npos && stat->compare(name + 2, 1, "D") == 0;
}

void say(std::string_view text)
{
    std::fprintf(stderr, "adp: %.*s\n", static_cast<int>(text.size()), text.data());
}

// What the process in the kernel waits for and what that means; that it is firmware is known only of
// what asking() was told.
void say_of_wait(std::string_view anything, std::string_view of_firmware)
{
    const std::string what{note->what, ::strnlen(note->what, sizeof note->what)};
    if (what.empty())
        say(anything);
    else
        say(adp::format("{}: {}", what, of_firmware));
}

[[noreturn]] void end_by(int number)
{
    const rlimit no_core{0, 0}; // the other one has left it
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    std::raise(number);
    ::_exit(128 + number);
}

[[noreturn]] void end_as(int status)
{
    if (WIFSIGNALED(status))
        end_by(WTERMSIG(status));
    ::_exit(WEXITSTATUS(status));
}

[[noreturn]] void supervise(pid_t child, const sigset_t &signals)
{
    int came = 0; // a signal
    double since = 0;
    double came_at = 0;
    bool said = false;
    for (;;) {
        const timespec look_again{0, 500'000'000};
        siginfo_t info{};
        const int number = ::sigtimedwait(&signals, &info, &look_again);
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) == child)
            end_as(status);
        const double now = seconds();
        if (number > 0 && number != SIGCHLD) {
            if (info.si_code <= 0) // a terminal's own goes to both
                ::kill(child, number);
            came = number;
            came_at = now;
        }
        if (!in_the_kernel(child)) {
            since = 0;
            said = false;
            continue;
        }
        if (since == 0)
            since = now;
        if (came != 0 && now - came_at >= after_a_signal && now - since >= after_a_signal) {
            say_of_wait("interrupted in the kernel; what was asked may still be done",
                        "interrupted without an answer; the kernel waits on, up to 65 s, and what "
                        "was asked may still be done");
            end_by(came);
        }
        if (!said && now - since >= patience) {
            say_of_wait("no answer from the kernel yet",
                        "no answer yet; the kernel gives up when the firmware has not answered for "
                        "65 s");
            said = true;
        }
    }
}

} // namespace

void begin_supervision()
{
    static bool begun = false;
    if (begun)
        return;
    begun = true;
    void *page =
        ::mmap(nullptr, sizeof *note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    sigset_t signals = ending_signal_set();
    sigset_t before;
    sigaddset(&signals, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    std::signal(SIGCHLD, SIG_DFL); // may have been ignored: then there is no status to wait for
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child > 0) {
        note = static_cast<shared_note *>(page);
        supervise(child, signals);
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (child < 0)
        return;
    note = static_cast<shared_note *>(page);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent)
        std::raise(SIGTERM);
}

void asking(std::string_view what)
{
    if (note == nullptr)
        return;
    const std::size_t size = std::min(what.size(), sizeof note->what - 1);
    what.copy(note->what, size);
    note->what[size] = '\0';
}

} // namespace adp::cli
