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

// In a sticky world-writable directory the kernel may refuse O_CREAT on another user's file
// (fs.protected_regular), so an existing file is opened without it.
unique_fd open_lock_file(const std::string &path)
{
    for (int attempt = 0; attempt < 3; attempt++) {
        unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
        if (fd || errno != ENOENT)
            return fd;
        fd = unique_fd{
            ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644)};
        if (fd || errno != EEXIST)
            return fd;
    }
    return {};
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
result<void> poll(const unique_fd &fd, const std::string &path, clock::time_point deadline)
{
    std::chrono::microseconds pause{200};
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return failure(errno, path);
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

} // namespace

// Who waits holds the queue, so that a process that locks again and again cannot overtake it.
result<file_lock> file_lock::take(const std::string &path, std::chrono::milliseconds timeout)
{
    const auto deadline = clock::now() + timeout;
    const unique_fd queue = open_lock_file(path + ".queue");
    if (!queue)
        return failure(errno, path + ".queue");
    unique_fd fd = open_lock_file(path);
    if (!fd)
        return failure(errno, path);
    if (auto waited = poll(queue, path, deadline); !waited)
        return std::move(waited).err();
    if (auto waited = poll(fd, path, deadline); !waited)
        return std::move(waited).err();
    return file_lock{std::move(fd)};
}

} // namespace adp::os
