// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What to expect of flows that fall on paths at random: the measure for unplanned traffic.
#pragma once

#include <cstdint>

namespace adp::flow {

struct random_placement {
    double max_load = 0;     // mean over all outcomes of the fullest path's flows
    double idle_share = 0;   // mean share of paths without a flow
    double no_collision = 0; // probability that no two flows share a path
};

// Exact up to 256 flows, beyond that with loads taken as independent. 0 paths: all zero.
random_placement expect_random(std::uint64_t flows, std::uint64_t paths);

} // namespace adp::flow
