// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile/format.h"

#include "profile/describe.h"
#include "profile/time.h"
#include "profile/walk.h"
#include "register/text_document.h"
#include "register/text_write.h"
#include "text/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>

namespace adp::profile {

namespace {

bool holds(const adp_profile &p, std::uint32_t number)
{
    return (p.fields & ADP_FIELD_BIT(number)) != 0;
}

std::uint32_t value(const adp_profile &p, std::uint32_t number)
{
    adp_profile copy = p;
    return *reg::member(copy, number);
}

// How many ranges a document lists: those that count, and those behind them that are not empty.
std::uint32_t listed_ranges(const adp_profile &p)
{
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < ADP_MAX_RANGES; i++)
        for (const std::uint32_t key : reg::range_keys())
            if (holds(p, key + reg::fields_of_a_range * i) &&
                (i < range_count(p) || value(p, key + reg::fields_of_a_range * i) != 0))
                n = i + 1;
    return n;
}

std::string to_toml(const adp_profile &p)
{
    std::string text = "# Profile of the adaptive retransmission (ADP) of a ConnectX NIC.\n";
    if (holds(p, ADP_FIELD_TIME_BASE))
        text +=
            adp::format("# A time is base << value; base = {}. Effective timeouts may be up to 4 "
                        "times as long.\n",
                        time_text(base_ns(p)));
    text += '\n';
    const auto line = [&](std::uint32_t number) {
        if (!holds(p, number))
            return;
        const std::string setting =
            adp::format("{} = {}", reg::document_key(number), value(p, number));
        const std::string what = meaning(p, number);
        text += what.empty() ? setting : adp::format("{:<32} # {}", setting, what);
        text += '\n';
    };
    for (const std::uint32_t number :
         {ADP_FIELD_ADP_RETX_PROFILE_ID, ADP_FIELD_ROCE_ADP_RETRANS_EN})
        line(number);
    for (const std::uint32_t number : reg::profile_keys())
        line(number);
    for (std::uint32_t i = 0; i < listed_ranges(p); i++) {
        text += adp::format("\n[[{}]] # {}{}\n", reg::ranges_key, i,
                            i < range_count(p) ? "" : ", not in use");
        for (const std::uint32_t key : reg::range_keys())
            line(key + reg::fields_of_a_range * i);
    }
    return text;
}

std::string to_json(const adp_profile &p)
{
    using json = nlohmann::ordered_json;
    json profile = json::object();
    for (const std::uint32_t number : reg::profile_keys())
        if (holds(p, number))
            profile[std::string{reg::document_key(number)}] = value(p, number);
    json ranges = json::array();
    for (std::uint32_t i = 0; i < listed_ranges(p); i++) {
        json range = json::object();
        for (const std::uint32_t key : reg::range_keys())
            if (holds(p, key + reg::fields_of_a_range * i))
                range[std::string{reg::document_key(key)}] =
                    value(p, key + reg::fields_of_a_range * i);
        ranges.push_back(std::move(range));
    }
    profile[std::string{reg::ranges_key}] = std::move(ranges);
    json element = json::object();
    if (holds(p, ADP_FIELD_ADP_RETX_PROFILE_ID))
        element["active_id"] = p.adp_retx_profile_id;
    if (holds(p, ADP_FIELD_ROCE_ADP_RETRANS_EN))
        element["adp_enabled"] = p.roce_adp_retrans_en;
    element["profile"] = std::move(profile);
    return json::array({std::move(element)}).dump(2) + "\n";
}

// The image that a write would send. Either the whole profile block or none of it.
result<std::string> to_hex(const adp_accl &accl)
{
    const std::uint64_t block = accl.profile.fields & reg::profile_block_fields();
    if (block != 0 && block != reg::profile_block_fields()) {
        std::string missing;
        for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
            if ((reg::profile_block_fields() & ~block & ADP_FIELD_BIT(n)) != 0)
                missing +=
                    adp::format("{}{}", missing.empty() ? "" : ", ", reg::accl_field(n).name);
        return error{EINVAL,
                     "hex digits hold a whole profile; missing: " + missing,
                     "give every field, or use a format that can leave some out",
                     {}};
    }
    reg::accl_image image{};
    reg::encode(accl, accl.profile.fields, image);
    image[0] = reg::select_bits(accl.profile.fields);
    return reg::hex_text(image) + "\n";
}

} // namespace

result<std::string> format_profile(const adp_profile &p, adp_format format, std::string_view dev)
{
    adp_accl accl{};
    accl.profile = p;
    accl.profile.fields &= reg::profile_fields();
    if (accl.profile.fields == 0)
        return error{EINVAL, "the profile holds no field", {}, {}};
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if (holds(accl.profile, n) && value(p, n) > reg::accl_field(n).max())
            return error{EINVAL,
                         adp::format("{}: {} does not fit its {} bits (at most {})",
                                     reg::accl_field(n).name, value(p, n), reg::accl_field(n).width,
                                     reg::accl_field(n).max()),
                         {},
                         {}};
    switch (format) {
    case ADP_FORMAT_TOML: return to_toml(accl.profile);
    case ADP_FORMAT_JSON: return to_json(accl.profile);
    case ADP_FORMAT_HEX: return to_hex(accl);
    case ADP_FORMAT_MLXREG: return reg::mlxreg_command(accl, accl.profile.fields, dev) + "\n";
    case ADP_FORMAT_MSTREG: return reg::mstreg_command(accl, accl.profile.fields, dev) + "\n";
    default:
        return error{
            EINVAL, adp::format("format {} is for input only", static_cast<int>(format)), {}, {}};
    }
}

} // namespace adp::profile
