// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From a table, as found, to a register.
#include "register/text_forms.h"
#include "register/text_table.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

bool of_another_register(const text_table &t)
{
    if (t.register_id && *t.register_id != roce_accl_id)
        return true;
    if (!t.register_name.empty() && !same_word(t.register_name, roce_accl.name))
        return true;
    return !t.raw && std::none_of(t.rows.begin(), t.rows.end(), [](const table_row &r) {
        return find_accl_field(r.name) != nullptr;
    });
}

std::string register_of(const text_table &t)
{
    if (t.register_id)
        return adp::format("register 0x{:x}", *t.register_id);
    if (!t.register_name.empty())
        return "register " + shown(t.register_name);
    return "a register without any field of ROCE_ACCL";
}

// In a table a value is a number and nothing else.
result<std::uint32_t> cell(const table_row &r)
{
    auto value = number(r.value);
    if (!value)
        return bad(r.at, adp::format("{}: {}", r.name, value.err().reason));
    return value;
}

result<parsed> read_named(const text_table &t)
{
    collector values;
    for (const table_row &r : t.rows) {
        const auto value = cell(r);
        if (!value)
            return value.err();
        const field *const f = find_accl_field(r.name);
        if (f == nullptr)
            values.add_unknown(r.name, *value);
        else if (const auto added = values.add(*f, *value, r.at); !added)
            return added.err();
    }
    return std::move(values).finish(ADP_FORMAT_NAMED);
}

result<parsed> read_raw(const text_table &t)
{
    accl_image image{};
    std::uint32_t expected = 0;
    std::uint32_t tail = 0; // bits behind the register
    constexpr std::uint32_t end = roce_accl_dwords * 4;
    for (const table_row &r : t.rows) {
        const place line{r.at.line, 0};
        const auto address = number(r.name);
        if (!address)
            return bad(line, "address " + address.err().reason);
        const auto value = cell(r);
        if (!value)
            return value.err();
        if (*address % 4 != 0)
            return bad(line, adp::format("address 0x{:x} is not a multiple of 4", *address));
        if (*address < expected)
            return bad(line, adp::format("address 0x{:x} is {}, 0x{:x} was expected", *address,
                                         *address + 4 == expected ? "given twice" : "out of order",
                                         expected));
        if (*address > expected)
            return bad(line, *address == expected + 4
                                 ? adp::format("address 0x{:x} is missing before this", expected)
                                 : adp::format("addresses 0x{:x} to 0x{:x} are missing before this",
                                               expected, *address - 4));
        if (*address < end)
            image[*address / 4] = *value;
        else
            tail |= *value;
        expected += 4;
    }
    if (expected < end)
        return bad({t.rows.back().at.line, 0},
                   adp::format("the table ends at 0x{:x}; addresses 0x{:x} to 0x{:x} are missing",
                               expected - 4, expected, end - 4),
                   "give all 16 rows (--reg_len 0x40)");
    parsed out = from_image(image, ADP_FORMAT_RAW);
    if (expected > end)
        out.notes.push_back(adp::format(
            "the table has {} bytes, the register {}; {}", expected, end,
            tail == 0 ? "the rest is 0 and was left out"
                      : "the rest is not all 0, its meaning is not known and it was left out"));
    return out;
}

// The last complete one; a table that is cut only where there is no other.
const text_table *choose(const std::vector<text_table> &tables)
{
    const text_table *last = nullptr;
    for (const text_table &t : tables)
        if (!of_another_register(t) && (last == nullptr || t.closed || !last->closed))
            last = &t;
    return last;
}

void add_notes(const text_table &chosen, const std::vector<text_table> &tables, parsed &out)
{
    auto notes = std::move(out.notes);
    out.notes.clear();
    if (tables.size() > 1)
        out.notes.push_back(adp::format("the text holds {} tables; read: the last complete one, "
                                        "from line {}",
                                        tables.size(), chosen.line));
    for (const text_table &t : tables) {
        if (&t != &chosen && of_another_register(t))
            out.notes.push_back(
                adp::format("the table from line {} shows {}", t.line, register_of(t)));
        else if (&t != &chosen && !t.closed)
            out.notes.push_back(
                adp::format("the table from line {} is not complete and was not used", t.line));
    }
    if (!chosen.headed)
        out.notes.push_back(adp::format("the rows from line {} have no heading", chosen.line));
    else if (!chosen.closed)
        out.notes.push_back(adp::format(
            "the table from line {} has no line that ends it: it may be cut", chosen.line));
    if (chosen.preview)
        out.notes.emplace_back(
            "the table is what a set announced before it asked for confirmation, not a reading");
    if (!chosen.strays.empty())
        out.notes.push_back(adp::format("{} line{} between the rows of the table {} no row, first "
                                        "line {}",
                                        chosen.strays.size(), chosen.strays.size() == 1 ? "" : "s",
                                        chosen.strays.size() == 1 ? "is" : "are",
                                        chosen.strays.front()));
    out.notes.insert(out.notes.end(), notes.begin(), notes.end());
}

} // namespace

std::optional<result<parsed>> parse_tables(std::string_view text)
{
    const auto tables = find_tables(text);
    if (tables.empty())
        return std::nullopt;
    const text_table *const chosen = choose(tables);
    if (chosen == nullptr)
        return bad({tables.back().line, 0},
                   adp::format("the table shows {}, not ROCE_ACCL (0x{:x})",
                               register_of(tables.back()), roce_accl_id));
    auto out = chosen->raw ? read_raw(*chosen) : read_named(*chosen);
    if (out)
        add_notes(*chosen, tables, *out);
    return out;
}

} // namespace adp::reg
