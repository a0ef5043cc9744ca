// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The rules that a profile must obey, and what is allowed but foolish. No device is asked.
#pragma once

#include <adp/adp.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::profile {

struct finding {
    std::string_view id; // of the rule, stable: "range-order"
    std::string field;   // the vendor's name, or a list of two
    std::string value;   // as given; empty: not given
    std::string rule;    // the rule that it breaks, or why it is foolish
    bool error = false;
    std::string_view source; // where the rule comes from
};

// The setting of the queue pairs that a profile is judged for, where it is known.
struct queue_pairs {
    std::uint32_t timeout = 0; // 0: their timer is off
    std::uint32_t retries = 0; // what qp_total_timeout multiplies their timeout with
};

// Every error and every warning, errors first. Only members in p.fields are judged; members that a
// complete profile needs and that are not given make a warning each, where others are given. Without
// known ones the queue pairs have the limits' timeout and the best retry_cnt.
std::vector<finding> check(const adp_profile &p, const adp_profile_limits &limits,
                           const std::optional<queue_pairs> &known = {});

bool has_error(std::span<const finding> findings);

struct rule_info {
    std::string_view id;
    std::string_view source;
    bool error;
};
// All rules, for documentation.
std::vector<rule_info> rules();

} // namespace adp::profile
