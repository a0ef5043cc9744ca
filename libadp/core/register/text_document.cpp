// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From a document, TOML or JSON, to a register.
#include "register/text_document.h"
#include "text/format.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace adp::reg {

namespace {

constexpr std::uint32_t keys[] = {
    ADP_FIELD_TIME_BASE,
    ADP_FIELD_TIME_UNIT,
    ADP_FIELD_START_RANGE_INDEX,
    ADP_FIELD_RANGE_NUM,
    ADP_FIELD_QP_TOTAL_TIMEOUT,
    ADP_FIELD_TIMEOUT_INIT_LOW_BOUND,
    ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE,
    ADP_FIELD_RETX_TOTAL_TIMEOUT,
};
constexpr std::uint32_t keys_of_range[] = {
    ADP_FIELD_RANGE_LOW_BOUND_0, ADP_FIELD_RANGE_SIZE_0,       ADP_FIELD_TIMEOUT_RETRY_NUM_0,
    ADP_FIELD_DEC_MODE_0,        ADP_FIELD_PREV_RANGE_INDEX_0,
};
// What a profile file may name besides.
constexpr std::uint32_t outer_keys[] = {ADP_FIELD_ROCE_ADP_RETRANS_EN,
                                        ADP_FIELD_ADP_RETX_PROFILE_ID};

result<std::uint32_t> value_of(const node &n, const field &f)
{
    const auto wrong = [&](std::string_view why) {
        return bad(n.at, adp::format("{}: {}", f.name, why));
    };
    switch (n.kind) {
    case node_kind::number:
        if (n.number > UINT32_MAX)
            return wrong(adp::format("{} does not fit 32 bits", n.number));
        return static_cast<std::uint32_t>(n.number);
    case node_kind::boolean:
        if (f.width == 1)
            return static_cast<std::uint32_t>(n.number);
        return wrong("true or false for a field of more than one bit");
    case node_kind::other:
        return wrong(n.text.starts_with('-') ? adp::format("{} is negative", n.text)
                                             : adp::format("{} is not a whole number", n.text));
    default: return wrong(adp::format("{} in place of a number", kind_name(n.kind)));
    }
}

std::string all_of(const std::vector<std::string> &parts, std::string_view between)
{
    return adp::format("{}", fmt::join(parts, between));
}

// libadp's commands show what is absent as null, with the reason beside it.
bool is_reason(std::string_view key, const std::vector<std::string_view> &known)
{
    constexpr std::string_view suffix = "_reason";
    return key.ends_with(suffix) &&
           std::find(known.begin(), known.end(), key.substr(0, key.size() - suffix.size())) !=
               known.end();
}

// Keys of an object against those that it may have: every one that is unknown, in one message.
result<void> check_keys(const node &object, std::string_view of,
                        const std::vector<std::string_view> &known)
{
    constexpr std::size_t most = 8;
    std::vector<std::string> unknown;
    place first;
    for (const node &n : object.children) {
        if (std::find(known.begin(), known.end(), n.key) != known.end() || is_reason(n.key, known))
            continue;
        if (unknown.empty())
            first = n.at;
        if (unknown.size() == most) {
            unknown.emplace_back("and more");
            break;
        }
        unknown.push_back(
            adp::format("{} is not a key of {}{}", shown(n.key), of, did_you_mean(n.key, known)));
    }
    if (unknown.empty())
        return {};
    return bad(first, all_of(unknown, "; "));
}

std::vector<std::string_view> names_of(std::span<const std::uint32_t> numbers)
{
    std::vector<std::string_view> names;
    for (const std::uint32_t n : numbers)
        names.push_back(document_key(n));
    return names;
}

// One entry of timeout_range. A missing key is added to missing.
result<void> take_range(collector &values, const node &entry, std::uint32_t index,
                        std::vector<std::string> &missing)
{
    if (entry.kind != node_kind::object)
        return bad(entry.at, adp::format("{}[{}]: {} in place of a range", ranges_key, index,
                                         kind_name(entry.kind)));
    if (const auto ok =
            check_keys(entry, adp::format("{}[{}]", ranges_key, index), names_of(keys_of_range));
        !ok)
        return ok;
    for (const std::uint32_t key : keys_of_range) {
        const field &f = accl_field(key + fields_of_a_range * index);
        const node *const n = given(entry, document_key(key));
        if (n != nullptr) {
            if (const auto taken = take(values, *n, f); !taken)
                return taken;
        } else if (key == ADP_FIELD_PREV_RANGE_INDEX_0 && index == 0) {
            static_cast<void>(values.add(f, 0, {})); // has no meaning there
        } else {
            missing.push_back(adp::format("{}[{}].{}", ranges_key, index, document_key(key)));
        }
    }
    return {};
}

result<void> take_ranges(collector &values, const node &profile, std::vector<std::string> &missing)
{
    const node *const list = given(profile, ranges_key);
    const node *const count = given(profile, document_key(ADP_FIELD_RANGE_NUM));
    const std::size_t entries = list == nullptr ? 0 : list->children.size();
    if (list != nullptr && list->kind != node_kind::array)
        return bad(list->at, adp::format("{}: {} in place of a list of ranges", ranges_key,
                                         kind_name(list->kind)));
    if (entries > ADP_MAX_RANGES)
        return bad(list->children[ADP_MAX_RANGES].at,
                   adp::format("{} has {} entries; the register has room for {}", ranges_key,
                               entries, ADP_MAX_RANGES));
    if (list == nullptr && (count == nullptr || count->number != 0))
        missing.emplace_back(ranges_key);
    else if (count != nullptr && count->kind == node_kind::number &&
             entries < std::min<std::uint64_t>(count->number, ADP_MAX_RANGES))
        return bad(count->at,
                   adp::format("{} is {}, but {} has {} entr{}", document_key(ADP_FIELD_RANGE_NUM),
                               count->number, ranges_key, entries, entries == 1 ? "y" : "ies"));
    if (count == nullptr)
        static_cast<void>(
            values.add(accl_field(ADP_FIELD_RANGE_NUM), static_cast<std::uint32_t>(entries), {}));
    for (std::uint32_t i = 0; i < ADP_MAX_RANGES; i++) {
        if (i < entries) {
            if (const auto taken = take_range(values, list->children[i], i, missing); !taken)
                return taken;
            continue;
        }
        // A file describes the whole profile: what it does not list is empty.
        for (const std::uint32_t key : keys_of_range)
            static_cast<void>(values.add(accl_field(key + fields_of_a_range * i), 0, {}));
    }
    return {};
}

} // namespace

