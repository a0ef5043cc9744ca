// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a requester does while nothing comes back: the rows of a table, or the points of a picture.
#pragma once

#include "result.h"
#include "retry/engine.h"

#include <cstdint>
#include <vector>

namespace adp::retry {

struct schedule_row {
    enum kind_of_wait : std::uint8_t {
        adaptive, // the default firmware's adaptive phase
        first,    // mlx5_floor_off's first wait, between 0.5 and 1.2 T (here: T)
        regular,
        initial, // the profile's drawn value
        range,   // a value of a profile's range
    } kind = regular;
    std::uint64_t wait_ns = 0;  // one wait
    std::uint64_t count = 1;    // so many in a row; never: without end
    std::uint64_t first_ns = 0; // when the first of them runs out, since the first send
    std::uint64_t last_ns = 0;  // when the last one does
    std::uint64_t copies = 0;   // retransmissions that follow these expiries
    std::uint32_t exponent = 0; // profile: the wait is base << exponent, before floor and cap
    std::uint32_t range_index = 0;
    bool error = false; // the last expiry is the error
};
const char *kind_name(schedule_row::kind_of_wait kind); // "adaptive"

struct schedule {
    std::vector<schedule_row> rows;
    std::uint64_t error_ns = never; // never: no error, or not within max_rows
    std::uint64_t transmissions = 1;
    bool cut = false; // there are more rows than asked for
};

// Runs of merge_from or more equal waits become one row (0: never merged). A profile starts with
// the given exponent, clamped to what can be drawn. Chance is left out: delay factor 1, t1 = T.
schedule make_schedule(const engine_config &config, unsigned initial_exponent,
                       std::size_t max_rows = 256, std::uint64_t merge_from = 9);

// The middle of the drawn exponents; 0 for the other models.
unsigned middle_exponent(const engine_config &config);

} // namespace adp::retry
