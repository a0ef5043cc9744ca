// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Reading numbers and words of the description and control language.
#pragma once

#include "bytes.h"

#include <optional>
#include <string_view>

namespace adp::hca {

std::string_view trim(std::string_view text);

// Cuts the first word off, "" at the end.
std::string_view next_word(std::string_view &rest);

// Decimal or 0x...; all of the text, at most `most`.
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t most);

// Hexadecimal digits in pairs, blanks between them.
std::optional<bytes> parse_hex(std::string_view text);

} // namespace adp::hca
