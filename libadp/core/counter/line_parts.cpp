// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/line_parts.h"

#include <algorithm>
#include <charconv>

namespace adp::counter {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";
constexpr std::size_t longest_name = 128;

std::vector<std::string_view> split(std::string_view s, std::string_view at)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t begin = s.find_first_not_of(at);
        if (begin == std::string_view::npos)
            return parts;
        s.remove_prefix(begin);
        const std::size_t end = s.find_first_of(at);
        parts.push_back(s.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        s.remove_prefix(end);
    }
}

std::optional<std::uint32_t> small_number(std::string_view s)
{
    std::uint32_t n = 0;
    const auto [end, err] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (s.empty() || err != std::errc{} || end != s.data() + s.size())
        return std::nullopt;
    return n;
}

bool is_value(std::string_view s)
{
    return looks_like_number(s) || s.substr(0, 3) == "N/A";
}

bool known(std::string_view name)
{
    return describe("", name).known() || describe("", name, family::pma).known();
}

// Where a folder of counters ends in the line, and its first character; npos: no such folder.
struct folder_at {
    std::size_t begin = std::string_view::npos;
    std::size_t end = std::string_view::npos;
};
folder_at find_folder(std::string_view line)
{
    folder_at f;
    for (const std::string_view word :
         {std::string_view{"hw_counters"}, std::string_view{"counters"}}) {
        const std::size_t at = line.find(word);
        if (at == std::string_view::npos)
            continue;
        const bool whole = at == 0 || line[at - 1] == '/';
        if (!whole)
            continue;
        const std::size_t before = line.find_last_of(" \t'\"~(", at);
        f.begin = before == std::string_view::npos ? 0 : before + 1;
        f.end = at + word.size();
        return f;
    }
    return f;
}

} // namespace

std::string_view trimmed(std::string_view s)
{
    const std::size_t begin = s.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    return s.substr(begin, s.find_last_not_of(blanks) - begin + 1);
}

counter_path read_path(std::string_view path)
{
    counter_path p;
    const std::vector<std::string_view> parts = split(path, "/");
    std::size_t i = 0;
    while (i < parts.size() && parts[i] != "hw_counters" && parts[i] != "counters")
        i++;
    if (i == parts.size()) {
        if (!parts.empty())
            p.name = parts.back();
        return p;
    }
    p.from = parts[i] == "counters" ? where::pma : where::hw;
    if (i >= 2 && parts[i - 2] == "ports") {
        p.port = small_number(parts[i - 1]);
        if (i >= 3 && parts[i - 3] != "." && parts[i - 3] != "..")
            p.dev = parts[i - 3];
    } else if (i >= 1 && parts[i - 1] != "." && parts[i - 1] != "..") {
        p.dev = parts[i - 1];
        p.at_device = true;
    }
    for (std::size_t j = i + 1; j < parts.size(); j++)
        p.name += (j == i + 1 ? "" : "/") + std::string{parts[j]};
    return p;
}

path_kind split_path_line(std::string_view line, std::string &path, std::string &text)
{
    if (line.size() > 8 && line.substr(0, 4) == "==> " && line.substr(line.size() - 4) == " <==") {
        path = trimmed(line.substr(4, line.size() - 8));
        return path_kind::tail;
    }
    const folder_at f = find_folder(line);
    if (f.end == std::string_view::npos || f.end >= line.size() || line[f.end] != '/') {
        const std::size_t slash = line.find('/');
        const std::size_t sign = std::min(line.find(" = "), line.find(" ! "));
        return f.end == std::string_view::npos && slash < sign && sign != std::string_view::npos
                   ? path_kind::other_file
                   : path_kind::none;
    }
    const std::string_view folder = line.substr(f.begin, f.end + 1 - f.begin);
    const std::string_view rest = line.substr(f.end + 1);
    const auto cut = [&](std::size_t at, std::size_t width) {
        path = std::string{folder} + std::string{trimmed(rest.substr(0, at))};
        text = trimmed(rest.substr(at + width));
        return path_kind::with_value;
    };
    if (rest.find('*') != std::string_view::npos)
        return path_kind::none; // a command: a heading
    if (const std::size_t at = std::min(rest.find(" = "), rest.find(" ! "));
        at != std::string_view::npos)
        return cut(at, 3);
    if (const std::size_t at = rest.find(':'); at != std::string_view::npos)
        return cut(at, 1);
    if (const std::size_t at = rest.find_last_of(blanks);
        at != std::string_view::npos && is_value(rest.substr(at + 1)))
        return cut(at, 1);
    path = std::string{folder} + std::string{trimmed(rest)};
    return path_kind::alone;
}

