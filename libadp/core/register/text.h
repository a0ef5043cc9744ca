// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Reads a register or a profile from the text forms that people have: the tables that mlxreg and
// mstreg print, their --set strings, the register's bytes as hex digits, profile files (TOML) and
// this project's own JSON. Every value is checked against the width of its field.
#pragma once

#include "register/roce_accl.h"
#include "result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::reg {

// A row whose name is in no known version of the register.
struct unknown_row {
    std::string name;
    std::uint32_t value = 0;
};

struct parsed {
    // fields and profile.fields: what the text held. supported: from its select bits, where it had
    // some. raw: what is known of the register, the rest 0.
    adp_accl accl{};
    adp_format format = ADP_FORMAT_RAW;
    std::vector<std::string> notes; // what a reader should know about how the text was read
    std::vector<unknown_row> unknown_rows;
    std::uint32_t selects_held = 0; // bits of dword 0 that the text gave, whatever their value
    bool whole = false;             // accl.raw holds every bit of the register
};

// Finds out the form. The error's reason names the line and column, field, value and width.
result<parsed> parse_text(std::string_view text);

// The words behind `set DEV`: FIELD VALUE pairs and FIELD=VALUE, in any mixture. Only fields that
// a write can change.
result<parsed> parse_assignments(std::span<const std::string> words);

} // namespace adp::reg
