// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The time of the model: ns since the start, running so many times faster than the machine's.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

namespace adp::hca {

class model_clock {
  public:
    using source = std::function<std::uint64_t()>; // ns that do not go back

    explicit model_clock(source ns) : source_(std::move(ns)), began_(source_()) {}

    std::uint64_t now() const { return passed_ + (source_() - began_) * speed_; }
    // It goes on from where it is.
    void set_speed(std::uint64_t speed)
    {
        passed_ = now();
        began_ = source_();
        speed_ = std::max<std::uint64_t>(1, speed);
    }
    std::uint64_t speed() const { return speed_; }
    // It stood still for so much of the machine's time: as if that had not been.
    void leave_out(std::uint64_t machine_ns) { began_ += std::min(machine_ns, source_() - began_); }
    // What the machine's clock does until then.
    std::chrono::nanoseconds until(std::uint64_t at_ns) const
    {
        const std::uint64_t present = now();
        const std::uint64_t left = at_ns <= present ? 0 : (at_ns - present) / speed_ + 1;
        return std::chrono::nanoseconds{static_cast<std::int64_t>(std::min(left, longest))};
    }

    static std::uint64_t machine()
    {
        return static_cast<std::uint64_t>(
            std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count());
    }

  private:
    static constexpr std::uint64_t longest = 60ULL * 1000000000ULL;

    source source_;
    std::uint64_t began_;
    std::uint64_t passed_ = 0;
    std::uint64_t speed_ = 1;
};

} // namespace adp::hca
