// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How flows that exist fall on paths, whether that is worse than chance, and why.
#pragma once

#include "flow/expected.h"
#include "flow/flow_list.h"
#include "flow/plan.h"
#include "result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::flow {

struct audit_request {
    plan_stage stage;                 // hash, paths, weights
    std::optional<address_pair> pair; // of flows that come without addresses
};

// Stable words for scripts.
enum class cause_kind : std::uint8_t {
    one_port,        // all flows have one and the same port
    same_qpns,       // the same, since it is the hash of their QPNs
    ucx_paths,       // the ports of UCX's first path indexes, shared by many flows
    repeated_ports,  // few ports at odd places, each shared: a seed taken in the same second
    equal_qpns,      // both ends have the same QPN: products are squares
    zero_qpn,        // a QPN of 0
    same_label,      // one flow label on several queue pairs
    fold_collision,  // different labels that fold to one port
    port_not_hashed, // the hash does not look at the source port
    stride,          // ports at a distance that has a factor in common with the number of paths
    few_classes,     // the port bits that differ reach few paths under this hash
    few_flows,       // fewer flows than paths
    below_range,     // ports below 49152
    override,        // the port is not what the QPNs or the label give
    queue_affinity,  // the bond member is pinned
    chance,          // no worse than placement at random
    unexplained,     // worse than that, and none of the above
};
std::string_view to_string(cause_kind kind); // "one_port", ...

struct audit_cause {
    cause_kind kind;
    std::uint64_t flows = 0; // concerned
    std::string text;        // with the evidence
    std::string remedy;      // which setting mends it, and its trap; may be empty
};

struct shared_port {
    std::uint16_t sport;
    std::uint64_t flows;
};

struct flow_audit {
    std::uint64_t flows = 0;
    std::uint32_t distinct_sports = 0;
    std::uint64_t distinct_flows = 0; // of addresses and port: what switches tell apart
    std::uint64_t collisions = 0;     // flows beyond the first of their addresses and port
    std::vector<shared_port> shared;  // the most shared ports, at most 16
    double entropy_bits = 0;          // of the ports over the flows
    double ideal_bits = 0;            // with all different
    std::uint32_t paths = 0;
    path_numbers numbers = path_numbers::absolute;
    std::vector<std::uint64_t> load;
    std::uint64_t max_load = 0;
    std::uint64_t ideal_load = 0; // of the path of the largest share: flows / paths, rounded up
    double mean_load = 0;
    double max_over_mean = 0;
    random_placement expected; // of as many flows on as many paths
    double expected_max_over_mean = 0;
    std::vector<audit_cause> causes;
    std::vector<std::string> notes;
};

// EINVAL: no flows, no or too many paths, addresses of some flows only, a hash that cannot be
// computed, or one that needs addresses nobody gave (with a power of two of paths the load is known
// up to the numbers of the paths then).
result<flow_audit> audit_flows(const flow_list &list, const audit_request &request);

} // namespace adp::flow
