// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What TOML and JSON have in common, as far as profiles need it: a tree in which every part knows
// its place.
#pragma once

#include "register/text_forms.h"

namespace adp::reg {

enum class node_kind : std::uint8_t { null, boolean, number, string, array, object, other };

struct node {
    node_kind kind = node_kind::null;
    std::string key;            // in an object
    std::uint64_t number = 0;   // boolean, number
    std::string text;           // string; other: as written (negative, fraction, date)
    std::vector<node> children; // array, object
    place at;

    const node *find(std::string_view name) const;
};

const char *kind_name(node_kind kind);

result<node> parse_toml(std::string_view text);
result<node> parse_json(std::string_view text);

// The member of that name; what is shown as null is not there.
const node *given(const node &object, std::string_view name);

// Gives a node's value to a field.
result<void> take(collector &values, const node &n, const field &f);

// Gives a profile's values to the register's fields, with those that it may leave out; refuses
// unknown keys and lists what is missing.
result<void> take_profile(collector &values, const node &profile);

// A profile: the object with the profile's keys, and nothing else.
result<parsed> read_profile(const node &object, adp_format format);
// What libadp's own commands print (profile show, accl show): an element, or an array of one.
result<parsed> read_shown(const node &root);

// The keys of a profile in the order of the interface (profile show), by public field number; those
// of a range stand for range 0. The vendor's names.
std::span<const std::uint32_t> profile_keys();
std::span<const std::uint32_t> range_keys();
// The key of a field in a profile: its name, without the number of the range.
std::string_view document_key(std::uint32_t number);
inline constexpr std::string_view ranges_key = "timeout_range";

} // namespace adp::reg