const node *node::find(std::string_view name) const
{
    const auto it = std::find_if(children.begin(), children.end(),
                                 [name](const node &n) { return n.key == name; });
    return it == children.end() ? nullptr : &*it;
}

const char *kind_name(node_kind kind)
{
    switch (kind) {
    case node_kind::null: return "null";
    case node_kind::boolean: return "a boolean";
    case node_kind::number: return "a number";
    case node_kind::string: return "a string";
    case node_kind::array: return "an array";
    case node_kind::object: return "an object";
    default: return "something else";
    }
}

std::span<const std::uint32_t> profile_keys()
{
    return keys;
}

std::span<const std::uint32_t> range_keys()
{
    return keys_of_range;
}

std::string_view document_key(std::uint32_t number)
{
    const std::string_view name = accl_field(number).name;
    return of_a_range(number) ? name.substr(0, name.size() - 2) : name;
}

const node *given(const node &object, std::string_view name)
{
    const node *const n = object.find(name);
    return n == nullptr || n->kind == node_kind::null ? nullptr : n;
}

result<void> take(collector &values, const node &n, const field &f)
{
    const auto value = value_of(n, f);
    if (!value)
        return value.err();
    return values.add(f, *value, n.at);
}

result<void> take_profile(collector &values, const node &profile)
{
    if (profile.kind != node_kind::object)
        return bad(profile.at, adp::format("{} in place of a profile", kind_name(profile.kind)));
    auto known = names_of(keys);
    for (const std::string_view name : names_of(outer_keys))
        known.push_back(name);
    known.push_back(ranges_key);
    if (const auto ok = check_keys(profile, "a profile", known); !ok)
        return ok;
    for (const std::uint32_t key : outer_keys)
        if (const node *const n = given(profile, document_key(key)))
            if (const auto taken = take(values, *n, accl_field(key)); !taken)
                return taken;

    std::vector<std::string> missing;
    bool own_total = true; // the total timeout is the profile's
    for (const std::uint32_t key : keys) {
        const field &f = accl_field(key);
        if (const node *const n = given(profile, f.name)) {
            if (const auto taken = take(values, *n, f); !taken)
                return taken;
            if (key == ADP_FIELD_QP_TOTAL_TIMEOUT)
                own_total = n->number == 0;
        } else if (key == ADP_FIELD_TIME_UNIT) {
            static_cast<void>(values.add(f, 1, {})); // microseconds, the only one there is
        } else if (key == ADP_FIELD_START_RANGE_INDEX ||
                   (key == ADP_FIELD_RETX_TOTAL_TIMEOUT && !own_total)) {
            static_cast<void>(values.add(f, 0, {}));
        } else if (key != ADP_FIELD_RANGE_NUM) {
            missing.emplace_back(f.name);
        }
    }
    if (const auto taken = take_ranges(values, profile, missing); !taken)
        return taken;
    if (missing.empty())
        return {};
    return bad({}, adp::format("the profile is not complete; missing: {}", all_of(missing, ", ")));
}

result<parsed> read_profile(const node &object, adp_format format)
{
    collector values;
    if (const auto taken = take_profile(values, object); !taken)
        return taken.err();
    return std::move(values).finish(format);
}

} // namespace adp::reg
