// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The ADP profile algorithm a second time, written plainly from the vendor's text and the list of
// readings: lists of values, loops in place of shifts, nothing shared with the library but the
// public structure. Slow on purpose.
#pragma once

#include "retry/readings.h"

#include <adp/adp.h>

#include <cstdint>
#include <string>
#include <vector>

namespace adp::retry::test {

class adp_naive {
  public:
    adp_naive(const adp_profile &p, unsigned timeout, unsigned retry_cnt, const adp_readings &r)
        : profile(p), knobs(r), qp_timeout(timeout), qp_retries(retry_cnt)
    {
    }

    // The queue pair has this initial value; the wait in ns is given apart, for a drawn time.
    void begin(int exponent, std::uint64_t first_wait)
    {
        g = exponent;
        initial_wait = first_wait;
        phase = "initial";
        current_range = 0;
        used = 0;
    }

    std::uint64_t power(int e) const
    {
        std::uint64_t t = 1000ULL * profile.time_base;
        for (int i = 0; i < e; i++) {
            t = t * 2;
            if (t > 4611686018427387904ULL)
                t = 4611686018427387904ULL;
        }
        return t;
    }

    std::uint64_t ack(unsigned code) const
    {
        std::uint64_t t = 4096;
        for (unsigned i = 0; i < code; i++)
            t = t * 2;
        return t;
    }

    // Endless: no total.
    bool endless() const { return profile.qp_total_timeout == 1 && qp_timeout == 0; }

    std::uint64_t total() const
    {
        if (profile.qp_total_timeout == 1)
            return ack(qp_timeout) * (qp_retries + (knobs.total_adds_one ? 1 : 0));
        if (knobs.total_is_factor)
            return 1000ULL * profile.time_base * profile.retx_total_timeout;
        return power(static_cast<int>(profile.retx_total_timeout));
    }

    // elapsed: since the last progress, for the knob that shortens the last timer.
    std::uint64_t timer(std::uint64_t elapsed) const
    {
        std::uint64_t t = phase == std::string("initial") ? initial_wait : power(g);
        if (t < knobs.floor_ns)
            t = knobs.floor_ns;
        if (qp_timeout != 0 && knobs.cap_uses_floor != 2) {
            unsigned code = qp_timeout;
            if (knobs.cap_uses_floor == 1 && code < 16)
                code = 16;
            if (t > ack(code))
                t = ack(code);
        }
        if (knobs.truncate_last && !endless() && elapsed < total() && elapsed + t > total())
            t = total() - elapsed;
        return t;
    }

    // The timer ran out. False: the queue pair fails.
    bool expired(std::uint64_t elapsed)
    {
        if (!endless() && elapsed >= total())
            return false;
        if (knobs.retry_cnt_counts && repeated >= qp_retries)
            return false;
        repeated++;
        used++;
        if (phase == std::string("initial")) {
            if (used < static_cast<int>(knobs.initial_uses))
                return true;
            phase = "ranges";
            used = 0;
            int home = -1;
            for (int i = 0; i < static_cast<int>(profile.range_num) && home < 0; i++) {
                const std::vector<int> inside = members(i, knobs.match_open_top ? 0 : 1);
                for (const int v : inside)
                    if (v == g)
                        home = i;
            }
            if (knobs.start_always)
                home = -1;
            if (home < 0) {
                current_range = static_cast<int>(profile.start_range_index);
                g = low(current_range);
                return true;
            }
            current_range = home;
            return next_value();
        }
        if (used < wanted())
            return true;
        used = 0;
        return next_value();
    }

    void progress(bool request_finished)
    {
        repeated = 0;
        if (!knobs.progress_per_ack && !request_finished)
            return;
        if (phase != std::string("ranges"))
            return;
        used = 0;
        if (g <= low(current_range)) {
            previous();
            return;
        }
        int mode = static_cast<int>(profile.timeout_range[current_range].dec_mode);
        if (knobs.dec_text_order && mode < 2)
            mode = 1 - mode;
        if (mode == 0)
            g = g - 2;
        else if (mode == 1)
            g = g - 1;
        else
            g = low(current_range);
        if (g < low(current_range))
            g = low(current_range);
        if (knobs.prev_on_reach && g == low(current_range))
            previous();
    }

    int g = 0;
    int current_range = 0;
    int used = 0;
    unsigned repeated = 0;

  private:
    int low(int i) const { return static_cast<int>(profile.timeout_range[i].range_low_bound); }

    // All values of a range; with_top: low + size is one of them. Never empty.
    std::vector<int> members(int i, unsigned with_top) const
    {
        std::vector<int> out;
        for (int v = low(i); v <= low(i) + static_cast<int>(profile.timeout_range[i].range_size);
             v++)
            out.push_back(v);
        if (!with_top && out.size() > 1)
            out.pop_back();
        return out;
    }

    int wanted() const
    {
        int n = static_cast<int>(profile.timeout_range[current_range].timeout_retry_num);
        if (knobs.retry_num_extra)
            n = n + 1;
        if (n == 0)
            n = 1;
        if (knobs.uses_first_only && g != low(current_range))
            n = 1;
        return n;
    }

    bool next_value()
    {
        const std::vector<int> values = members(current_range, knobs.range_top_inclusive);
        if (g < values.back()) {
            g = g + 1;
            return true;
        }
        if (current_range == static_cast<int>(profile.range_num) - 1)
            return knobs.fail_after_last == 0;
        current_range = current_range + 1;
        if (knobs.next_may_shrink || low(current_range) > g)
            g = low(current_range);
        return true;
    }

    void previous()
    {
        const int prev = static_cast<int>(profile.timeout_range[current_range].prev_range_index);
        const bool allowed = knobs.prev_unchecked ? prev < static_cast<int>(profile.range_num)
                                                  : prev < current_range;
        if (!allowed || prev == current_range)
            return;
        current_range = prev;
        const int entry =
            knobs.prev_enter_low ? low(prev) : members(prev, knobs.range_top_inclusive).back();
        if (entry < g)
            g = entry;
    }

    adp_profile profile;
    adp_readings knobs;
    unsigned qp_timeout;
    unsigned qp_retries;
    std::string phase = "initial";
    std::uint64_t initial_wait = 0;
};

} // namespace adp::retry::test
