// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile/describe.h"

#include "profile/walk.h"
#include "register/roce_accl.h"
#include "text/format.h"

#include <initializer_list>

namespace adp::profile {

namespace {

constexpr std::string_view as_read = ", as read from the vendor's text";

bool holds(const adp_profile &p, std::initializer_list<std::uint32_t> numbers)
{
    for (const std::uint32_t n : numbers)
        if ((p.fields & ADP_FIELD_BIT(n)) == 0)
            return false;
    return true;
}

std::uint32_t value(const adp_profile &p, std::uint32_t number)
{
    adp_profile copy = p;
    const std::uint32_t *const member = reg::member(copy, number);
    return member == nullptr ? 0 : *member;
}

std::string time_at(const adp_profile &p, std::uint32_t exponent)
{
    return time_text(time_ns(base_ns(p), exponent));
}

std::string span_text(const adp_profile &p, exponents e)
{
    if (e.low == e.high)
        return time_at(p, e.low);
    return adp::format("{} .. {}", time_at(p, e.low), time_at(p, e.high));
}

std::string_view decrease(std::uint32_t dec_mode)
{
    switch (dec_mode) {
    case 0: return "divide by 4";
    case 1: return "divide by 2";
    case 2: return "to the low bound";
    default: return "a reserved value";
    }
}

std::string initial_text(const adp_profile &p)
{
    const exponents e = initial_exponents(p);
    if (e.low == e.high)
        return time_at(p, e.low) + " for every queue pair";
    return adp::format("{}{}{}, drawn once per queue pair{}", time_at(p, e.low),
                       e.high == e.low + 1 ? " or " : ", doubled any number of times up to ",
                       time_at(p, e.high), as_read);
}

// Where a queue pair goes from its initial timeout.
std::string then_text(const adp_profile &p)
{
    const exponents e = initial_exponents(p);
    for (std::uint32_t g = e.low; g <= e.high; g++)
        if (!range_of(p, g))
            return adp::format(
                "the initial timeout is used once; where it lies in no range, range {} "
                "follows{}",
                p.start_range_index, as_read);
    return adp::format("the initial timeout is used once, then its range goes on{}", as_read);
}

std::string range_text(const adp_profile &p, std::uint32_t i)
{
    const adp_timeout_range &r = p.timeout_range[i];
    const exponents e = range_exponents(p, i);
    std::string text = span_text(p, e);
    if (r.timeout_retry_num == 0)
        text += ", 0 retries (counted as 1)";
    else
        text += adp::format(", {} retr{}{}", r.timeout_retry_num,
                            r.timeout_retry_num == 1 ? "y" : "ies", e.low == e.high ? "" : " each");
    if (i + 1 < range_count(p))
        text += adp::format(", then {}range {}", e.low == e.high ? "" : "double, then ", i + 1);
    else if (e.low != e.high)
        text += ", then double";
    if (e.low != e.high)
        text += adp::format("; on progress {}", decrease(r.dec_mode));
    if (i > 0)
        text += adp::format("; at {} back to range {}{}", time_at(p, e.low), r.prev_range_index,
                            as_read);
    return text;
}

bool whole_range(const adp_profile &p, std::uint32_t i)
{
    const std::uint32_t at = reg::fields_of_a_range * i;
    return holds(p, {ADP_FIELD_RANGE_SIZE_0 + at, ADP_FIELD_RANGE_LOW_BOUND_0 + at,
                     ADP_FIELD_TIMEOUT_RETRY_NUM_0 + at, ADP_FIELD_DEC_MODE_0 + at}) &&
           (i == 0 || holds(p, {ADP_FIELD_PREV_RANGE_INDEX_0 + at}));
}

void add_ranges(const adp_profile &p, std::vector<line> &lines)
{
    const std::uint32_t count = range_count(p);
    bool all = count != 0;
    for (std::uint32_t i = 0; i < count; i++) {
        const bool whole = whole_range(p, i);
        all = all && whole;
        if (whole)
            lines.push_back({adp::format("range {}", i), range_text(p, i)});
    }
    if (!all)
        return;
    if (holds(p, {ADP_FIELD_TIMEOUT_INIT_LOW_BOUND, ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE,
                  ADP_FIELD_START_RANGE_INDEX}))
        lines.push_back({"start", then_text(p)});
    lines.push_back({"end", adp::format("{} is held until the queue pair fails{}",
                                        time_at(p, escalation(p, 0).back().exponent), as_read)});
    lines.push_back({"cap", "no timeout is longer than the queue pair's ack timeout (4.096 us << "
                            "timeout)"});
}

void add_total(const adp_profile &p, std::vector<line> &lines)
{
    if (!holds(p, {ADP_FIELD_QP_TOTAL_TIMEOUT}))
        return;
    if (p.qp_total_timeout != 0)
        lines.push_back({"total", "a queue pair fails after retry_cnt x timeout of the queue pair "
                                  "without progress"});
    else if (holds(p, {ADP_FIELD_RETX_TOTAL_TIMEOUT, ADP_FIELD_TIME_BASE}))
        lines.push_back(
            {"total", adp::format("a queue pair fails after {} without progress{}",
                                  time_at(p, p.retx_total_timeout),
                                  p.retx_total_timeout == 0 ? ": at its first timeout" : "")});
}

} // namespace

std::string meaning(const adp_profile &p, std::uint32_t number)
{
    if ((p.fields & ADP_FIELD_BIT(number)) == 0 || number >= ADP_FIELD_COUNT)
        return {};
    const std::uint32_t v = value(p, number);
    const bool timed = holds(p, {ADP_FIELD_TIME_BASE}) && p.time_base != 0;
    if (reg::of_a_range(number)) {
        const std::uint32_t i = (number - ADP_FIELD_RANGE_SIZE_0) / reg::fields_of_a_range;
        switch (number - reg::fields_of_a_range * i) {
        case ADP_FIELD_RANGE_LOW_BOUND_0: return timed ? time_at(p, v) : std::string{};
        case ADP_FIELD_RANGE_SIZE_0:
            return timed && holds(p, {ADP_FIELD_RANGE_LOW_BOUND_0 + reg::fields_of_a_range * i})
                       ? "up to " + time_at(p, range_exponents(p, i).high)
                       : std::string{};
        case ADP_FIELD_DEC_MODE_0: return std::string{decrease(v)};
        default: return {};
        }
    }
    switch (number) {
    case ADP_FIELD_ROCE_ADP_RETRANS_EN: return v != 0 ? "on" : "off";
    case ADP_FIELD_ADP_RETX_PROFILE_ID: return v == 0 ? "the firmware's own timeouts" : "";
    case ADP_FIELD_TIME_BASE: return timed ? time_text(base_ns(p)) : std::string{};
    case ADP_FIELD_TIME_UNIT: return v == 1 ? "microseconds" : "a reserved value";
    case ADP_FIELD_QP_TOTAL_TIMEOUT:
        return v != 0 ? "retry_cnt x timeout of the queue pair" : "retx_total_timeout";
    case ADP_FIELD_RETX_TOTAL_TIMEOUT:
        if (holds(p, {ADP_FIELD_QP_TOTAL_TIMEOUT}) && p.qp_total_timeout != 0)
            return "not used";
        return timed ? time_at(p, v) : std::string{};
    case ADP_FIELD_TIMEOUT_INIT_LOW_BOUND: return timed ? time_at(p, v) : std::string{};
    case ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE:
        return timed && holds(p, {ADP_FIELD_TIMEOUT_INIT_LOW_BOUND})
                   ? "up to " + time_at(p, initial_exponents(p).high)
                   : std::string{};
    default: return {};
    }
}

std::vector<line> describe(const adp_profile &p)
{
    std::vector<line> lines;
    if (holds(p, {ADP_FIELD_ROCE_ADP_RETRANS_EN}))
        lines.push_back({"adaptive retransmission", meaning(p, ADP_FIELD_ROCE_ADP_RETRANS_EN)});
    if (holds(p, {ADP_FIELD_ADP_RETX_PROFILE_ID})) {
        const std::string what = meaning(p, ADP_FIELD_ADP_RETX_PROFILE_ID);
        lines.push_back({"profile", adp::format("{}{}{}", p.adp_retx_profile_id,
                                                what.empty() ? "" : ", ", what)});
        if (p.adp_retx_profile_id == 0) // what its members hold has no meaning
            return lines;
    }
    // No set takes a base of 0: that is what a profile holds which was never set.
    if (holds(p, {ADP_FIELD_TIME_BASE}) && p.time_base == 0) {
        lines.push_back({"base", "0: no profile, no time follows from it"});
        return lines;
    }
    if (holds(p, {ADP_FIELD_TIME_BASE})) {
        lines.push_back({"base", time_text(base_ns(p))});
        if (holds(p, {ADP_FIELD_TIMEOUT_INIT_LOW_BOUND, ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE}))
            lines.push_back({"initial timeout", initial_text(p)});
        if (holds(p, {ADP_FIELD_RANGE_NUM}))
            add_ranges(p, lines);
    }
    add_total(p, lines);
    if (holds(p, {ADP_FIELD_TIME_BASE}))
        lines.push_back(
            {"accuracy", "effective timeouts may be up to 4 times as long, says the vendor"});
    return lines;
}

std::vector<change> differences(const adp_profile &before, const adp_profile &after)
{
    std::vector<change> changes;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        if ((reg::profile_fields() & ADP_FIELD_BIT(n)) == 0)
            continue;
        change c;
        c.number = n;
        c.field = reg::accl_field(n).name;
        if (holds(before, {n}))
            c.before = value(before, n);
        if (holds(after, {n}))
            c.after = value(after, n);
        c.before_text = meaning(before, n);
        c.after_text = meaning(after, n);
        if (c.before != c.after || c.before_text != c.after_text)
            changes.push_back(std::move(c));
    }
    return changes;
}

} // namespace adp::profile
