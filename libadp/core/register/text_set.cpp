// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text_set.h"
#include "text/format.h"

#include <algorithm>
#include <bit>

namespace adp::reg {

namespace {

// Walks over a text and knows where it is.
class walker {
  public:
    walker(std::string_view text, place where) : text_(text), at_(where) {}

    bool done() const { return i_ >= text_.size(); }
    char now() const { return text_[i_]; }
    place at() const { return at_; }

    void step()
    {
        if (now() == '\n')
            at_ = {at_.line + 1, 1};
        else
            at_.column++;
        i_++;
    }

    // Skips what wanted accepts.
    template <typename F> std::string_view take(F wanted)
    {
        const std::size_t from = i_;
        while (!done() && wanted(now()))
            step();
        return text_.substr(from, i_ - from);
    }

    void skip_blanks_and_comments()
    {
        take(is_blank);
        while (!done() && now() == '#') {
            take([](char c) { return c != '\n'; });
            take(is_blank);
        }
    }

  private:
    std::string_view text_;
    place at_;
    std::size_t i_ = 0;
};

bool within_line(char c)
{
    return is_blank(c) && c != '\n';
}

// One bit field of a raw string.
struct raw_token {
    std::uint32_t dword = 0;
    std::uint32_t mask = 0;
    std::uint32_t bits = 0;
};

result<raw_token> read_raw_token(const assignment &a)
{
    const std::size_t dot = a.name.find('.');
    const std::size_t colon = a.name.find(':', dot == std::string_view::npos ? 0 : dot);
    const auto part = [&a](std::string_view what, std::string_view token) {
        auto n = number(token);
        return n ? n
                 : result<std::uint32_t>{
                       bad(a.at, adp::format("{} of {}: {}", what, shown(a.name), n.err().reason))};
    };
    const auto address = part("address", a.name.substr(0, dot));
    if (!address)
        return address.err();
    const auto offset = part("offset", a.name.substr(dot + 1, colon - dot - 1));
    if (!offset)
        return offset.err();
    const auto size = part("size", a.name.substr(colon + 1));
    if (!size)
        return size.err();
    const auto value = number(a.value);
    if (!value)
        return bad(a.value_at, adp::format("value of {}: {}", a.name, value.err().reason));
    if (*address % 4 != 0)
        return bad(a.at, adp::format("address 0x{:x} is not a multiple of 4", *address));
    if (*address >= roce_accl_dwords * 4)
        return bad(a.at,
                   adp::format("address 0x{:x} is behind the register, which has 0x{:x} bytes",
                               *address, roce_accl_dwords * 4));
    if (*size == 0 || *size > 32 || *offset > 31 || *offset + *size > 32)
        return bad(a.at, adp::format("offset {} and size {} do not lie within a dword of 32 bits",
                                     *offset, *size));
    const field f{a.name,
                  static_cast<std::uint16_t>(*address),
                  static_cast<std::uint8_t>(*offset),
                  static_cast<std::uint8_t>(*size),
                  access::rw,
                  -1,
                  {},
                  {}};
    if (const auto fits = check_width(f, *value); !fits)
        return bad(a.value_at, fits.err().reason);
    return raw_token{*address / 4, f.mask(), *value << *offset};
}

// A select dword in the string is taken literally by the firmware: what it leaves out is ignored.
void note_unselected(parsed &out)
{
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        const field &f = accl_field(n);
        if ((out.accl.fields & ADP_FIELD_BIT(n)) != 0 && f.select >= 0 &&
            ((out.selects_held & ~out.accl.raw[0]) >> f.select & 1U) != 0)
            out.notes.push_back(
                adp::format("{} is given, but its select bit {} is 0: the firmware would ignore it",
                            f.name, f.select));
    }
}

void note_read_only(parsed &out)
{
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((out.accl.fields & ADP_FIELD_BIT(n)) != 0 && accl_field(n).acc == access::ro)
            out.notes.push_back(
                adp::format("{} is read only; it cannot be set", accl_field(n).name));
}

result<parsed> read_raw(const std::vector<assignment> &list)
{
    accl_image image{};
    accl_image given{};
    std::vector<raw_token> tokens;
    for (const assignment &a : list) {
        const auto t = read_raw_token(a);
        if (!t)
            return t.err();
        if (const std::uint32_t twice = given[t->dword] & t->mask; twice != 0)
            return bad(a.at, adp::format("{}: bit {} of 0x{:x} is given twice", a.name,
                                         std::countr_zero(twice), t->dword * 4));
        given[t->dword] |= t->mask;
        image[t->dword] |= t->bits;
        tokens.push_back(*t);
    }
    parsed out{};
    out.accl = decode(image);
    out.accl.fields = 0;
    for (const field &f : roce_accl.fields) {
        const std::size_t dword = f.offset / 4U;
        const std::uint32_t held = given[dword] & f.mask();
        if (held == f.mask() && f.acc != access::select)
            out.accl.fields |= ADP_FIELD_BIT(accl_number(f));
        if (held == 0 || held == f.mask())
            continue;
        const auto part = std::find_if(tokens.begin(), tokens.end(), [&](const raw_token &t) {
            return t.dword == dword && (t.mask & f.mask()) != 0;
        });
        const auto &a = list[static_cast<std::size_t>(part - tokens.begin())];
        return bad(a.at, adp::format("{} gives only a part of {} (bits {}:{} of 0x{:x})", a.name,
                                     f.name, f.lsb + f.width - 1, f.lsb, f.offset));
    }
    out.accl.profile.fields = out.accl.fields & profile_fields();
    out.selects_held = given[0] & roce_accl.known(0);
    out.format = ADP_FORMAT_MSTREG;
    for (std::size_t i = 0; i < image.size(); i++)
        if (out.accl.unknown[i] != 0)
            out.notes.push_back(
                adp::format("bits 0x{:08x} of the dword at 0x{:x} have no known name",
                            out.accl.unknown[i], 4 * i));
    note_unselected(out);
    note_read_only(out);
    return out;
}

result<parsed> read_named(const std::vector<assignment> &list)
{
    collector values;
    for (const assignment &a : list) {
        const field *const f = find_accl_field(a.name);
        if (f == nullptr)
            return bad(a.at, adp::format("{} is not a field of ROCE_ACCL{}", shown(a.name),
                                         did_you_mean(a.name, all_names())));
        const auto value = number(a.value);
        if (!value)
            return bad(a.value_at, adp::format("{}: {}", f->name, value.err().reason));
        if (const auto added = values.add(*f, *value, a.value_at); !added)
            return added.err();
    }
    parsed out = std::move(values).finish(ADP_FORMAT_MLXREG);
    note_unselected(out);
    note_read_only(out);
    return out;
}

} // namespace

