// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "register/text_document.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

place place_of(const toml::source_region &source)
{
    return {source.begin.line, source.begin.column};
}

node convert(const toml::node &from, int depth);

node convert_leaf(const toml::node &from)
{
    node to;
    to.kind = node_kind::other;
    if (const auto *s = from.as_string()) {
        to.kind = node_kind::string;
        to.text = s->get();
    } else if (const auto *b = from.as_boolean()) {
        to.kind = node_kind::boolean;
        to.number = b->get() ? 1 : 0;
    } else if (const auto *i = from.as_integer()) {
        to.text = std::to_string(i->get());
        if (i->get() >= 0) {
            to.kind = node_kind::number;
            to.number = static_cast<std::uint64_t>(i->get());
        }
    } else if (const auto *f = from.as_floating_point()) {
        to.text = adp::format("{}", f->get());
    } else {
        to.text = "a date or time";
    }
    return to;
}

// Deeper than any profile is of no interest.
constexpr int max_depth = 8;

node convert(const toml::node &from, int depth)
{
    node to;
    if (const auto *table = from.as_table()) {
        to.kind = node_kind::object;
        if (depth < max_depth)
            for (const auto &[key, value] : *table) {
                node child = convert(value, depth + 1);
                child.key = std::string{key.str()};
                to.children.push_back(std::move(child));
            }
        // toml++ sorts by key; messages follow the file.
        std::stable_sort(to.children.begin(), to.children.end(), [](const node &a, const node &b) {
            return a.at.line != b.at.line ? a.at.line < b.at.line : a.at.column < b.at.column;
        });
    } else if (const auto *array = from.as_array()) {
        to.kind = node_kind::array;
        if (depth < max_depth)
            for (const auto &value : *array)
                to.children.push_back(convert(value, depth + 1));
    } else {
        to = convert_leaf(from);
    }
    to.at = place_of(from.source());
    return to;
}

// What toml++ 3.3 does not stand: it nests one table for each dot of a key, without a limit, and
// frees them recursively; and it takes for granted that a key follows the bracket of a header.
std::optional<error> not_for_the_parser(std::string_view text)
{
    constexpr std::ptrdiff_t most_dots = 32;
    for (const text_line &l : lines_of(text)) {
        const std::string_view code =
            trim(l.text.substr(0, std::min(l.text.find('#'), l.text.size())));
        if (std::count(code.begin(), code.end(), '.') > most_dots)
            return bad({l.number, 0}, "TOML: too many dots for a profile");
        if (!code.starts_with('['))
            continue;
        const std::string_view name = trim(code.substr(code.starts_with("[[") ? 2 : 1));
        const bool key = !name.empty() && ((name[0] >= 'a' && name[0] <= 'z') ||
                                           (name[0] >= 'A' && name[0] <= 'Z') || name[0] == '_');
        if (!key)
            return bad({l.number, 0}, "TOML: no name behind the bracket");
    }
    return std::nullopt;
}

} // namespace

result<node> parse_toml(std::string_view text)
{
    if (auto why = not_for_the_parser(text))
        return *std::move(why);
    const toml::parse_result file = toml::parse(text);
    if (!file)
        return bad(place_of(file.error().source()),
                   adp::format("TOML: {}", file.error().description()));
    return convert(file.table(), 0);
}

} // namespace adp::reg
