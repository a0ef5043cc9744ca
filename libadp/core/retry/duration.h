// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Durations as people write them ("3s", "1000000.00us", "50 ms"), exactly, and back.
#pragma once

#include "result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace adp::retry {

// Units: ns us ms s m (or min) h, in small letters, with or without a space before. bare_unit is the
// unit of a number without one; empty: such a number is refused. More decimals than nanoseconds are
// refused unless they are zeros. Negative, empty, over 146 years: refused, with the reason.
result<std::uint64_t> parse_duration(std::string_view text, std::string_view bare_unit = {});

// True when the text ends with one of the units above.
bool has_time_unit(std::string_view text);

// "59.77 s", "3.662 s", "8.192 us", "0 s", "never": four significant digits, rounded.
std::string format_duration(std::uint64_t ns);

// A plain whole number, decimal or with 0x; EINVAL otherwise. Numbers such as 010 are refused: C reads
// them as octal, people as decimal.
result<std::uint64_t> parse_number(std::string_view text);

} // namespace adp::retry
