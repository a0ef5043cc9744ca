// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One timer for each of any number of owners.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace adp::hca {

class timers {
  public:
    using owner = std::uint64_t;
    struct deadline {
        std::uint64_t at_ns;
        owner whose;
        friend auto operator<=>(const deadline &, const deadline &) = default;
    };

    // Takes the place of the owner's earlier one.
    void arm(owner whose, std::uint64_t at_ns)
    {
        disarm(whose);
        at_[whose] = at_ns;
        order_.insert({at_ns, whose});
    }
    void disarm(owner whose)
    {
        const auto found = at_.find(whose);
        if (found == at_.end())
            return;
        order_.erase({found->second, whose});
        at_.erase(found);
    }
    std::optional<deadline> next() const
    {
        return order_.empty() ? std::nullopt : std::optional{*order_.begin()};
    }
    void clear()
    {
        at_.clear();
        order_.clear();
    }

  private:
    std::map<owner, std::uint64_t> at_;
    std::set<deadline> order_;
};

} // namespace adp::hca
