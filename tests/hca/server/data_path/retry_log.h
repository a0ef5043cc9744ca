// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the requesters of a device did lately, by the model's own times.
#pragma once

#include "data_path/pair_host.h"

#include <deque>
#include <string>

namespace adp::hca {

class retry_log {
  public:
    void add(unsigned function, const retry_event &event);
    void clear() { events_.clear(); }

    // A line for each event of the queue pair (0: of all) of a function.
    std::string describe(unsigned function, std::uint32_t queue_pair) const;
    // A line for each queue pair that failed, the oldest first.
    std::string failures(unsigned function) const;

  private:
    struct entry {
        unsigned function;
        retry_event event;
    };
    static constexpr std::size_t most = 65536;
    std::deque<entry> events_;
};

} // namespace adp::hca
