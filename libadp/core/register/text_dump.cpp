// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text_dump.h"

#include "register/text_write.h"

namespace adp::reg {

namespace {

struct enum_text {
    std::string_view field; // without the number of a range
    std::uint32_t value;
    std::string_view text;
};

// mstflint's register table.
constexpr enum_text enums[] = {
    {"cc_burst_size", 0, "4 KB"},
    {"cc_burst_size", 1, "8 KB"},
    {"cc_burst_size", 2, "16 KB"},
    {"cc_burst_size", 7, "1.5 KB"},
    {"cc_probe_mp_mode", 0, "accept"},
    {"cc_probe_mp_mode", 1, "discard"},
    {"dec_mode", 0, "divide by 4"},
    {"dec_mode", 1, "divide by 2"},
    {"dec_mode", 2, "to the low bound"},
    {"bin_width_mode", 0, "all as bin 1"},
    {"bin_width_mode", 1, "each twice the one before"},
};

constexpr std::string_view no_meaning = "reserved";

// time_unit means other things in other registers.
constexpr enum_text profile_units[] = {{"time_unit", 1, "microseconds"}};
constexpr enum_text histogram_units[] = {{"time_unit", 0, "nanoseconds"},
                                         {"time_unit", 1, "microseconds"},
                                         {"time_unit", 2, "100 microseconds"},
                                         {"time_unit", 3, "milliseconds"}};

std::string_view without_range(std::string_view name)
{
    const bool ranged = name.size() > 2 && name[name.size() - 2] == '_' && name.back() >= '0' &&
                        name.back() < '0' + ADP_MAX_RANGES;
    return ranged ? name.substr(0, name.size() - 2) : name;
}

std::string look_up(std::span<const enum_text> texts, std::string_view name, std::uint32_t value,
                    bool &known)
{
    for (const enum_text &e : texts) {
        known = known || e.field == name;
        if (e.field == name && e.value == value)
            return std::string{e.text};
    }
    return {};
}

std::string meaning_of(const layout &l, const field &f, std::uint32_t value)
{
    const std::string_view name = without_range(f.name);
    const bool accl = l.id == roce_accl_id;
    bool known = false;
    std::string text = look_up(enums, name, value, known);
    if (!known)
        text = look_up(accl ? std::span<const enum_text>{profile_units}
                            : std::span<const enum_text>{histogram_units},
                       name, value, known);
    return known && text.empty() ? std::string{no_meaning} : text;
}

support support_of(const field &f, std::span<const std::uint32_t> image)
{
    if (f.select < 0 || image.empty())
        return support::not_told;
    return ((image[0] >> f.select) & 1U) != 0 ? support::yes : support::no;
}

} // namespace

register_dump dump(const layout &l, std::span<const std::uint32_t> image)
{
    register_dump d;
    for (const field &f : l.fields) {
        const std::uint32_t value = get(image, f);
        d.rows.push_back({&f, value, support_of(f, image), meaning_of(l, f, value)});
    }
    for (std::size_t i = 0; i < image.size() && i * 4 < l.size; i++)
        if (const std::uint32_t bits = image[i] & ~l.known(i); bits != 0)
            d.unknown.push_back({static_cast<std::uint16_t>(i * 4), bits});
    return d;
}

bool without_a_meaning(const field &f, std::uint32_t value)
{
    return meaning_of(roce_accl, f, value) == no_meaning;
}

std::string_view access_name(access a)
{
    switch (a) {
    case access::ro: return "RO";
    case access::index: return "INDEX";
    case access::select: return "SELECT";
    default: return "RW";
    }
}

write_preview preview(const accl_image &before, const adp_accl &to, std::uint64_t fields,
                      std::string_view dev)
{
    fields &= writable_fields();
    write_preview p;
    p.before = before;
    p.after = before;
    encode(to, fields, p.after);
    p.written = p.after;
    p.written[0] = select_bits(fields);
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if (get(p.before, accl_field(n)) != get(p.after, accl_field(n)))
            p.changed |= ADP_FIELD_BIT(n);
    p.command = mstreg_command(to, fields, dev);
    return p;
}

std::string command_for(const accl_image &written, std::string_view dev)
{
    const std::uint64_t fields = supported_fields(written[0]) & writable_fields();
    return mstreg_command(decode(written), fields, dev);
}

} // namespace adp::reg
