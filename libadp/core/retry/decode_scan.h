// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The small readers behind decode(): numbers behind a key, names and words of a status, rows of hex
// bytes. All expect small letters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp::retry::scan {

bool is_digit(char c);
std::string lowered(std::string_view s);

struct number {
    std::uint32_t value = 0;
    std::size_t end = 0; // position behind it
    bool hex = false;    // written with 0x
};

// The number that starts at `at`; bare digits are of the given base.
std::optional<number> number_at(std::string_view s, std::size_t at, int base = 10);

// The number after a key that stands as a word of its own, with = : # ( or blanks between.
std::optional<number> number_after(std::string_view s, std::string_view key, int base = 10);

// A whole number after such a key that is over most, as written; empty: there is none.
std::string_view too_large_after(std::string_view s, std::string_view key, std::uint32_t most);

// The status of IBV_WC_RETRY_EXC_ERR and the like.
std::optional<std::uint32_t> status_by_name(std::string_view s);

// The status whose words (kernel's, libibverbs', UCX's, or short for them) stand in the line; the
// longest match.
std::optional<std::uint32_t> status_by_text(std::string_view s);

// The bytes of a line that is nothing but hex pairs or four-byte words, behind an optional time
// stamp in brackets and an optional offset ("00000030:").
struct hex_row {
    std::optional<std::uint32_t> offset;
    std::vector<std::uint8_t> bytes;
};
std::optional<hex_row> row_of(std::string_view s);

} // namespace adp::retry::scan
