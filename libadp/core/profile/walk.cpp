// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile/walk.h"

#include <algorithm>

namespace adp::profile {

namespace {

// Members may hold more than the register's 8 bits; no time is that long.
std::uint32_t exponent(std::uint32_t member)
{
    return std::min<std::uint32_t>(member, 0xff);
}

std::uint32_t low_of(const adp_timeout_range &r)
{
    return exponent(r.range_low_bound);
}

std::uint32_t top_of(const adp_timeout_range &r)
{
    return low_of(r) + exponent(r.range_size);
}

} // namespace

std::uint32_t range_count(const adp_profile &p)
{
    return std::min<std::uint32_t>(p.range_num, ADP_MAX_RANGES);
}

exponents range_exponents(const adp_profile &p, std::uint32_t range)
{
    const adp_timeout_range &r = p.timeout_range[range];
    return {low_of(r), top_of(r)};
}

std::optional<std::uint32_t> range_of(const adp_profile &p, std::uint32_t exponent)
{
    for (std::uint32_t i = 0; i < range_count(p); i++)
        if (exponent >= low_of(p.timeout_range[i]) && exponent <= top_of(p.timeout_range[i]))
            return i;
    return std::nullopt;
}

exponents initial_exponents(const adp_profile &p)
{
    const std::uint32_t low = exponent(p.timeout_init_low_bound);
    return {low, low + std::max<std::uint32_t>(exponent(p.timeout_init_range_size), 1) - 1};
}

std::vector<step> escalation(const adp_profile &p, std::uint32_t initial)
{
    const std::uint32_t ranges = range_count(p);
    std::vector<step> steps{{initial, 1}};
    const auto inside = range_of(p, initial);
    std::uint32_t i = ranges;
    std::uint32_t next = initial;
    if (inside) {
        i = *inside;
        next = initial + 1;
    } else if (ranges != 0) {
        i = std::min(p.start_range_index, ranges - 1);
        next = low_of(p.timeout_range[i]);
    }
    for (; i < ranges; i++) {
        const adp_timeout_range &r = p.timeout_range[i];
        for (next = std::max(next, low_of(r)); next <= top_of(r); next++)
            steps.push_back({next, std::max<std::uint32_t>(r.timeout_retry_num, 1)});
        next = steps.back().exponent;
    }
    steps.push_back({steps.back().exponent, 0});
    return steps;
}

std::uint64_t timer_events(const adp_profile &p, std::uint32_t initial, std::uint64_t total_ns,
                           std::uint64_t cap_ns)
{
    std::uint64_t events = 0;
    std::uint64_t left = total_ns;
    for (const step &s : escalation(p, initial)) {
        const std::uint64_t timeout = std::min(time_ns(base_ns(p), s.exponent), cap_ns);
        if (timeout == 0 || left == 0)
            break;
        const std::uint64_t needed = left / timeout + (left % timeout != 0 ? 1 : 0);
        if (s.uses == 0 || needed <= s.uses)
            return events + needed;
        events += s.uses;
        left -= s.uses * timeout;
    }
    return events;
}

} // namespace adp::profile
