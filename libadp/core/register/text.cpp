// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text.h"

#include "immortal.h"
#include "register/text_forms.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>

namespace adp::reg {

namespace {

// Newer tools print the rows of an ADP profile for any firmware. Where its select bits are 0 they
// mean nothing; such zeros are no values.
void drop_unsupported(parsed &out)
{
    const std::uint32_t clear = out.selects_held & ~out.accl.raw[0];
    if ((clear & select_adp_profile) != 0) {
        out.accl.fields &=
            ~(profile_block_fields() | ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN) |
              ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_MAX_ID) |
              ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM));
        out.notes.emplace_back("adp_retx_profile_select is 0: this register holds no ADP profile");
    }
    if ((clear & select_adp_retrans) != 0)
        out.accl.fields &= ~ADP_FIELD_BIT(ADP_FIELD_ROCE_ADP_RETRANS_EN);
}

} // namespace

result<void> collector::add(const field &f, std::uint32_t value, place where)
{
    const auto before = std::find_if(places_.begin(), places_.end(),
                                     [&f](const auto &given) { return given.first == &f; });
    if (before != places_.end())
        return bad(where, before->second.line == where.line
                              ? adp::format("{} is given twice", f.name)
                              : adp::format("{} is given twice, first in line {}", f.name,
                                            before->second.line));
    if (const auto fits = check_width(f, value); !fits)
        return bad(where, fits.err().reason);
    places_.emplace_back(&f, where);
    put(image_, f, value);
    given_[f.offset / 4U] |= f.mask();
    return {};
}

void collector::add_unknown(std::string_view name, std::uint32_t value)
{
    out_.unknown_rows.push_back({std::string{name}, value});
    note(adp::format("{} (0x{:x}) is not a field that this version knows; it is kept apart", name,
                     value));
}

parsed collector::finish(adp_format format) &&
{
    out_.accl = decode(image_);
    out_.accl.fields = 0;
    for (const auto &[f, where] : places_)
        if (const int n = accl_number(*f); n >= 0)
            out_.accl.fields |= ADP_FIELD_BIT(n);
    out_.selects_held = given_[0];
    out_.format = format;
    if (format == ADP_FORMAT_NAMED || format == ADP_FORMAT_JSON)
        drop_unsupported(out_);
    out_.accl.profile.fields = out_.accl.fields & profile_fields();
    return std::move(out_);
}

const field *find_accl_field(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos)
        return roce_accl.find(name);
    const std::string_view path = name.substr(0, dot);
    const std::string_view leaf = name.substr(dot + 1);
    const std::size_t open = path.rfind('[');
    if (open == std::string_view::npos || !path.ends_with(']'))
        return roce_accl.find(leaf);
    return roce_accl.find(
        adp::format("{}_{}", leaf, path.substr(open + 1, path.size() - open - 2)));
}

std::span<const std::string_view> all_names()
{
    static const auto &names = immortal([] {
        std::vector<std::string_view> all;
        for (const field &f : roce_accl.fields)
            all.push_back(f.name);
        return all;
    }());
    return names;
}

parsed from_image(const accl_image &image, adp_format format)
{
    parsed out{};
    out.accl = decode(image);
    out.format = format;
    out.whole = true;
    out.selects_held = roce_accl.known(0);
    drop_unsupported(out);
    out.accl.profile.fields = out.accl.fields & profile_fields();
    for (std::size_t i = 0; i < image.size(); i++)
        if (out.accl.unknown[i] != 0)
            out.notes.push_back(
                adp::format("bits 0x{:08x} of the dword at 0x{:02x} are set and have "
                            "no known name",
                            out.accl.unknown[i], 4 * i));
    return out;
}

namespace {

// The vendor's tools report errors in lines of this kind.
std::string tool_error(std::string_view text)
{
    for (const text_line &l : lines_of(text))
        if (const std::size_t at = l.text.find("-E-"); at != std::string_view::npos)
            return adp::format("; line {} is an error of the vendor's tool: {}", l.number,
                               shown(trim(l.text.substr(at))));
    return {};
}

result<parsed> parse_cleaned(std::string_view text)
{
    // Output of a tool comes before the command that asked for it; a profile file may quote a
    // command in a comment.
    for (const auto form :
         {parse_json_form, parse_tables, parse_hex, parse_toml_form, parse_command, parse_list})
        if (auto parsed_form = form(text))
            return *std::move(parsed_form);
    return bad({}, "no form of the ROCE_ACCL register was found in the text" + tool_error(text),
               "give the output of mlxreg or mstreg --get, a --set string, 128 hex digits, a TOML "
               "profile file or JSON of 'adp profile show'");
}

} // namespace

result<parsed> parse_text(std::string_view text)
{
    const auto cleaned = clean(text);
    if (!cleaned)
        return cleaned.err();
    return parse_cleaned(*cleaned);
}

} // namespace adp::reg
