// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The tables that mlxreg and mstreg print, as they stand in a text with anything around them.
//
// Their layout is that of the vendor's document and of mstflint: a heading "Field Name | Data" or
// "Address | Data", a line of '=', rows, a line of '='. Column widths differ between versions.
#pragma once

#include "register/text_scan.h"

#include <optional>

namespace adp::reg {

struct table_row {
    std::string_view name;  // field name, or address
    std::string_view value; // may be empty or wrong
    place at;               // of the value
};

struct text_table {
    bool raw = false;                         // addresses, not names
    bool headed = false;                      // its heading was seen
    bool closed = false;                      // the line that ends it was seen
    bool preview = false;                     // shown by a set before it asks for confirmation
    std::size_t line = 0;                     // where it starts
    std::optional<std::uint32_t> register_id; // as said by the text before it
    std::string_view register_name;           // the same, or empty
    std::vector<table_row> rows;
    std::vector<std::size_t> strays; // numbers of lines between its rows that are no rows
};

std::vector<text_table> find_tables(std::string_view text);

} // namespace adp::reg
