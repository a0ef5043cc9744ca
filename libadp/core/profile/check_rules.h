// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The rules of check.h, one function each: what it is given, and how it reports.
#pragma once

#include "profile/check.h"
#include "profile/walk.h"
#include "register/roce_accl.h"

#include <initializer_list>
#include <optional>

namespace adp::profile {

// What is judged: the profile, with the limits that hold for it.
struct subject {
    adp_profile p;
    adp_profile_limits limits;
    std::optional<queue_pairs> known;
    bool sound = true; // every member given fits its field: rules may reckon with them

    bool has(std::uint32_t number) const { return (p.fields & ADP_FIELD_BIT(number)) != 0; }
    template <typename... N> bool has_all(N... numbers) const { return (has(numbers) && ...); }
    std::uint32_t value(std::uint32_t number) const
    {
        adp_profile copy = p;
        return *reg::member(copy, number);
    }
    std::uint64_t base() const { return base_ns(p); }
    std::uint64_t time(std::uint32_t exponent) const { return time_ns(base(), exponent); }
    // What every range rule needs: how many there are, and the members named, of each of them.
    bool has_ranges(std::initializer_list<std::uint32_t> first) const
    {
        if (!sound || !has(ADP_FIELD_RANGE_NUM))
            return false;
        for (std::uint32_t i = 0; i < range_count(p); i++)
            for (const std::uint32_t number : first)
                if (!has(number + 5 * i))
                    return false;
        return true;
    }
    bool has_bounds() const
    {
        return has_ranges({ADP_FIELD_RANGE_LOW_BOUND_0, ADP_FIELD_RANGE_SIZE_0});
    }
    bool has_times() const { return sound && has(ADP_FIELD_TIME_BASE) && base() != 0; }
    bool has_initial() const
    {
        return sound &&
               has_all(ADP_FIELD_TIMEOUT_INIT_LOW_BOUND, ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE);
    }
    // The ack timeout code of the queue pairs where it is known and one (5 bits).
    std::uint32_t ack_code() const
    {
        return limits.qp_timeout_code > 31 ? 0 : limits.qp_timeout_code;
    }
};

// The name of a field, and the number of a range's field from that of range 0.
inline std::string name(std::uint32_t number)
{
    return std::string{reg::accl_field(number).name};
}
constexpr std::uint32_t of_range(std::uint32_t first, std::uint32_t range)
{
    return first + 5 * range;
}

// What a rule reports: the field, the value, the text.
class report {
  public:
    report(std::vector<finding> &to, std::string_view id, std::string_view source, bool error)
        : to_(to), id_(id), source_(source), error_(error)
    {
    }
    void add(std::string field, std::string value, std::string text) const
    {
        to_.push_back({id_, std::move(field), std::move(value), std::move(text), error_, source_});
    }
    void add(const subject &s, std::uint32_t number, std::string text) const
    {
        add(name(number), std::to_string(s.value(number)), std::move(text));
    }

  private:
    std::vector<finding> &to_;
    std::string_view id_;
    std::string_view source_;
    bool error_;
};

// Members given that do not fit their fields, as a set of ADP_FIELD_BIT().
std::uint64_t too_wide(const subject &s);

namespace judge {

// Errors.
void width(const subject &s, const report &r);
void profile_id(const subject &s, const report &r);
void time_unit(const subject &s, const report &r);
void time_base_power(const subject &s, const report &r);
void time_base_least(const subject &s, const report &r);
void range_num(const subject &s, const report &r);
void range_order(const subject &s, const report &r);
void prev_range_index(const subject &s, const report &r);
void start_range_index(const subject &s, const report &r);
void dec_mode(const subject &s, const report &r);
void time_overflow(const subject &s, const report &r);
void total_overflow(const subject &s, const report &r);

// Warnings.
void incomplete(const subject &s, const report &r);
void adp_off(const subject &s, const report &r);
void time_base_coarse(const subject &s, const report &r);
void initial_fixed(const subject &s, const report &r);
void initial_outside(const subject &s, const report &r);
void retry_num_0(const subject &s, const report &r);
void range_overlap(const subject &s, const report &r);
void prev_range_chain(const subject &s, const report &r);
void prev_range_unused(const subject &s, const report &r);
void above_ack_timeout(const subject &s, const report &r);
void total_short(const subject &s, const report &r);
void many_timer_events(const subject &s, const report &r);

} // namespace judge

} // namespace adp::profile
