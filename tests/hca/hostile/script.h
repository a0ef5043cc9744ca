// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Bytes that say what somebody hostile does.
#pragma once

#include "bytes.h"

#include <algorithm>

namespace adp::hca {

// Takes numbers off the bytes; zeros when they are over.
class script {
  public:
    explicit script(view text) : rest_(text) {}

    bool over() const { return rest_.empty(); }
    std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
    std::uint64_t number(std::size_t length)
    {
        const std::size_t n = std::min(length, rest_.size());
        const std::uint64_t value = get_number(rest_, 0, n);
        rest_ = rest_.subspan(n);
        return value;
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(number(2)) % n; }
    view take(std::size_t most)
    {
        const view part = rest_.first(std::min(most, rest_.size()));
        rest_ = rest_.subspan(part.size());
        return part;
    }

  private:
    view rest_;
};

} // namespace adp::hca
