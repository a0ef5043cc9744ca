// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp.toml: rules that say which device gets which profile and which switches. From text to rules;
// nothing is opened.
#pragma once

#include "register/roce_accl.h"
#include "result.h"

#include <string>
#include <string_view>
#include <vector>

namespace adp::apply {

// One [[device]] of a file.
struct rule {
    std::string file;
    std::size_t line = 0;
    std::string match;        // a name, a PCI address, a board id, or *
    std::string profile_file; // as written; empty: none, or the profile stands in the rule
    std::size_t profile_line = 0;
    adp_accl values{};
    std::uint64_t fields = 0;   // of values
    bool leave_default = false; // the firmware's default profile may be left
    // Why no device gets it; all reasons at once.
    std::vector<std::string> errors;
    std::vector<std::string> warnings;
};

// The rules of a file. What is wrong with one rule is in its errors. Where it cannot be known whom
// the file means (it is no TOML, an unknown key at its top, a rule without a match), there is no
// list but an error.
result<std::vector<rule>> parse_rules(std::string_view text, const std::string &file);

// Puts the profile of a file (any text form) into the rule that names it.
void add_profile(rule &r, std::string_view text);

// Checks what a rule sets by itself, against the vendor's rules and published limits. After
// add_profile().
void check_rule(rule &r);

// Two rules for the same word are an error of both.
void check_twice(std::vector<rule> &rules);

// "/etc/adp/adp.toml, line 3"
std::string where(const rule &r);

} // namespace adp::apply
