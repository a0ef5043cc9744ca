// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The interrupt vectors of one function: event files that the client has given.
#pragma once

#include "unique_fd.h"

#include <cstdint>
#include <map>
#include <unistd.h>

namespace adp::hca {

class interrupts {
  public:
    // Without a file: the vector goes nowhere.
    void assign(unsigned vector, unique_fd event)
    {
        if (event)
            events_[vector] = std::move(event);
        else
            events_.erase(vector);
    }
    void clear() { events_.clear(); }
    std::size_t assigned() const { return events_.size(); }

    void raise(unsigned vector) const
    {
        const auto found = events_.find(vector);
        if (found == events_.end())
            return;
        const std::uint64_t one = 1;
        // Fails only when nobody has read 2^64 interrupts, or on a file that is no event file: the
        // client's loss.
        [[maybe_unused]] const ssize_t written = ::write(found->second.get(), &one, sizeof one);
    }

  private:
    std::map<unsigned, unique_fd> events_;
};

} // namespace adp::hca