bool is_raw_name(std::string_view name)
{
    const std::size_t dot = name.find('.');
    return !name.empty() && name[0] >= '0' && name[0] <= '9' && dot != std::string_view::npos &&
           name.find(':', dot) != std::string_view::npos;
}

result<std::vector<assignment>> split_assignments(std::string_view text, place where)
{
    std::vector<assignment> list;
    walker w(text, where);
    w.skip_blanks_and_comments();
    while (!w.done()) {
        assignment a;
        a.at = w.at();
        a.name = w.take([](char c) { return !is_blank(c) && c != '=' && c != ',' && c != '#'; });
        if (a.name.empty())
            return bad(a.at, w.now() == ',' ? "nothing before the comma" : "no name before '='");
        w.take(within_line);
        if (w.done() || w.now() != '=')
            return bad(a.at, adp::format("{}: '=' and a value are missing", shown(a.name)));
        w.step();
        w.take(within_line);
        a.value_at = w.at();
        a.value = w.take([](char c) { return !is_blank(c) && c != ',' && c != '#'; });
        list.push_back(a);
        w.skip_blanks_and_comments();
        if (w.done() || w.now() != ',')
            continue;
        w.step();
        w.skip_blanks_and_comments();
        if (w.done())
            return bad(w.at(), "nothing behind the last comma");
    }
    if (list.empty())
        return bad(where, "no assignment");
    return list;
}

result<parsed> read_assignments(const std::vector<assignment> &list)
{
    const bool raw = is_raw_name(list.front().name);
    for (const assignment &a : list)
        if (is_raw_name(a.name) != raw)
            return bad(a.at, adp::format("{}: names and raw bits in one string", shown(a.name)));
    return raw ? read_raw(list) : read_named(list);
}

} // namespace adp::reg
