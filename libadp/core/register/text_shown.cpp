// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From what libadp's own commands print as JSON to a register.
#include "register/text_document.h"
#include "text/format.h"

#include <utility>

namespace adp::reg {

namespace {

// What profile show calls the fields that stand beside the profile.
struct shown_key {
    std::string_view key;
    std::uint32_t number;
};
constexpr shown_key shown_keys[] = {
    {"active_id", ADP_FIELD_ADP_RETX_PROFILE_ID},
    {"max_id", ADP_FIELD_ADP_RETX_PROFILE_MAX_ID},
    {"max_range_num", ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM},
    {"base_timeout_min_ns", ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN},
    {"adp_enabled", ADP_FIELD_ROCE_ADP_RETRANS_EN},
};

// The members of "fields".
result<void> take_fields(collector &values, const node &fields)
{
    for (const node &n : fields.children) {
        if (n.kind == node_kind::null || n.key.ends_with("_reason"))
            continue;
        const field *const f = find_accl_field(n.key);
        if (f == nullptr && n.kind == node_kind::number && n.number <= UINT32_MAX)
            values.add_unknown(n.key, static_cast<std::uint32_t>(n.number));
        else if (f == nullptr)
            values.note(adp::format("{} is not a field that this version knows", shown(n.key)));
        else if (auto taken = take(values, n, *f); !taken)
            return taken;
    }
    return {};
}

// The members of "supported" are the select bits by the names of the fields that they guard.
void take_supported(collector &values, const node &supported)
{
    std::uint32_t held = 0;
    std::uint32_t bits = 0;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        const field &f = accl_field(n);
        const node *const s = supported.find(f.name);
        if (s == nullptr || f.select < 0 ||
            (s->kind != node_kind::number && s->kind != node_kind::boolean))
            continue;
        held |= 1U << f.select;
        bits |= (s->number != 0 ? 1U : 0U) << f.select;
    }
    for (const field &f : roce_accl.fields)
        if (f.acc == access::select && (held >> f.lsb & 1U) != 0)
            static_cast<void>(values.add(f, bits >> f.lsb & 1U, {}));
}

// accl show: the dwords, and the fields of which they must be.
result<parsed> read_register(const node &element)
{
    const node *const raw = given(element, "raw");
    const node *const fields = given(element, "fields");
    const node *const supported = given(element, "supported");
    for (const node *part : {fields, supported})
        if (part != nullptr && part->kind != node_kind::object)
            return bad(part->at, adp::format("{}: {} in place of an object", part->key,
                                             kind_name(part->kind)));
    collector values;
    if (fields != nullptr)
        if (const auto taken = take_fields(values, *fields); !taken)
            return taken.err();
    if (raw == nullptr) {
        if (supported != nullptr)
            take_supported(values, *supported);
        return std::move(values).finish(ADP_FORMAT_JSON);
    }
    if (raw->kind != node_kind::array || raw->children.size() != roce_accl_dwords)
        return bad(raw->at, adp::format("raw: not a list of {} dwords", roce_accl_dwords));
    accl_image image{};
    for (std::size_t i = 0; i < roce_accl_dwords; i++) {
        const node &dword = raw->children[i];
        if (dword.kind != node_kind::string)
            return bad(dword.at, adp::format("raw[{}]: {} in place of a string such as \"0x0\"", i,
                                             kind_name(dword.kind)));
        const auto value = number(dword.text);
        if (!value)
            return bad(dword.at, adp::format("raw[{}]: {}", i, value.err().reason));
        image[i] = *value;
    }
    parsed named = std::move(values).finish(ADP_FORMAT_JSON);
    parsed out = from_image(image, ADP_FORMAT_JSON);
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((named.accl.fields & ADP_FIELD_BIT(n)) != 0 &&
            member(std::as_const(named.accl), n) != get(image, accl_field(n)))
            return bad(raw->at, adp::format("raw and fields differ: {} is {} in one and {} in the "
                                            "other",
                                            accl_field(n).name, get(image, accl_field(n)),
                                            member(std::as_const(named.accl), n)));
    out.unknown_rows = std::move(named.unknown_rows);
    out.notes.insert(out.notes.begin(), named.notes.begin(), named.notes.end());
    return out;
}

} // namespace

result<parsed> read_shown(const node &root)
{
    if (root.kind == node_kind::array) {
        if (root.children.size() != 1)
            return bad(
                root.at,
                adp::format("an array of {} elements; a register is one", root.children.size()),
                "give the output for one device");
        if (root.children[0].kind == node_kind::array)
            return bad(root.children[0].at, "an array in place of an object");
        return read_shown(root.children[0]);
    }
    if (root.kind != node_kind::object)
        return bad(root.at, adp::format("{} in place of an object", kind_name(root.kind)));
    if (root.find("raw") != nullptr || root.find("fields") != nullptr)
        return read_register(root);
    const node *const profile = root.find("profile");
    if (profile == nullptr)
        return read_profile(root, ADP_FORMAT_JSON);
    if (profile->kind == node_kind::null) {
        const node *const why = root.find("profile_reason");
        return bad(profile->at,
                   adp::format("there is no profile in it{}{}", why == nullptr ? "" : ": ",
                               why == nullptr ? std::string{} : shown(why->text)));
    }
    collector values;
    for (const auto &[key, number] : shown_keys)
        if (const node *const n = given(root, key))
            if (const auto taken = take(values, *n, accl_field(number)); !taken)
                return taken.err();
    if (const auto taken = take_profile(values, *profile); !taken)
        return taken.err();
    return std::move(values).finish(ADP_FORMAT_JSON);
}

} // namespace adp::reg