bool read_tool_error(std::string_view line, std::string &path, std::string &reason)
{
    static constexpr std::string_view tools[] = {
        "grep: ", "cat: ", "tail: ", "head: ", "more: ", "egrep: "};
    const auto tool = std::find_if(std::begin(tools), std::end(tools), [&](std::string_view t) {
        return line.substr(0, t.size()) == t;
    });
    if (tool == std::end(tools))
        return false;
    line.remove_prefix(tool->size());
    for (const std::string_view words : {"error reading ", "cannot open "})
        if (line.substr(0, words.size()) == words)
            line.remove_prefix(words.size());
    const std::size_t at = line.rfind(": ");
    if (at == std::string_view::npos)
        return true;
    std::string_view file = trimmed(line.substr(0, at));
    for (const std::string_view tail : {" for reading"})
        if (file.size() > tail.size() && file.substr(file.size() - tail.size()) == tail)
            file.remove_suffix(tail.size());
    while (!file.empty() && (file.front() == '\'' || file.front() == '"'))
        file.remove_prefix(1);
    while (!file.empty() && (file.back() == '\'' || file.back() == '"'))
        file.remove_suffix(1);
    path = file;
    reason = trimmed(line.substr(at + 2));
    return true;
}

bool read_heading(std::string_view line, counter_path &out)
{
    if (line.size() > 2 && line.front() == '[' && line.back() == ']') {
        out = {};
        out.dev = trimmed(line.substr(1, line.size() - 2));
        return !out.dev.empty();
    }
    const std::vector<std::string_view> words = split(line, " \t:");
    if (words.size() >= 3 && (words[0] == "Port" || words[0] == "port") &&
        words.back() == "counters") {
        out = {};
        out.port = small_number(words[1]);
        return out.port.has_value();
    }
    const folder_at f = find_folder(line);
    if (f.end == std::string_view::npos)
        return false;
    std::string_view path = line.substr(f.begin, f.end - f.begin);
    // A prompt: "root@host:/sys/..."
    if (const std::size_t colon = path.find(":/"); colon != std::string_view::npos)
        path.remove_prefix(colon + 1);
    out = read_path(path);
    return !out.dev.empty() || out.port;
}

bool split_pair(std::string_view line, std::string &name, std::string &text)
{
    const auto accept = [&](std::string_view n, std::string_view t) {
        n = trimmed(n);
        t = trimmed(t);
        while (!n.empty() && (n.back() == '.' || n.back() == ':' || n.back() == '='))
            n = trimmed(n.substr(0, n.size() - 1));
        if (n.empty() || n.size() > longest_name || !is_value(t) || looks_like_number(n) ||
            n == "total")
            return false;
        if (n.find_first_of(blanks) != std::string_view::npos && !known(n))
            return false;
        name = n;
        text = t;
        return true;
    };
    if (const std::size_t at = line.find(" = ");
        at != std::string_view::npos && accept(line.substr(0, at), line.substr(at + 3)))
        return true;
    if (const std::size_t at = line.find(':');
        at != std::string_view::npos && accept(line.substr(0, at), line.substr(at + 1)))
        return true;
    if (const std::size_t at = line.find(" N/A");
        at != std::string_view::npos && accept(line.substr(0, at), line.substr(at + 1)))
        return true;
    const std::size_t at = line.find_last_of(blanks);
    if (at != std::string_view::npos)
        return accept(line.substr(0, at), line.substr(at + 1));
    // perfquery: "PortRcvErrors:...................0"
    const std::size_t digits = line.find_last_not_of("0123456789");
    return digits != std::string_view::npos && digits + 1 < line.size() && line[digits] == '.' &&
           accept(line.substr(0, digits), line.substr(digits + 1));
}

std::vector<std::string> read_names(std::string_view line)
{
    const std::vector<std::string_view> words = split(line, blanks);
    if (words.empty() || words.front().size() > longest_name)
        return {};
    if (words.front().size() == 10 &&
        std::string_view{"-dlcbps"}.find(words.front().front()) != std::string_view::npos &&
        words.front().find_first_not_of("-rwxsStTdlcbp") == std::string_view::npos) {
        std::string name;
        for (std::size_t i = 8; i < words.size(); i++)
            name += (i == 8 ? "" : " ") + std::string{words[i]};
        return name.empty() ? std::vector<std::string>{} : std::vector<std::string>{name};
    }
    if (words.size() == 1 && words[0].find('/') == std::string_view::npos)
        return {std::string{words[0]}};
    if (known(line))
        return {std::string{line}};
    if (!std::all_of(words.begin(), words.end(), known))
        return {};
    return {words.begin(), words.end()};
}

bool is_comment(std::string_view line)
{
    return line.front() == '#' || line.substr(0, 2) == "$ " || line.substr(0, 7) == "source:" ||
           line.substr(0, 6) == "total " || line.substr(0, 2) == "//";
}

} // namespace adp::counter
