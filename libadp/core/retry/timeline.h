// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which of some windows of time holds a moment; private to the simulator.
#pragma once

#include "retry/simulate.h"

#include <cstdint>
#include <vector>

namespace adp::retry {

// Windows that do not overlap, in order. A queue pair's questions come in the order of time, so the
// answer is found from where the last one was.
class timeline {
  public:
    explicit timeline(const std::vector<window> &w) : windows_(w) {}

    // The window that holds t, or nullptr.
    const window *at(std::uint64_t t)
    {
        seek(t);
        return next_ == windows_.size() || windows_[next_].start_ns > t ? nullptr
                                                                        : &windows_[next_];
    }

    // The start of the first window after t; never when there is none.
    std::uint64_t next_start(std::uint64_t t)
    {
        seek(t);
        for (std::size_t i = next_; i < windows_.size(); i++)
            if (windows_[i].start_ns > t)
                return windows_[i].start_ns;
        return never;
    }

    static std::uint64_t end(const window &w) { return add_time(w.start_ns, w.length_ns); }

  private:
    // next_: the first window that ends after t.
    void seek(std::uint64_t t)
    {
        while (next_ < windows_.size() && end(windows_[next_]) <= t)
            next_++;
        while (next_ > 0 && end(windows_[next_ - 1]) > t)
            next_--;
    }

    const std::vector<window> &windows_;
    std::size_t next_ = 0;
};

} // namespace adp::retry
