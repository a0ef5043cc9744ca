// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Words of people's input: their blanks and case, how a message shows them, what a mistyped one
// probably means.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace adp {

// ASCII only, whatever the locale.
constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_blank(char c);
std::string_view trim(std::string_view s);
bool same_word(std::string_view a, std::string_view b); // any case

// Length of the UTF-8 character at the start of s, which is not empty; 0: there is none. As RFC 3629:
// no surrogates, no overlong forms, nothing beyond U+10FFFF.
std::size_t utf8_length(std::string_view s);

// A piece of the input as a message may show it: quoted, printable, not too long.
std::string shown(std::string_view piece);

// What C reads as octal and people as decimal: "010". The number without its zeros; empty: it is in no
// doubt. Of a text of decimal digits.
std::string_view without_zeros(std::string_view digits);
inline constexpr std::string_view octal_or_decimal = "may be meant as octal or as decimal";

// The known word that was probably meant: one that ends in _name; else the fewest letters to change,
// at most half of them (any case); else one that holds it. Of equals the shortest. Empty: none.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);
// ", did you mean NAME?", or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

} // namespace adp
