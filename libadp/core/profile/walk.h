// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The timeouts that a queue pair without any progress goes through under a profile.
//
// As read from the vendor's text; where it leaves a choice, the reading is: the initial timeout is
// an exponent drawn from low .. low + size - 1 and used once; both bounds of a range belong to it;
// the next range is entered at its low bound, but never below the current timeout; the top of the
// last range is held; a retry number of 0 counts as 1. Not verified on hardware.
#pragma once

#include "profile/time.h"

#include <optional>
#include <vector>

namespace adp::profile {

struct step {
    std::uint32_t exponent = 0;
    std::uint32_t uses = 0; // 0: until the queue pair fails
};

// Ranges that count: range_num, at most what the register can hold.
std::uint32_t range_count(const adp_profile &p);

// Exponents from one to another, both included.
struct exponents {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};
exponents range_exponents(const adp_profile &p, std::uint32_t range);

// The first range that holds the exponent.
std::optional<std::uint32_t> range_of(const adp_profile &p, std::uint32_t exponent);

// What the initial timeout is drawn from.
exponents initial_exponents(const adp_profile &p);

// From an initial exponent on. Ends with a step of 0 uses.
std::vector<step> escalation(const adp_profile &p, std::uint32_t initial);

// How many timers expire before total_ns have passed; no timeout is longer than cap_ns.
std::uint64_t timer_events(const adp_profile &p, std::uint32_t initial, std::uint64_t total_ns,
                           std::uint64_t cap_ns);

} // namespace adp::profile
