// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/schedule.h"

#include <algorithm>
#include <array>

namespace adp::retry {

namespace {

schedule_row describe(const engine_config &c, const engine_state &s)
{
    schedule_row row;
    if (c.adp) {
        row.kind = s.adp.at == adp_state::initial ? schedule_row::initial : schedule_row::range;
        row.exponent = s.adp.exponent;
        row.range_index = s.adp.range;
        row.wait_ns = s.adp.wait_ns;
    } else if (s.step < c.count.phase_len) {
        row.kind = schedule_row::adaptive;
        row.wait_ns = c.count.phase[s.step];
    } else if (s.step == 0 && c.count.first_max != 0) {
        row.kind = schedule_row::first;
        row.wait_ns = c.count.regular_ns;
    } else {
        row.wait_ns = c.count.regular_ns;
    }
    return row;
}

// Expiries that are known to follow with the same wait, the present one included.
std::uint64_t run_length(const engine_config &c, const engine_state &s)
{
    if (c.adp) {
        const std::uint64_t n = c.adp->repeats(s.adp);
        return n == never ? never : n + 1;
    }
    if (s.step < c.count.phase_len || (s.step == 0 && c.count.first_max != 0))
        return 1;
    return c.count.limit == 0 ? never : s.left;
}

// Adds a row, or lengthens the last one where a run was played in two pieces.
void append(std::vector<schedule_row> &rows, const schedule_row &row, std::uint64_t merge_from)
{
    if (merge_from != 0 && !rows.empty()) {
        schedule_row &last = rows.back();
        if (last.count + 1 >= merge_from && last.wait_ns == row.wait_ns && last.kind == row.kind &&
            last.exponent == row.exponent && last.range_index == row.range_index) {
            last.count += row.count;
            last.copies += row.copies;
            last.last_ns = row.last_ns;
            last.error = row.error;
            return;
        }
    }
    rows.push_back(row);
}

} // namespace

const char *kind_name(schedule_row::kind_of_wait kind)
{
    static constexpr std::array<const char *, 5> names = {"adaptive", "first", "regular", "initial",
                                                          "range"};
    return names[std::min<std::size_t>(kind, names.size() - 1)];
}

unsigned middle_exponent(const engine_config &config)
{
    return config.adp ? (config.adp->initial_low() + config.adp->initial_high()) / 2 : 0;
}

schedule make_schedule(const engine_config &config, unsigned initial_exponent, std::size_t max_rows,
                       std::uint64_t merge_from)
{
    engine_config c = config;
    c.options.delay_factor = 1;
    c.plain_waits = !c.adp || c.adp->readings().truncate_last == 0;
    c.count.first_min = c.count.first_max != 0 ? c.count.regular_ns : 0;
    c.count.first_max = c.count.first_min;

    std::array<request, 1> slot{};
    engine e(c, slot, 0);
    if (c.adp)
        e.start_at(std::clamp(initial_exponent, c.adp->initial_low(), c.adp->initial_high()));
    const outcome posted = e.post(0, request_kind::send, 1);

    schedule out;
    if (posted.timer != outcome::arm_ack)
        return out;           // the timer is off
    std::uint64_t before = 0; // the expiry before, or the first send
    std::uint64_t at = posted.wait_ns;
    while (true) {
        if (out.rows.size() >= max_rows) {
            out.cut = true;
            break;
        }
        schedule_row row = describe(c, e.state());
        const std::uint64_t run = run_length(c, e.state());
        const bool merge = merge_from != 0 && run >= merge_from && run > 1;
        if (!merge)
            row.wait_ns = at - before; // the last timer may have been shortened
        // All but the last of a run keep the wait; the last one may change it.
        const stretch played = e.play_alone(at, !merge         ? at + 1
                                                : run == never ? never
                                                               : at + (run - 1) * row.wait_ns);
        row.first_ns = at;
        row.count = played.expiries;
        row.copies = played.copies;
        row.error = played.ended;
        if (played.expiries == never) {
            row.last_ns = never;
            out.transmissions = never;
            out.rows.push_back(row);
            break;
        }
        row.last_ns = at + (played.expiries - 1) * row.wait_ns;
        out.transmissions += played.copies;
        append(out.rows, row, merge_from);
        if (played.ended) {
            out.error_ns = played.at_ns;
            break;
        }
        before = row.last_ns;
        at = played.at_ns;
    }
    return out;
}

} // namespace adp::retry
