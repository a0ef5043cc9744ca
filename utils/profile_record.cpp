// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile_record.h"

#include "profile/describe.h"
#include "text/format.h"

namespace adp::cli {

namespace {

bool has(std::uint64_t fields, std::uint32_t number)
{
    return (fields & ADP_FIELD_BIT(number)) != 0;
}

// A field's number, or null with the reason.
void put(record &to, const char *key, const adp_accl &accl, std::uint64_t fields,
         std::uint32_t number, const std::string &reason)
{
    if (has(fields, number))
        to.data(key, reg::member(accl, number));
    else
        to.absent(key, reason);
}

// Keys as in the register, the ranges as an array.
void add_numbers(record &profile, const adp_accl &accl, std::uint64_t fields,
                 const std::string &reason)
{
    for (const std::uint32_t n :
         {ADP_FIELD_TIME_BASE, ADP_FIELD_TIME_UNIT, ADP_FIELD_START_RANGE_INDEX,
          ADP_FIELD_RANGE_NUM, ADP_FIELD_QP_TOTAL_TIMEOUT, ADP_FIELD_TIMEOUT_INIT_LOW_BOUND,
          ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE, ADP_FIELD_RETX_TOTAL_TIMEOUT})
        put(profile, std::string{reg::accl_field(n).name}.c_str(), accl, fields, n, reason);
    record::list &ranges = profile.array("timeout_range");
    static constexpr const char *keys[] = {"range_size", "range_low_bound", "timeout_retry_num",
                                           "dec_mode", "prev_range_index"};
    for (std::uint32_t i = 0; i < ADP_MAX_RANGES; i++) {
        record &range = ranges.item();
        for (std::uint32_t k = 0; k < 5; k++)
            put(range, keys[k], accl, fields, ADP_FIELD_RANGE_SIZE_0 + 5 * i + k, reason);
    }
}

struct head {
    const char *key;
    std::uint32_t number;
};
constexpr head heads[] = {
    {"active_id", ADP_FIELD_ADP_RETX_PROFILE_ID},
    {"max_id", ADP_FIELD_ADP_RETX_PROFILE_MAX_ID},
    {"max_range_num", ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM},
    {"base_timeout_min_ns", ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN},
    {"adp_enabled", ADP_FIELD_ROCE_ADP_RETRANS_EN},
};

void add_words(record &to, const adp_profile &p)
{
    for (const profile::line &l : profile::describe(p))
        to.line(l.key.empty() ? l.text : adp::format("  {:16} {}", l.key, l.text));
}

void add(record &element, const adp_accl &accl, std::uint64_t fields, std::uint32_t shown,
         const std::string &reason)
{
    for (const head &h : heads)
        put(element, h.key, accl, fields, h.number, reason);
    if (has(fields, ADP_FIELD_ROCE_ADP_RETRANS_EN))
        element.line(adp::format("{:18} {}", "adaptive retx.",
                                 accl.profile.roce_adp_retrans_en != 0 ? "on" : "off"));
    if (has(fields, ADP_FIELD_ADP_RETX_PROFILE_ID))
        element.line(adp::format("{:18} {}", "active profile",
                                 accl.profile.adp_retx_profile_id == 0
                                     ? "0: the firmware's own timeouts, which are not public"
                                     : std::to_string(accl.profile.adp_retx_profile_id)));
    if (has(fields, ADP_FIELD_ADP_RETX_PROFILE_MAX_ID))
        element.line(adp::format("{:18} {}, {} ranges, base at least {} ns", "highest profile",
                                 accl.adp_retx_profile_max_id, accl.adp_retx_profile_max_range_num,
                                 accl.adp_retx_base_timeout_min));
    element.maybe("profile_id", has(fields, ADP_FIELD_ADP_RETX_PROFILE_ID) ? json(shown) : json{},
                  reason);
    record &numbers = element.object("profile");
    add_numbers(numbers, accl, fields, reason);
    if (!has(fields, ADP_FIELD_TIME_BASE)) {
        element.line(adp::format("{:18} - ({})", "profile", reason));
        return;
    }
    if (shown == 0)
        return; // the fields of profile 0 hold nothing
    adp_profile p = accl.profile;
    p.fields = fields & reg::profile_block_fields() & ~ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID);
    element.line(adp::format("profile {}", shown));
    add_words(element, p);
}

} // namespace

void add_profile(record &element, const adp_accl &accl, std::uint32_t shown)
{
    std::uint64_t fields = accl.fields;
    if ((accl.raw[0] & reg::select_adp_profile) == 0) {
        fields &= ~reg::profile_block_fields();
        fields &= ~(ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_MAX_ID) |
                    ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM) |
                    ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN));
    }
    add(element, accl, fields, shown, "this firmware has no ADP profiles");
}

void add_profile(record &element, const adp_accl &accl)
{
    add_profile(element, accl, accl.profile.adp_retx_profile_id);
}

void add_decoded(record &element, const reg::parsed &parsed, int details)
{
    static constexpr const char *names[] = {"toml",   "json",  "hex", "mlxreg",
                                            "mstreg", "named", "raw"};
    element.add("format", names[parsed.format <= ADP_FORMAT_RAW ? parsed.format : 0], "form");
    add(element, parsed.accl, parsed.accl.fields, parsed.accl.profile.adp_retx_profile_id,
        "not in this text");
    record &fields = element.object("fields");
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        if (!has(parsed.accl.fields, n))
            continue;
        fields.data(std::string{reg::accl_field(n).name}, reg::member(parsed.accl, n));
        if (n < ADP_FIELD_TIME_BASE || details > 0)
            element.line(
                adp::format("{:32} {}", reg::accl_field(n).name, reg::member(parsed.accl, n)));
    }
    // The select bits of the text: what the firmware can set, in a read; what is set, in a write.
    record &selects = element.object("selects");
    for (const reg::field &f : reg::roce_accl.fields) {
        if (f.acc != reg::access::select || ((parsed.selects_held >> f.lsb) & 1U) == 0)
            continue;
        const std::uint32_t bit = (parsed.accl.raw[0] >> f.lsb) & 1U;
        selects.data(std::string{f.name}, bit);
        if (parsed.accl.fields == 0 || details > 0)
            element.line(adp::format("{:32} {}", f.name, bit));
    }
    json notes = json::array(), rows = json::array();
    for (const std::string &note : parsed.notes) {
        notes.push_back(note);
        element.line("note: " + note);
    }
    for (const reg::unknown_row &row : parsed.unknown_rows)
        rows.push_back({{"name", row.name}, {"value", row.value}});
    element.data("notes", notes);
    element.data("unknown_rows", rows);
}

} // namespace adp::cli
