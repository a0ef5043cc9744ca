// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the vendor's text on the ADP profile leaves open, one knob for each of the 24 places. The
// defaults are the documented readings; none is verified on hardware.
#pragma once

#include "result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace adp::retry {

struct adp_readings {
    // 1  The initial exponent lies in [low, low + size - 1]; 1: low + size is drawn too.
    std::uint32_t init_inclusive_top = 0;
    // 2  The exponent is drawn; 1: the time between the two bounds.
    std::uint32_t draw_time = 0;
    // 3  Drawn once in the life of a queue pair; 1: whenever it starts to wait after being idle.
    std::uint32_t draw_when_idle = 0;
    // 4  How often the initial value is used: 1 or 2.
    std::uint32_t initial_uses = 1;
    // 5  "Falls within" includes low + size; 1: it does not.
    std::uint32_t match_open_top = 0;
    // 6  A range has the values low .. low + size; 0: low .. low + size - 1, at least low.
    std::uint32_t range_top_inclusive = 1;
    // 7  timeout_retry_num waits with one value, at least one; 1: one more than that.
    std::uint32_t retry_num_extra = 0;
    // 8  Every value of a range is used that often; 1: only its first, the others once.
    std::uint32_t uses_first_only = 0;
    // 9  The next range starts at the larger of its low bound and the present value; 1: at its low.
    std::uint32_t next_may_shrink = 0;
    // 10 After the last range its top is kept; 1: the queue pair fails.
    std::uint32_t fail_after_last = 0;
    // 11 dec_mode as the register names it (0 div 4, 1 div 2); 1: in the order of the text.
    std::uint32_t dec_text_order = 0;
    // 12 The previous range is entered by a decrease at the low bound; 1: on reaching it.
    std::uint32_t prev_on_reach = 0;
    // 13 The previous range is entered at its top, never above the present value; 1: at its low.
    std::uint32_t prev_enter_low = 0;
    // 14 prev_range_index counts only when it is below the present range; 1: always.
    std::uint32_t prev_unchecked = 0;
    // 15 start_range_index counts only when the initial value lies in no range; 1: always.
    std::uint32_t start_always = 0;
    // 16 Progress is each advance of the oldest unacknowledged packet; 0: each finished request.
    std::uint32_t progress_per_ack = 1;
    // 17 A wait is capped by the queue pair's timeout; 1: by at least code 16; 2: not capped.
    std::uint32_t cap_uses_floor = 0;
    // 18 qp_total_timeout means retry_cnt * timeout; 1: (retry_cnt + 1) * timeout.
    std::uint32_t total_adds_one = 0;
    // 19 retx_total_timeout is a shift of time_base; 1: a factor.
    std::uint32_t total_is_factor = 0;
    // 20 The total is looked at when a timer expires; 1: the last timer is shortened to it.
    std::uint32_t truncate_last = 0;
    // 21 retry_cnt counts nothing under a profile; 1: it also ends the queue pair.
    std::uint32_t retry_cnt_counts = 0;
    // 22 No wait is shorter than this (adp_retx_base_timeout_min), in ns.
    std::uint32_t floor_ns = 4000;
    // 23 "Up to 4x delay in the effective timeout": the largest factor on a wait, 1 .. 4.
    std::uint32_t max_delay_factor = 4;
    // 24 A changed profile applies to running queue pairs, at their next expiry; 0: to new ones only.
    std::uint32_t applies_to_running = 1;

    friend bool operator==(const adp_readings &, const adp_readings &) = default;
};

struct reading_info {
    std::uint32_t number; // 1 .. 24
    std::string_view name;
    std::uint32_t adp_readings::*member;
    std::uint32_t min;
    std::uint32_t max;
    std::string_view question; // what the text leaves open
    std::string_view basis;    // why the default is what it is
};

// All 24, in order.
std::span<const reading_info> readings();

// Sets one by name; EINVAL for an unknown name or a value out of bounds.
result<void> set_reading(adp_readings &r, std::string_view name, std::uint64_t value);

} // namespace adp::retry
