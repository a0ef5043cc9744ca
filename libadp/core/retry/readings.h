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

// By number; what each value means is in the table below.
struct adp_readings {
    std::uint32_t init_inclusive_top = 0;  // 1
    std::uint32_t draw_time = 0;           // 2
    std::uint32_t draw_when_idle = 0;      // 3
    std::uint32_t initial_uses = 1;        // 4
    std::uint32_t match_open_top = 0;      // 5
    std::uint32_t range_top_inclusive = 1; // 6
    std::uint32_t retry_num_extra = 0;     // 7
    std::uint32_t uses_first_only = 0;     // 8
    std::uint32_t next_may_shrink = 0;     // 9
    std::uint32_t fail_after_last = 0;     // 10
    std::uint32_t dec_text_order = 0;      // 11
    std::uint32_t prev_on_reach = 0;       // 12
    std::uint32_t prev_enter_low = 0;      // 13
    std::uint32_t prev_unchecked = 0;      // 14
    std::uint32_t start_always = 0;        // 15
    std::uint32_t progress_per_ack = 1;    // 16
    std::uint32_t cap_uses_floor = 0;      // 17
    std::uint32_t total_adds_one = 0;      // 18
    std::uint32_t total_is_factor = 0;     // 19
    std::uint32_t truncate_last = 0;       // 20
    std::uint32_t retry_cnt_counts = 0;    // 21
    std::uint32_t floor_ns = 4000;         // 22
    std::uint32_t max_delay_factor = 4;    // 23
    std::uint32_t applies_to_running = 1;  // 24

    friend bool operator==(const adp_readings &, const adp_readings &) = default;
};

struct reading_info {
    std::uint32_t number; // 1 .. 24
    std::string_view name;
    std::uint32_t adp_readings::*member;
    std::uint32_t min;
    std::uint32_t max;
    std::string_view question; // what the text leaves open
    std::string_view values;   // what each value of the knob means
    std::string_view basis;    // why the default is what it is
};

// All 24, in order.
std::span<const reading_info> readings();

// Sets one by name; EINVAL for an unknown name (the nearest is named) or a value out of bounds.
result<void> set_reading(adp_readings &r, std::string_view name, std::uint64_t value);

} // namespace adp::retry
