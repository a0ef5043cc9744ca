// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Assignments: NAME=VALUE and the vendor's ADDRESS.OFFSET:SIZE=VALUE.
#pragma once

#include "register/text_forms.h"

namespace adp::reg {

struct assignment {
    std::string_view name;
    std::string_view value;
    place at;       // of the name
    place value_at; // of the value
};

// Splits at commas and blanks; where = the place of the first byte. '#' starts a comment that ends
// with the line.
result<std::vector<assignment>> split_assignments(std::string_view text, place where);

// Does name look like ADDRESS.OFFSET:SIZE?
bool is_raw_name(std::string_view name);

// Reads assignments that are all named or all raw.
result<parsed> read_assignments(const std::vector<assignment> &list);

} // namespace adp::reg
