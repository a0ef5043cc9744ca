// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A lock between processes, by a file: flock(2), so the kernel frees it when its holder dies.
#pragma once

#include "result.h"
#include "unique_fd.h"

#include <chrono>
#include <functional>
#include <string>

namespace adp::os {

class file_lock {
  public:
    // Waits at most the given time. ETIMEDOUT: somebody holds it, the reason names the process
    // where it can be seen. Any other error: the file cannot be used for locking at all.
    // EINTR: cancelled() said so.
    static result<file_lock> take(const std::string &path, std::chrono::milliseconds timeout,
                                  const std::function<bool()> &cancelled = {});

    file_lock(file_lock &&) noexcept = default;
    file_lock &operator=(file_lock &&other) noexcept;
    ~file_lock();

  private:
    explicit file_lock(unique_fd fd) : fd_(std::move(fd)) {}
    unique_fd fd_;
};

} // namespace adp::os
