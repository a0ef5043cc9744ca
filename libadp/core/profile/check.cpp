// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile/check.h"

#include "profile/check_rules.h"

#include <algorithm>

namespace adp::profile {

namespace {

struct rule {
    rule_info info;
    void (*run)(const subject &s, const report &r);
};

constexpr std::string_view layout = "register layout";
constexpr std::string_view vendor = "vendor's text";
constexpr std::string_view reading = "reading of the vendor's text";
constexpr std::string_view advice = "advice";

// The order is that of the findings.
constexpr rule table[] = {
    {{"width", layout, true}, judge::width},
    {{"profile-id", vendor, true}, judge::profile_id},
    {{"time-unit", vendor, true}, judge::time_unit},
    {{"time-base-power-of-two", vendor, true}, judge::time_base_power},
    {{"time-base-minimum", vendor, true}, judge::time_base_least},
    {{"range-num", vendor, true}, judge::range_num},
    {{"start-range-index", vendor, true}, judge::start_range_index},
    {{"range-order", vendor, true}, judge::range_order},
    {{"prev-range-index", vendor, true}, judge::prev_range_index},
    {{"dec-mode", vendor, true}, judge::dec_mode},
    {{"time-overflow", advice, true}, judge::time_overflow},
    {{"total-overflow", advice, true}, judge::total_overflow},
    {{"incomplete", layout, false}, judge::incomplete},
    {{"adp-off", vendor, false}, judge::adp_off},
    {{"time-base-coarse", advice, false}, judge::time_base_coarse},
    {{"initial-fixed", reading, false}, judge::initial_fixed},
    {{"initial-outside", vendor, false}, judge::initial_outside},
    {{"retry-num-0", reading, false}, judge::retry_num_0},
    {{"range-overlap", reading, false}, judge::range_overlap},
    {{"prev-range-chain", advice, false}, judge::prev_range_chain},
    {{"prev-range-unused", reading, false}, judge::prev_range_unused},
    {{"above-ack-timeout", vendor, false}, judge::above_ack_timeout},
    {{"total-short", vendor, false}, judge::total_short},
    {{"many-timer-events", reading, false}, judge::many_timer_events},
};

// The vendor's published values where a limit is not known.
adp_profile_limits filled(adp_profile_limits limits)
{
    if (limits.max_id == 0)
        limits.max_id = 1;
    if (limits.max_range_num == 0)
        limits.max_range_num = ADP_MAX_RANGES;
    if (limits.base_timeout_min_ns == 0)
        limits.base_timeout_min_ns = 4000;
    return limits;
}

} // namespace

std::vector<finding> check(const adp_profile &p, const adp_profile_limits &limits,
                           const std::optional<queue_pairs> &known)
{
    std::vector<finding> findings;
    subject s{p, filled(limits), known, true};
    if (known)
        s.limits.qp_timeout_code = known->timeout;
    s.sound = too_wide(s) == 0;
    for (const rule &r : table)
        r.run(s, report{findings, r.info.id, r.info.source, r.info.error});
    return findings;
}

bool has_error(std::span<const finding> findings)
{
    return std::any_of(findings.begin(), findings.end(), [](const finding &f) { return f.error; });
}

std::vector<rule_info> rules()
{
    std::vector<rule_info> all;
    for (const rule &r : table)
        all.push_back(r.info);
    return all;
}

} // namespace adp::profile
