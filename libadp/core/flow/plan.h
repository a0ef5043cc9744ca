// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Source ports for N queue pairs so that they fall evenly on the paths of a network.
//
// A linear hash and a power of two of paths: ports fall into classes of equal size by linear algebra
// over GF(2), whatever the addresses and the switch's seed are. Weights and other numbers of paths:
// by trying the ports. An unknown hash: ports that are even under every hash modelled here.
// Both ends get the same port, so that both directions of a queue pair can be given one label.
#pragma once

#include "flow/hash.h"
#include "result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::flow {

// One switch on the way that chooses: path = hash modulo paths, or by a table in which path i has
// weight[i] entries.
struct plan_stage {
    hash_model hash;
    std::uint32_t paths = 1;
    std::vector<std::uint32_t> weight; // empty: all alike
};

struct plan_request {
    std::uint64_t qps = 0;
    std::vector<plan_stage> stages;   // in the order of the way
    std::optional<address_pair> pair; // paths as the switch numbers them; without: relative
    std::uint16_t first = sport_min;  // ports to choose from: the device's range
    std::uint16_t last = sport_max;
};

inline constexpr std::uint32_t no_path = 0xffffffff;

struct planned_qp {
    std::uint32_t path; // of stage 1 + paths of stage 1 * path of stage 2 and so on; or no_path
    std::uint16_t udp_sport;
    std::uint32_t flow_label; // the smallest nonzero one of the port; for both ends
};

enum class path_numbers : std::uint8_t {
    absolute, // as the switch numbers them, under the model
    relative, // queue pairs of different numbers take different paths; which, depends on the switch
    unknown,
};
std::string_view to_string(path_numbers numbers);

// What the ports can do at one stage; filled where every stage is linear with a power of two of paths.
struct stage_report {
    std::uint32_t bits = 0;        // of the path number
    std::uint32_t reached = 0;     // of these, what source ports can change here
    std::uint32_t added = 0;       // ... independently of the stages before
    std::uint32_t shares_with = 0; // the stage (from 1) whose choice repeats here, 0: none
};

struct flow_plan {
    std::vector<planned_qp> qps;
    path_numbers numbers = path_numbers::unknown;
    std::uint32_t paths = 0;     // asked for: the product of all stages
    std::uint32_t reachable = 0; // that some port leads to; 0 where not known
    std::uint32_t distinct_sports = 0;
    std::vector<std::uint64_t> load;    // queue pairs on each path; empty where not known
    std::uint64_t max_load = 0;         // 0 where not known
    std::uint64_t reverse_max_load = 0; // of the direction back; 0 where not known
    std::uint64_t ideal_load = 0;       // of the path of the largest share: qps / paths, rounded up
    double random_load = 0;             // the fullest path's mean without a plan; 0: weights
    std::uint64_t worst_load = 0;       // numbers unknown: most on one path over all hash constants
    bool worst_exhaustive = false;      // ... all of them tried, not just some
    bool even = false;                  // the best that can be had with that many paths
    bool symmetric = true;              // the other end's own plan gives the same ports
    std::vector<stage_report> stages;
    std::vector<std::string_view> even_under; // hashes under which these ports are even too
    std::vector<std::string> notes;
};

// What the path of the largest share gets when flows are shared as well as can be, rounded up.
std::uint64_t ideal_load(std::uint64_t flows, std::span<const plan_stage> stages);

result<flow_plan> plan_flows(const plan_request &request);

// What no plan can promise; for manuals and detailed output.
std::span<const std::string_view> plan_caveats();

// The port number i of the order used where the hash is not known: the first 2^k (k up to 8) differ
// in the low k bits of every modelled hash that has that many; all 16384 are different.
std::uint16_t spread_sport(std::uint32_t i);

} // namespace adp::flow
