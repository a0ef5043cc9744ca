// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Words that all parts of the retry model share: times, the settings of a queue pair, and notes.
// Times are whole nanoseconds in 64 bits; sums and products stop at long_time instead of wrapping.
#pragma once

#include <cstdint>
#include <string>

namespace adp::retry {

inline constexpr std::uint64_t never = UINT64_MAX;                 // a time that does not come
inline constexpr std::uint64_t long_time = std::uint64_t{1} << 62; // 146 years: as good as never
inline constexpr std::uint64_t ns_per_us = 1000;
inline constexpr std::uint64_t ns_per_ms = 1000 * ns_per_us;
inline constexpr std::uint64_t ns_per_s = 1000 * ns_per_ms;

constexpr std::uint64_t add_time(std::uint64_t a, std::uint64_t b)
{
    if (a == never || b == never)
        return never;
    return a >= long_time || b >= long_time || a + b >= long_time ? long_time : a + b;
}

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t factor)
{
    if (factor == 0)
        return 0;
    if (a == never)
        return never;
    return a > long_time / factor ? long_time : a * factor;
}

constexpr std::uint64_t shift_time(std::uint64_t a, unsigned by)
{
    return a == 0 ? 0 : by >= 62 || a > (long_time >> by) ? long_time : a << by;
}

// The attributes of a queue pair that decide about repetition (names of ibv_modify_qp(3)).
struct qp_setting {
    unsigned timeout = 14;       // local ack timeout code, 5 bits; 0: the timer is off
    unsigned retry_cnt = 7;      // 3 bits
    unsigned rnr_retry = 7;      // 3 bits; 7: for ever
    unsigned min_rnr_timer = 12; // code, 5 bits; it is the peer's value that counts
    unsigned extended_retry_cnt =
        0; // an ADP profile with qp_total_timeout counts with it; 0: unused

    friend bool operator==(const qp_setting &, const qp_setting &) = default;
};

// Why a setting is not what it seems. The names are stable: scripts see them.
enum class trap : std::uint8_t {
    over_field,   // the value does not fit the field
    infinite,     // no error ever
    unit,         // probably meant in another unit
    rounded,      // the stack rounds it to something else
    floor,        // the firmware's floor decides, not the setting
    below_rtt,    // shorter than a round trip
    zero_retries, // the first loss is fatal
    rnr,          // receiver-not-ready handling is too short or too long
    no_effect,    // the word does nothing here
    version,      // depends on the version of the stack or the kernel
    not_measured, // outside of what anybody measured
    model_rule,   // a reading of ours, not verified on hardware
    margin,       // meets the goal, but barely
    conflict,     // cannot be had together
    info,
};
const char *trap_name(trap t); // "over_field"

struct note {
    trap what = trap::info;
    std::string text; // one sentence, no final full stop
};

} // namespace adp::retry
