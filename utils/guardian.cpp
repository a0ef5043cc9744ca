// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "guardian.h"

#include "temporary.h"

#include "text/format.h"
#include "unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adp::cli {

namespace {

constexpr std::int64_t look_ms = 20000;      // how long it may outlive an entry that is gone
constexpr std::int64_t patience_ms = 600000; // with a device that is busy, resetting or silent
constexpr unsigned longest_pause = 30;       // seconds

bool still_there(const pending_entry &entry)
{
    try {
        return read_again(entry).has_value();
    } catch (const failure &) { // not to be read now, perhaps later
        return true;
    }
}

[[noreturn]] void guard_until_due(const options &opt, const pending_entry &entry)
{
    for (;;) {
        if (!still_there(entry))
            ::_exit(0); // somebody has restored it
        const std::int64_t now = now_ms(CLOCK_BOOTTIME);
        if (now >= entry.due_boot_ms)
            break;
        const std::int64_t wake = std::min(entry.due_boot_ms, now + look_ms);
        const timespec due{static_cast<time_t>(wake / 1000),
                           static_cast<long>(wake % 1000) * 1000000};
        while (::clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &due, nullptr) == EINTR) {
        }
    }
    for (unsigned pause = 1; still_there(entry); pause = std::min(2 * pause, longest_pause)) {
        try {
            run r{opt, {}};
            record unseen;
            if (restore_pending(r, entry, unseen) == 0)
                break;
        } catch (...) { // a lock that was not to be had, say: the next time
        }
        if (now_ms(CLOCK_BOOTTIME) >= entry.due_boot_ms + patience_ms)
            ::_exit(1); // the entry stays, and is shown as overdue
        ::sleep(pause);
    }
    ::_exit(0);
}

// Away from the terminal and its signals, and from what came to the one that made it, but for one
// descriptor.
void detach(int kept)
{
    ::prctl(PR_SET_NAME, "adp-restore");
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        ::dup2(null, fd);
    // The caller's descriptors are not ours to keep open: its locks, its pipes, the device.
    const auto keep = static_cast<unsigned>(kept);
    if (keep > 3)
        ::close_range(3, keep - 1, 0);
    ::close_range(std::max(keep + 1, 3U), ~0U, 0);
    if (::chdir("/") != 0)
        ::_exit(1);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_DFL);
    signal_guard::forget();
}

} // namespace

guardian::guardian(const run &r, const pending_entry &entry)
{
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) == 0) {
        const unique_fd from{ends[0]};
        unique_fd to{ends[1]};
        // Twice, so that init inherits it.
        const pid_t child = ::fork();
        if (child == 0) {
            ::setsid();
            const pid_t heir = ::fork();
            if (heir == 0) {
                // Told when nothing of the caller's is held any more; above the three that detach() fills.
                const int kept = ::fcntl(to.get(), F_DUPFD_CLOEXEC, 3);
                detach(kept);
                const pid_t own = ::getpid();
                if (::write(kept, &own, sizeof own) != sizeof own)
                    ::_exit(1);
                ::close(kept);
                guard_until_due(r.opt, entry);
            }
            ::_exit(heir > 0 ? 0 : 1);
        }
        to = {};
        pid_t heir = 0;
        if (child > 0 && ::read(from.get(), &heir, sizeof heir) == sizeof heir)
            process_ = heir;
        if (child > 0)
            ::waitpid(child, nullptr, 0);
    }
    if (process_ == 0)
        r.complain(
            adp::format("{}: warning: no process for the restore; adp accl restore {} does it",
                        entry.dev, entry.dev));
}

void guardian::dismiss() const
{
    if (process_ > 0)
        ::kill(process_, SIGTERM);
}

} // namespace adp::cli
