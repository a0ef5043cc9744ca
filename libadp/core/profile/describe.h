// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A profile in words and times.
//
// Times are those that the profile asks for: base << exponent. The vendor says that effective
// timeouts may be up to 4 times as long. Where the vendor's text leaves a choice, the words say
// that this is a reading of it.
#pragma once

#include <adp/adp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp::profile {

struct line {
    std::string key;  // "range 0"
    std::string text; // "8 us .. 32 us, 1 retry each, then double; on progress divide by 2"
};

// Only what p.fields holds.
std::vector<line> describe(const adp_profile &p);

// What the value of one field means: "8 us", "divide by 2"; empty: the number says it all. Times
// need the fields that they are made of.
std::string meaning(const adp_profile &p, std::uint32_t number);

struct change {
    std::uint32_t number = 0;            // of the field
    std::string_view field;              // its name
    std::optional<std::uint32_t> before; // nothing: not held
    std::optional<std::uint32_t> after;
    std::string before_text; // meaning()
    std::string after_text;
};

// Field by field what differs, in the order of the register. A time that changes because its base
// does is a change too, with the same number on both sides.
std::vector<change> differences(const adp_profile &before, const adp_profile &after);

} // namespace adp::profile
