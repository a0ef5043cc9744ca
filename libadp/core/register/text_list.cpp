// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Lines of NAME=VALUE or NAME VALUE, telling them from a profile file, and the command line's words.
#include "register/text_document.h"
#include "register/text_set.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

// The lines that are neither empty nor a comment, without comments at their end.
std::vector<text_line> code_lines(std::string_view text)
{
    std::vector<text_line> lines;
    for (text_line l : lines_of(text)) {
        l.text = trim(l.text.substr(0, std::min(l.text.find('#'), l.text.size())));
        if (!l.text.empty())
            lines.push_back(l);
    }
    return lines;
}

bool is_key(std::string_view s)
{
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '"' || c == '\'';
    });
}

// "[name]" or "[[name]]"
bool is_header(std::string_view line)
{
    if (!line.starts_with('[') || !line.ends_with(']'))
        return false;
    line.remove_prefix(line.starts_with("[[") ? 2 : 1);
    line.remove_suffix(line.ends_with("]]") ? 2 : 1);
    line = trim(line);
    return !line.empty() && std::all_of(line.begin(), line.end(), [](char c) {
        return c == '.' || is_key(std::string_view{&c, 1});
    });
}

// A field of the register that a profile file has no key for.
bool is_foreign(std::string_view key)
{
    const field *const f = find_accl_field(key);
    if (f == nullptr)
        return false;
    const int n = accl_number(*f);
    if (n < 0)
        return true;
    return (profile_fields() & ADP_FIELD_BIT(n)) == 0 ||
           f->name != document_key(static_cast<std::uint32_t>(n));
}

// A profile file: headers and lines of "key = value". One assignment alone, one with a comma behind
// it, and names that a profile file does not have make a --set string or a list of settings.
bool is_toml(const std::vector<text_line> &lines)
{
    if (lines.empty() || std::any_of(lines.begin(), lines.end(), [](const text_line &l) {
            return l.text.find("--set") != std::string_view::npos; // a script or a unit file
        }))
        return false;
    if (is_header(lines[0].text))
        return true;
    for (const text_line &l : lines) {
        if (is_header(l.text))
            break;
        const std::size_t equals = l.text.find('=');
        const std::string_view key = trim(l.text.substr(0, std::min(equals, l.text.size())));
        if (equals != std::string_view::npos && is_foreign(key))
            return false;
    }
    const std::string_view first = lines[0].text;
    const std::size_t equals = first.find('=');
    if (equals == std::string_view::npos || !is_key(trim(first.substr(0, equals))))
        return false;
    const std::string_view value = trim(first.substr(equals + 1));
    const bool nested =
        !value.empty() && std::string_view{"[{\"'"}.find(value[0]) != std::string_view::npos;
    if (!nested && value.find_first_of(",=") != std::string_view::npos)
        return false;
    const bool spaced = equals > 0 && (is_blank(first[equals - 1]) ||
                                       (equals + 1 < first.size() && is_blank(first[equals + 1])));
    return lines.size() > 1 || spaced || nested;
}

// One line of a dump: "name value", "name: value", "name=value".
struct dump_line {
    std::string_view name;
    std::string_view value;
    bool blank = true; // what stands between them
};
dump_line split_dump(std::string_view line)
{
    const std::size_t end = std::min(line.find_first_of(" \t:="), line.size());
    dump_line l{line.substr(0, end), trim(line.substr(end)), true};
    if (!l.value.empty() && (l.value[0] == ':' || l.value[0] == '=')) {
        l.value = trim(l.value.substr(1));
        l.blank = false;
    }
    return l;
}

// The field whose name a line begins with, quoted or not, whatever follows.
const field *named_first(std::string_view line)
{
    if (!line.empty() && (line[0] == '"' || line[0] == '\''))
        line.remove_prefix(1);
    const auto end = std::find_if_not(line.begin(), line.end(), [](char c) {
        return (is_key({&c, 1}) && c != '-' && c != '"' && c != '\'') || c == '.' || c == '[' ||
               c == ']';
    });
    return find_accl_field(line.substr(0, static_cast<std::size_t>(end - line.begin())));
}

// What scripts keep of a dump, a field in a line.
std::optional<result<parsed>> parse_dump(const std::vector<text_line> &lines)
{
    collector values;
    bool any = false;
    std::size_t others = 0;
    for (const text_line &l : lines) {
        const auto [name, text, blank] = split_dump(l.text);
        const field *const f = find_accl_field(name);
        const auto value = number(text);
        if (f == nullptr || (!value && !blank)) {
            // "12:30" and the like are no fields.
            const bool unknown = f == nullptr && value && is_key(name) &&
                                 (blank || name.find('_') != std::string_view::npos);
            if (const field *const begun = named_first(l.text); begun != nullptr)
                values.note(adp::format("line {} begins with {} and was not understood: {}",
                                        l.number, begun->name, shown(l.text)));
            else if (unknown)
                values.add_unknown(name, *value);
            else
                others++;
            continue;
        }
        const place at{l.number, 0};
        if (!value)
            return bad(at, adp::format("{}: {}", f->name, value.err().reason));
        if (const auto added = values.add(*f, *value, at); !added)
            return added.err();
        any = true;
    }
    if (!any)
        return std::nullopt;
    if (others != 0)
        values.note(adp::format("{} other line{}", others, others == 1 ? "" : "s"));
    return std::move(values).finish(ADP_FORMAT_NAMED);
}

} // namespace

std::optional<result<parsed>> parse_toml_form(std::string_view text)
{
    if (!is_toml(code_lines(text)))
        return std::nullopt;
    const auto file = parse_toml(text);
    if (!file)
        return file.err();
    return read_profile(*file, ADP_FORMAT_TOML);
}

std::optional<result<parsed>> parse_list(std::string_view text)
{
    const auto lines = code_lines(text);
    if (lines.empty())
        return std::nullopt;
    const std::string_view name =
        trim(lines[0].text.substr(0, std::min(lines[0].text.find('='), lines[0].text.size())));
    if (lines[0].text.find('=') == std::string_view::npos || (!is_key(name) && !is_raw_name(name)))
        return parse_dump(lines);
    const auto list = split_assignments(text, {1, 1});
    if (!list)
        return list.err();
    return read_assignments(*list);
}

result<parsed> parse_assignments(std::span<const std::string> words)
{
    if (words.empty())
        return bad({}, "no field was named");
    std::vector<assignment> list;
    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i].find('=') != std::string::npos) {
            const auto some = split_assignments(words[i], {});
            if (!some)
                return some.err();
            list.insert(list.end(), some->begin(), some->end());
            continue;
        }
        if (find_accl_field(words[i]) == nullptr) // before its value is missed
            return bad({}, adp::format("{} is not a field of ROCE_ACCL{}", shown(words[i]),
                                       did_you_mean(words[i], all_names())));
        if (i + 1 == words.size())
            return bad({}, adp::format("{}: a value is missing", words[i]));
        list.push_back({words[i], words[i + 1], {}, {}});
        i++;
    }
    for (const assignment &a : list) {
        if (is_raw_name(a.name))
            return bad({},
                       adp::format("{}: raw bits have no place here; name a field", shown(a.name)));
        const field *const f = find_accl_field(a.name);
        if (f != nullptr && f->acc == access::select)
            return bad(
                {}, adp::format("{} is a select bit, which is set as needed; name the field that "
                                "it guards",
                                f->name));
        if (f != nullptr && f->acc == access::ro)
            return bad({}, adp::format("{} is read only", f->name));
    }
    return read_assignments(list);
}

} // namespace adp::reg
