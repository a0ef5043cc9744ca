// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile/check_rules.h"
#include "text/format.h"

#include <algorithm>

namespace adp::profile {

std::uint64_t too_wide(const subject &s)
{
    std::uint64_t wide = 0;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((reg::profile_fields() & ADP_FIELD_BIT(n)) != 0 && s.has(n) &&
            s.value(n) > reg::accl_field(n).max())
            wide |= ADP_FIELD_BIT(n);
    return wide;
}

namespace judge {

void width(const subject &s, const report &r)
{
    const std::uint64_t wide = too_wide(s);
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((wide & ADP_FIELD_BIT(n)) != 0) {
            const reg::field &f = reg::accl_field(n);
            r.add(s, n,
                  adp::format("does not fit {} bit{}, at most {}", f.width, f.width == 1 ? "" : "s",
                              f.max()));
        }
}

void profile_id(const subject &s, const report &r)
{
    if (s.has(ADP_FIELD_ADP_RETX_PROFILE_ID) &&
        (s.p.adp_retx_profile_id == 0 || s.p.adp_retx_profile_id > s.limits.max_id))
        r.add(s, ADP_FIELD_ADP_RETX_PROFILE_ID,
              adp::format("must be 1 to {}; 0 is the firmware's own profile", s.limits.max_id));
}

void time_unit(const subject &s, const report &r)
{
    if (s.has(ADP_FIELD_TIME_UNIT) && s.p.time_unit != 1)
        r.add(s, ADP_FIELD_TIME_UNIT, "must be 1 (microseconds); other values are reserved");
}

void time_base_power(const subject &s, const report &r)
{
    if (s.has(ADP_FIELD_TIME_BASE) &&
        (s.p.time_base == 0 || (s.p.time_base & (s.p.time_base - 1)) != 0))
        r.add(s, ADP_FIELD_TIME_BASE, "must be a power of two");
}

void time_base_least(const subject &s, const report &r)
{
    if (s.sound && s.has(ADP_FIELD_TIME_BASE) && s.base() < s.limits.base_timeout_min_ns)
        r.add(s, ADP_FIELD_TIME_BASE,
              adp::format("base timeout {} is less than adp_retx_base_timeout_min, {}",
                          time_text(s.base()), time_text(s.limits.base_timeout_min_ns)));
}

void range_num(const subject &s, const report &r)
{
    const std::uint32_t most = std::min<std::uint32_t>(s.limits.max_range_num, ADP_MAX_RANGES);
    if (s.has(ADP_FIELD_RANGE_NUM) && (s.p.range_num == 0 || s.p.range_num > most))
        r.add(s, ADP_FIELD_RANGE_NUM, adp::format("must be 1 to {}", most));
}

void range_order(const subject &s, const report &r)
{
    if (!s.has_ranges({ADP_FIELD_RANGE_LOW_BOUND_0}))
        return;
    for (std::uint32_t i = 1; i < range_count(s.p); i++) {
        const std::uint32_t below = s.p.timeout_range[i - 1].range_low_bound;
        if (s.p.timeout_range[i].range_low_bound <= below)
            r.add(s, of_range(ADP_FIELD_RANGE_LOW_BOUND_0, i),
                  adp::format(
                      "must be greater than range_low_bound_{}, which is {}: ranges are sorted",
                      i - 1, below));
    }
}

void prev_range_index(const subject &s, const report &r)
{
    for (std::uint32_t i = 1; s.has(ADP_FIELD_RANGE_NUM) && i < range_count(s.p); i++)
        if (const std::uint32_t n = of_range(ADP_FIELD_PREV_RANGE_INDEX_0, i);
            s.has(n) && s.value(n) >= i)
            r.add(s, n, adp::format("must be less than {}, the index of its own range", i));
}

void start_range_index(const subject &s, const report &r)
{
    if (s.has_all(ADP_FIELD_START_RANGE_INDEX, ADP_FIELD_RANGE_NUM) && s.p.range_num != 0 &&
        s.p.start_range_index >= s.p.range_num)
        r.add(s, ADP_FIELD_START_RANGE_INDEX,
              adp::format("must be less than range_num, which is {}", s.p.range_num));
}

void dec_mode(const subject &s, const report &r)
{
    for (std::uint32_t i = 0; s.has(ADP_FIELD_RANGE_NUM) && i < range_count(s.p); i++)
        if (const std::uint32_t n = of_range(ADP_FIELD_DEC_MODE_0, i); s.has(n) && s.value(n) > 2)
            r.add(s, n, "must be 0 (divide by 4), 1 (divide by 2) or 2 (to the low bound)");
}

void time_overflow(const subject &s, const report &r)
{
    if (!s.has_times())
        return;
    const auto judge = [&](std::uint32_t low, std::uint32_t size, std::uint32_t exponent) {
        if (s.time(exponent) == beyond)
            r.add(name(low) + ", " + name(size), adp::format("{}, {}", s.value(low), s.value(size)),
                  adp::format("{} << {} is {}", time_text(s.base()), exponent, time_text(beyond)));
    };
    if (s.has_initial())
        judge(ADP_FIELD_TIMEOUT_INIT_LOW_BOUND, ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE,
              initial_exponents(s.p).high);
    if (s.has_bounds())
        for (std::uint32_t i = 0; i < range_count(s.p); i++)
            judge(of_range(ADP_FIELD_RANGE_LOW_BOUND_0, i), of_range(ADP_FIELD_RANGE_SIZE_0, i),
                  range_exponents(s.p, i).high);
}

void total_overflow(const subject &s, const report &r)
{
    constexpr std::uint32_t most = 40;
    if (!s.has_all(ADP_FIELD_QP_TOTAL_TIMEOUT, ADP_FIELD_RETX_TOTAL_TIMEOUT) ||
        s.p.qp_total_timeout != 0)
        return;
    if (s.p.retx_total_timeout > most)
        r.add(s, ADP_FIELD_RETX_TOTAL_TIMEOUT,
              adp::format("a shift of the base by more than {}: no total timeout is that long",
                          most));
}

} // namespace judge

} // namespace adp::profile
