// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/adp_algorithm.h"

#include "retry/encoding.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string>

namespace adp::retry {

namespace {

constexpr std::uint8_t to_low = 255;
constexpr unsigned max_total_shift = 40; // 4 us << 40 is 50 days: more is a mistake

error refuse(const std::string &what, const std::string &remedy)
{
    return {EINVAL, what, remedy, {}};
}

std::uint8_t decrease_of(std::uint32_t dec_mode, bool text_order)
{
    // Register: 0 TO_DIV_4, 1 TO_DIV_2, 2 TO_LOW_BOUND. The text lists 2 before 4. 3 is reserved:
    // model rule, taken as the low bound.
    switch (dec_mode) {
    case 0: return text_order ? 1 : 2;
    case 1: return text_order ? 2 : 1;
    default: return to_low;
    }
}

} // namespace

result<adp_algorithm> adp_algorithm::make(const adp_profile &p, const qp_setting &qp,
                                          const adp_readings &readings)
{
    if (p.time_unit != 1)
        return refuse("time_unit " + std::to_string(p.time_unit) + " is reserved",
                      "1 (microseconds) is the only unit");
    if (p.time_base == 0 || p.time_base > 0xffff)
        return refuse("time_base " + std::to_string(p.time_base) + " gives no timeout",
                      "take a power of two from 4 to 32768");
    if (p.range_num == 0 || p.range_num > ADP_MAX_RANGES)
        return refuse("range_num " + std::to_string(p.range_num) + " cannot be run",
                      "1 to 4 ranges are possible");
    if (p.start_range_index >= p.range_num)
        return refuse("start_range_index " + std::to_string(p.start_range_index) +
                          " names a range that is not valid",
                      "take one below range_num");
    if (p.timeout_init_low_bound > 255 || p.timeout_init_range_size > 255)
        return refuse("the initial timeout's bounds do not fit 8 bits", "");
    for (std::uint32_t i = 0; i < p.range_num; i++) {
        const adp_timeout_range &r = p.timeout_range[i];
        if (r.range_low_bound > 255 || r.range_size > 255 || r.timeout_retry_num > 1023 ||
            r.dec_mode > 3 || r.prev_range_index > 7)
            return refuse("range " + std::to_string(i) + " has a value over its field", "");
    }
    if (p.qp_total_timeout == 0 && p.retx_total_timeout > max_total_shift &&
        readings.total_is_factor == 0)
        return refuse("retx_total_timeout " + std::to_string(p.retx_total_timeout) +
                          " gives a total of months",
                      "it is an exponent: time_base << it");

    adp_algorithm a;
    a.readings_ = readings;
    a.base_ns_ = p.time_base * ns_per_us;
    a.range_num_ = static_cast<std::uint8_t>(p.range_num);
    a.start_ = static_cast<std::uint8_t>(p.start_range_index);

    // 1: [low, low + size - 1], or with low + size; size 0 is low alone.
    a.init_low_ = static_cast<std::uint16_t>(p.timeout_init_low_bound);
    std::uint32_t steps = p.timeout_init_range_size;
    if (steps > 0 && readings.init_inclusive_top == 0)
        steps--;
    a.init_high_ = static_cast<std::uint16_t>(p.timeout_init_low_bound + steps);

    for (std::uint32_t i = 0; i < p.range_num; i++) {
        const adp_timeout_range &in = p.timeout_range[i];
        range &out = a.ranges_[i];
        const std::uint32_t end = in.range_low_bound + in.range_size;
        out.low = static_cast<std::uint16_t>(in.range_low_bound);
        out.top = static_cast<std::uint16_t>(
            readings.range_top_inclusive != 0 || in.range_size == 0 ? end : end - 1);
        out.match_top = static_cast<std::uint16_t>(
            readings.match_open_top == 0 || in.range_size == 0 ? end : end - 1);
        out.uses = static_cast<std::uint16_t>(std::max<std::uint32_t>(
            1, in.timeout_retry_num + (readings.retry_num_extra != 0 ? 1 : 0)));
        out.decrease = decrease_of(in.dec_mode, readings.dec_text_order != 0);
        const bool usable = readings.prev_unchecked != 0 ? in.prev_range_index < p.range_num
                                                         : in.prev_range_index < i;
        out.prev = static_cast<std::uint8_t>(usable ? in.prev_range_index : i);
    }

    // 17: the cap. 18, 19: the total.
    if (readings.cap_uses_floor == 0)
        a.cap_ns_ = ack_timeout_ns(qp.timeout);
    else if (readings.cap_uses_floor == 1 && qp.timeout != 0)
        a.cap_ns_ = ack_timeout_ns(std::max(qp.timeout, mlx5_floor_code));
    if (p.qp_total_timeout != 0) {
        const unsigned count = (qp.extended_retry_cnt != 0 ? qp.extended_retry_cnt : qp.retry_cnt) +
                               (readings.total_adds_one != 0 ? 1 : 0);
        a.total_ns_ = qp.timeout == 0 ? never : times(ack_timeout_ns(qp.timeout), count);
    } else {
        a.total_ns_ = readings.total_is_factor != 0 ? times(a.base_ns_, p.retx_total_timeout)
                                                    : shift_time(a.base_ns_, p.retx_total_timeout);
    }
    a.retry_limit_ = qp.retry_cnt;
    return a;
}

void adp_algorithm::draw(adp_state &s, rng &chance) const
{
    if (s.at == adp_state::undrawn)
        redraw(s, chance);
}

void adp_algorithm::redraw(adp_state &s, rng &chance) const
{
    start_at(s, init_low_ + static_cast<unsigned>(chance.below(init_high_ - init_low_ + 1U)));
    if (readings_.draw_time != 0) {
        const std::uint64_t low = shift_time(base_ns_, init_low_);
        const std::uint64_t high = shift_time(base_ns_, init_high_);
        const std::uint64_t t = low + chance.below(high - low + 1);
        // The value it counts as afterwards: the largest power of two not above.
        s.exponent = static_cast<std::uint16_t>(std::bit_width(t / base_ns_) - 1);
        set_wait(s, t);
    }
}

void adp_algorithm::start_at(adp_state &s, unsigned exponent) const
{
    const std::uint32_t expiries = s.expiries;
    s = adp_state{};
    s.expiries = expiries;
    set_exponent(s, exponent);
    s.at = adp_state::initial;
}

void adp_algorithm::set_wait(adp_state &s, std::uint64_t raw_ns) const
{
    s.wait_ns = std::min(std::max<std::uint64_t>(raw_ns, readings_.floor_ns), cap_ns_);
}

void adp_algorithm::set_exponent(adp_state &s, unsigned exponent) const
{
    s.exponent = static_cast<std::uint16_t>(exponent);
    set_wait(s, shift_time(base_ns_, exponent));
}

void adp_algorithm::leave_initial(adp_state &s) const
{
    if (s.at != adp_state::initial || s.uses < readings_.initial_uses)
        return;
    s.at = adp_state::ranged;
    s.uses = 0;
    s.range = range_num_;
    if (readings_.start_always == 0)
        for (std::uint8_t i = range_num_; i-- > 0;)
            if (s.exponent >= ranges_[i].low && s.exponent <= ranges_[i].match_top)
                s.range = i; // the first that matches
    if (s.range != range_num_) {
        set_exponent(s, s.exponent); // a drawn time counts as its power of two from now on
        advance(s);                  // the initial value is used up
        return;
    }
    s.range = start_;
    set_exponent(s, ranges_[start_].low);
}

void adp_algorithm::advance(adp_state &s) const
{
    s.uses = 0;
    if (s.exponent < ranges_[s.range].top) {
        set_exponent(s, s.exponent + 1U);
    } else if (s.range + 1 < range_num_) {
        s.range++;
        const std::uint16_t low = ranges_[s.range].low;
        set_exponent(s, readings_.next_may_shrink != 0 ? low : std::max(low, s.exponent));
    } else if (readings_.fail_after_last != 0) {
        s.at = adp_state::spent;
    }
}

std::uint64_t adp_algorithm::repeats(const adp_state &s) const
{
    if (s.at != adp_state::ranged)
        return 0;
    if (s.exponent >= ranges_[s.range].top && s.range + 1 == range_num_ &&
        readings_.fail_after_last == 0)
        return never;
    return static_cast<std::uint64_t>(uses_of(s) - s.uses) - 1;
}

void adp_algorithm::skip(adp_state &s, std::uint64_t n) const
{
    s.expiries = static_cast<std::uint32_t>(std::min<std::uint64_t>(s.expiries + n, UINT32_MAX));
    const std::uint16_t uses = uses_of(s);
    s.uses = static_cast<std::uint16_t>((s.uses + n) % uses);
}

void adp_algorithm::adopt(adp_state &s) const
{
    if (s.at == adp_state::undrawn)
        return;
    s.range = std::min<std::uint8_t>(s.range, static_cast<std::uint8_t>(range_num_ - 1));
    s.uses = std::min<std::uint16_t>(s.uses, static_cast<std::uint16_t>(uses_of(s) - 1));
    if (s.at == adp_state::spent)
        s.at = adp_state::ranged;
    if (s.at == adp_state::ranged)
        set_exponent(s, s.exponent);
    else
        set_wait(s, s.wait_ns);
}

void adp_algorithm::progress(adp_state &s) const
{
    s.expiries = 0;
    if (s.at != adp_state::ranged)
        return; // the initial value did not run out: nothing to fall from
    s.uses = 0;
    const range &r = ranges_[s.range];
    if (s.exponent <= r.low) {
        to_previous(s);
        return;
    }
    const unsigned room = s.exponent - r.low;
    set_exponent(s, r.decrease == to_low || r.decrease >= room ? r.low : s.exponent - r.decrease);
    if (readings_.prev_on_reach != 0 && s.exponent == r.low)
        to_previous(s);
}

void adp_algorithm::to_previous(adp_state &s) const
{
    const std::uint8_t prev = ranges_[s.range].prev;
    if (prev == s.range)
        return;
    s.range = prev;
    const range &r = ranges_[prev];
    set_exponent(s, std::min(readings_.prev_enter_low != 0 ? r.low : r.top, s.exponent));
}

} // namespace adp::retry
