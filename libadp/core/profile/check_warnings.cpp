// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile/check_rules.h"
#include "text/format.h"

namespace adp::profile::judge {

void incomplete(const subject &s, const report &r)
{
    if (s.p.fields == 0)
        r.add("fields", {}, "empty: a set has nothing to do");
    if ((s.p.fields & reg::profile_block_fields() &
         ~ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID)) == 0)
        return;
    const auto need = [&](std::uint32_t number) {
        if (!s.has(number))
            r.add(name(number), {},
                  "not given: what the device holds stays, and is not checked here");
    };
    for (const std::uint32_t number :
         {ADP_FIELD_TIME_BASE, ADP_FIELD_TIME_UNIT, ADP_FIELD_START_RANGE_INDEX,
          ADP_FIELD_RANGE_NUM, ADP_FIELD_QP_TOTAL_TIMEOUT, ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE,
          ADP_FIELD_TIMEOUT_INIT_LOW_BOUND})
        need(number);
    if (s.has(ADP_FIELD_QP_TOTAL_TIMEOUT) && s.p.qp_total_timeout == 0)
        need(ADP_FIELD_RETX_TOTAL_TIMEOUT);
    for (std::uint32_t i = 0; s.has(ADP_FIELD_RANGE_NUM) && i < range_count(s.p); i++) {
        for (const std::uint32_t number : {ADP_FIELD_RANGE_SIZE_0, ADP_FIELD_RANGE_LOW_BOUND_0,
                                           ADP_FIELD_TIMEOUT_RETRY_NUM_0, ADP_FIELD_DEC_MODE_0})
            need(of_range(number, i));
        if (i > 0)
            need(of_range(ADP_FIELD_PREV_RANGE_INDEX_0, i));
    }
}

void adp_off(const subject &s, const report &r)
{
    if (s.has_all(ADP_FIELD_ROCE_ADP_RETRANS_EN, ADP_FIELD_TIME_BASE) &&
        s.p.roce_adp_retrans_en == 0)
        r.add(s, ADP_FIELD_ROCE_ADP_RETRANS_EN,
              "adaptive retransmission is off: the profile has no effect");
}

void time_base_coarse(const subject &s, const report &r)
{
    constexpr std::uint64_t coarse_ns = 4'000'000; // a thousand times the least base
    if (s.has_times() && s.base() > coarse_ns)
        r.add(s, ADP_FIELD_TIME_BASE,
              adp::format("no timeout can be shorter than {}; a lost packet waits that long",
                          time_text(s.base())));
}

void initial_fixed(const subject &s, const report &r)
{
    if (s.has(ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE) && s.p.timeout_init_range_size == 0)
        r.add(s, ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE,
              "nothing to draw from: all queue pairs start with the same timeout, and retry "
              "together");
}

void initial_outside(const subject &s, const report &r)
{
    if (!s.has_initial() || !s.has_bounds() || s.p.range_num == 0)
        return;
    const exponents e = initial_exponents(s.p);
    for (std::uint32_t g = e.low; g <= e.high; g++) {
        if (range_of(s.p, g))
            continue;
        r.add(name(ADP_FIELD_TIMEOUT_INIT_LOW_BOUND) + ", " +
                  name(ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE),
              adp::format("{}, {}", s.p.timeout_init_low_bound, s.p.timeout_init_range_size),
              adp::format(
                  "an initial timeout of base << {} lies in no range; range {} follows it at its "
                  "low bound",
                  g,
                  s.has(ADP_FIELD_START_RANGE_INDEX) ? std::to_string(s.p.start_range_index)
                                                     : "start_range_index"));
        return;
    }
}

void retry_num_0(const subject &s, const report &r)
{
    for (std::uint32_t i = 0; s.has(ADP_FIELD_RANGE_NUM) && i < range_count(s.p); i++)
        if (const std::uint32_t n = of_range(ADP_FIELD_TIMEOUT_RETRY_NUM_0, i);
            s.has(n) && s.value(n) == 0)
            r.add(s, n, "the vendor's text gives 0 no meaning; this library counts it as 1");
}

void range_overlap(const subject &s, const report &r)
{
    if (!s.has_bounds())
        return;
    for (std::uint32_t i = 1; i < range_count(s.p); i++)
        for (std::uint32_t below = 0; below < i; below++) {
            const exponents other = range_exponents(s.p, below);
            const std::uint32_t low = range_exponents(s.p, i).low;
            if (low <= other.low || low > other.high)
                continue;
            r.add(s, of_range(ADP_FIELD_RANGE_LOW_BOUND_0, i),
                  adp::format("range {} overlaps range {}, whose top is base << {}", i, below,
                              other.high));
            break;
        }
}

