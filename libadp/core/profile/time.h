// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Times of a profile: base << exponent, in nanoseconds.
#pragma once

#include <adp/adp.h>

#include <cstdint>
#include <string>

namespace adp::profile {

// A time beyond 2^63 ns (292 years), where the shift leaves 64 bits.
inline constexpr std::uint64_t beyond = UINT64_MAX;

// time_base in its unit; only microseconds are defined, so any time_unit is read as that.
std::uint64_t base_ns(const adp_profile &p);

// base << exponent, or beyond.
std::uint64_t time_ns(std::uint64_t base, std::uint32_t exponent);

// The ack timeout of a queue pair: 4.096 us << code. Code 0 is no timeout: beyond. (IBTA, Local ACK
// Timeout; 5 bits.)
std::uint64_t ack_timeout_ns(std::uint32_t code);

// Exact, in the largest unit that leaves no zero before the point: "4 us", "32.768 ms".
std::string time_text(std::uint64_t ns);

} // namespace adp::profile
