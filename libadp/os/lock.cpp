// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "lock.h"

#include "file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>

namespace adp::os {

namespace {

// The folder is root's (or the user's own), so nobody else can plant or hold a file there.
unique_fd open_lock_file(const std::string &path)
{
    unique_fd fd{
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
    struct stat st {};
    if (fd && (::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode))) {
        fd.reset();
        errno = EINVAL;
    }
    return fd;
}

// The process that holds a flock on this file, from /proc/locks; empty when it cannot be seen.
std::string holder(int fd)
{
    struct stat st {};
    if (::fstat(fd, &st) != 0)
        return {};
    const auto text = read_file("/proc/locks", 4U << 20);
    if (!text)
        return {};
    std::istringstream lines{*text};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words{line};
        std::string number, kind, mode, access, pid, where;
        words >> number >> kind >> mode >> access >> pid >> where;
        unsigned major = 0, minor = 0;
        unsigned long inode = 0;
        if (kind != "FLOCK" || std::sscanf(where.c_str(), "%x:%x:%lu", &major, &minor, &inode) != 3)
            continue;
        if (inode == st.st_ino && makedev(major, minor) == st.st_dev)
            return pid + " (" + read_line("/proc/" + pid + "/comm") + ")";
    }
    return {};
}

using clock = std::chrono::steady_clock;

// Polls, since nothing that waits in the kernel can be given a time without signals or threads.
result<void> poll(const unique_fd &fd, const std::string &path, clock::time_point deadline,
                  const std::function<bool()> &cancelled)
{
    std::chrono::microseconds pause{200};
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return failure(errno, path);
        if (cancelled && cancelled())
            return error{EINTR, "interrupted while waiting for " + path, "", {}};
        if (clock::now() >= deadline) {
            const std::string who = holder(fd.get());
            return error{ETIMEDOUT,
                         path + ": held by " + (who.empty() ? "another process" : "process " + who),
                         "wait for it to finish, or end it",
                         {}};
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds{5000});
    }
    return {};
}

// Closing alone leaves the lock with a child that was forked meanwhile.
void unlock(const unique_fd &fd)
{
    if (fd)
        ::flock(fd.get(), LOCK_UN);
}

// The queue's own lock, for as long as one waits.
class queue_place {
  public:
    explicit queue_place(const unique_fd &fd) : fd_(fd) {}
    ~queue_place() { unlock(fd_); }
    queue_place(const queue_place &) = delete;
    queue_place &operator=(const queue_place &) = delete;

  private:
    const unique_fd &fd_;
};

} // namespace

file_lock::~file_lock()
{
    unlock(fd_);
}

file_lock &file_lock::operator=(file_lock &&other) noexcept
{
    if (this != &other) {
        unlock(fd_);
        fd_ = std::move(other.fd_);
    }
    return *this;
}

// Who waits holds the queue, so that a process that locks again and again cannot overtake it.
result<file_lock> file_lock::take(const std::string &path, std::chrono::milliseconds timeout,
                                  const std::function<bool()> &cancelled)
{
    const auto deadline = clock::now() + timeout;
    const unique_fd queue = open_lock_file(path + ".queue");
    if (!queue)
        return failure(errno, path + ".queue");
    unique_fd fd = open_lock_file(path);
    if (!fd)
        return failure(errno, path);
    if (auto waited = poll(queue, path, deadline, cancelled); !waited)
        return std::move(waited).err();
    const queue_place first{queue};
    if (auto waited = poll(fd, path, deadline, cancelled); !waited)
        return std::move(waited).err();
    return file_lock{std::move(fd)};
}

} // namespace adp::os
