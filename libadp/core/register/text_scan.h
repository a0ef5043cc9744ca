// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What all text forms share: cleaning pasted text, places in it, numbers.
#pragma once

#include "register/field.h"
#include "result.h"
#include "text/words.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::reg {

// A place in a text; both count from 1, column 0: the line as a whole, line 0: not known.
struct place {
    std::size_t line = 0;
    std::size_t column = 0;
};

// "line 3, column 7: reason", as EINVAL.
error bad(place where, std::string_view reason, std::string remedy = {});

// Text of more than this is refused before it is looked at.
inline constexpr std::size_t max_text = std::size_t{1} << 20;

// Pasted text without what terminals and web pages put into it: escape sequences, carriage returns,
// byte order mark, blanks that are no ASCII blank, typographic quotes. Refuses what is too large,
// empty, binary or not UTF-8. Lines stay where they were.
result<std::string> clean(std::string_view text);

// The place of a byte of a cleaned text; for one place, and for many in the same text.
place place_of(std::string_view text, std::size_t offset);
class place_index {
  public:
    explicit place_index(std::string_view text);
    place of(std::size_t offset) const;

  private:
    std::vector<std::size_t> starts_; // of the lines
};

struct text_line {
    std::string_view text;
    std::size_t number = 0; // from 1
    std::size_t offset = 0; // of its first byte
};
std::vector<text_line> lines_of(std::string_view text);

// Decimal or 0x... of at most 32 bits and nothing else. Numbers such as 010 are refused: C and the
// vendor's tool read them as octal, people as decimal. The error's reason has no place.
result<std::uint32_t> number(std::string_view token);

// Refuses a value that its field cannot hold.
result<void> check_width(const field &f, std::uint32_t value);

} // namespace adp::reg
