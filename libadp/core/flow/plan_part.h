// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The three ways of planning, as plan.cpp chooses between them. Private to this folder.
#pragma once

#include "flow/plan.h"

#include <cstdint>
#include <vector>

namespace adp::flow {

// How a stage turns a hash result into a path.
class path_table {
  public:
    explicit path_table(const plan_stage &stage);
    std::uint32_t operator()(std::uint32_t hash) const
    {
        const std::uint32_t bucket = hash % buckets_;
        return owner_.empty() ? bucket : owner_[bucket];
    }

  private:
    std::uint32_t buckets_;
    std::vector<std::uint32_t> owner_;
};

bool weighted(const plan_stage &stage);         // weights that are not all alike
bool power_of_two(const plan_stage &stage);     // of paths, none weighted
bool address_free(const plan_stage &stage);     // the path does not depend on addresses
flow_key base_key(const plan_request &request); // of the direction there

// The path number of every port from first to last; reverse: of the direction back.
std::vector<std::uint32_t> paths_of_ports(const plan_request &request, bool reverse);

planned_qp planned(std::uint32_t path, std::uint32_t sport);

// Every stage linear, a power of two, and an aligned power of two of ports.
void plan_by_classes(const plan_request &request, flow_plan &plan);
// Paths known port by port.
void plan_by_trying(const plan_request &request, flow_plan &plan);
// One linear stage whose paths shift with the unknown constant of the hash.
void plan_for_any_constant(const plan_request &request, flow_plan &plan);
// Nothing known of the hash.
void plan_blind(const plan_request &request, flow_plan &plan);

// What one says of itself, once the hashes under which it is even are known.
void note_blind(flow_plan &plan);
// Stages that choose by the same, from the paths of all ports.
void note_polarised(const plan_request &request, const std::vector<std::uint32_t> &paths,
                    flow_plan &plan);

// Stage reports and the notes that follow from them, for plan_by_classes().
void report_stages(const plan_request &request, flow_plan &plan);

} // namespace adp::flow
