// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Two settings side by side, and one setting against a list of outages.
#pragma once

#include "retry/model.h"

#include <cstdint>
#include <span>
#include <vector>

namespace adp::retry {

struct comparison {
    model_answer a;
    model_answer b;
    std::uint64_t ratio_milli = 0; // 1000 * b / a, rounded; never: no finite ratio
};

// Each model that answers for both; EINVAL as time_to_error().
result<std::vector<comparison>> compare(const model_request &a, const model_request &b);

struct outage_report {
    model_answer answer;
    std::vector<verdict> verdicts; // one for each outage
    verdict worst = verdict::survives;
    std::uint64_t longest_ns = 0;
    std::uint64_t cumulative_ns = 0; // says nothing about survival
    std::vector<note> notes;
};

// Every model's verdicts. Outages count one by one: what happened before is forgotten with the
// first acknowledgement after it.
result<std::vector<outage_report>> judge_outages(const model_request &request,
                                                 std::span<const std::uint64_t> lengths_ns);

} // namespace adp::retry