void prev_range_chain(const subject &s, const report &r)
{
    for (std::uint32_t i = 2; s.has(ADP_FIELD_RANGE_NUM) && i < range_count(s.p); i++)
        if (const std::uint32_t n = of_range(ADP_FIELD_PREV_RANGE_INDEX_0, i);
            s.has(n) && s.value(n) + 1 < i)
            r.add(s, n,
                  adp::format("on the way down from range {}, range {} is skipped", i, i - 1));
}

void prev_range_unused(const subject &s, const report &r)
{
    if (s.has(ADP_FIELD_PREV_RANGE_INDEX_0) && s.p.timeout_range[0].prev_range_index != 0)
        r.add(s, ADP_FIELD_PREV_RANGE_INDEX_0, "range 0 has none below it: the value is ignored");
}

void above_ack_timeout(const subject &s, const report &r)
{
    if (!s.has_times() || !s.has_bounds() || s.ack_code() == 0)
        return;
    const std::uint64_t cap = ack_timeout_ns(s.ack_code());
    for (std::uint32_t i = 0; i < range_count(s.p); i++) {
        const exponents e = range_exponents(s.p, i);
        if (s.time(e.low) > cap)
            r.add(s, of_range(ADP_FIELD_RANGE_LOW_BOUND_0, i),
                  adp::format(
                      "range {} starts at {}, above the queue pairs' ack timeout {} (code {}), "
                      "which caps all: no effect",
                      i, time_text(s.time(e.low)), time_text(cap), s.ack_code()));
        else if (s.time(e.high) > cap)
            r.add(
                s, of_range(ADP_FIELD_RANGE_SIZE_0, i),
                adp::format("range {} reaches {}, above the queue pairs' ack timeout {} (code {}), "
                            "which caps it",
                            i, time_text(s.time(e.high)), time_text(cap), s.ack_code()));
    }
}

namespace {

// The total timeout, in the best case for queue pairs whose own setting decides.
struct total {
    std::uint64_t ns = 0;
    std::uint32_t ack_code = 0;
    std::string text;
    std::uint32_t field = 0;
};
std::optional<total> total_of(const subject &s, std::uint32_t ack_code)
{
    if (!s.has_times() || !s.has(ADP_FIELD_QP_TOTAL_TIMEOUT))
        return std::nullopt;
    if (s.p.qp_total_timeout == 0) {
        if (!s.has(ADP_FIELD_RETX_TOTAL_TIMEOUT))
            return std::nullopt;
        const std::uint64_t ns = s.time(s.p.retx_total_timeout);
        return total{ns, s.ack_code(), time_text(ns), ADP_FIELD_RETX_TOTAL_TIMEOUT};
    }
    if (ack_code == 0)
        return std::nullopt;
    if (s.known) {
        const std::uint64_t ns = s.known->retries * ack_timeout_ns(ack_code);
        return total{
            ns, ack_code,
            adp::format("{} ({} times timeout {})", time_text(ns), s.known->retries, ack_code),
            ADP_FIELD_QP_TOTAL_TIMEOUT};
    }
    constexpr std::uint32_t most_retries = 7; // retry_cnt has 3 bits
    const std::uint64_t ns = most_retries * ack_timeout_ns(ack_code);
    return total{ns, ack_code, adp::format("{} (retry_cnt 7, timeout {})", time_text(ns), ack_code),
                 ADP_FIELD_QP_TOTAL_TIMEOUT};
}

} // namespace

void total_short(const subject &s, const report &r)
{
    const auto t = total_of(s, s.ack_code());
    if (!t)
        return;
    if (s.has_initial() && t->ns <= s.time(initial_exponents(s.p).high)) {
        r.add(s, t->field,
              adp::format("total timeout {}: a queue pair may fail at its first timeout, {}",
                          t->text, time_text(s.time(initial_exponents(s.p).high))));
        return;
    }
    if (s.has_bounds() && range_count(s.p) != 0 && t->ns < s.time(range_exponents(s.p, 0).high))
        r.add(s, t->field,
              adp::format("total timeout {} is shorter than the top of range 0, {}", t->text,
                          time_text(s.time(range_exponents(s.p, 0).high))));
}

void many_timer_events(const subject &s, const report &r)
{
    constexpr std::uint64_t many = 1000;
    constexpr std::uint32_t usual_code = 14; // of the common libraries, where it is not known
    if (!s.has_bounds() || !s.has_initial() || s.p.range_num == 0)
        return;
    if (s.known && s.known->timeout == 0)
        return; // whether their timers run at all is not known
    const auto t = total_of(s, s.ack_code() == 0 ? usual_code : s.ack_code());
    if (!t)
        return;
    const std::uint64_t events =
        timer_events(s.p, initial_exponents(s.p).low, t->ns, ack_timeout_ns(t->ack_code));
    if (events >= many)
        r.add(
            s, t->field,
            adp::format("about {} timeouts, each a retransmission, before a queue pair without an "
                        "answer fails after {}",
                        events, t->text));
}

} // namespace adp::profile::judge
