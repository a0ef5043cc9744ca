// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What "rdma statistic" prints. Its text is ambiguous where names have blanks (irdma): a name is all
// the words up to a number. 6.1 puts a port on one line, 7.3 each counter on its own.
#include "counter/line_parts.h"

#include <charconv>

namespace adp::counter {

namespace {

std::string_view next_word(std::string_view &rest)
{
    rest = trimmed(rest);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(word.size());
    return word;
}

std::optional<std::uint32_t> to_u32(std::string_view s)
{
    std::uint32_t n = 0;
    const auto [end, err] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (s.empty() || err != std::errc{} || end != s.data() + s.size())
        return std::nullopt;
    return n;
}

std::vector<std::string> by_comma(std::string_view list)
{
    std::vector<std::string> all;
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        if (end != 0)
            all.emplace_back(list.substr(0, end));
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    }
    return all;
}

// The name that these words are: all of them, but when only the last is a name (a command with blanks
// before it), that.
std::string name_of(const std::string &words, std::string_view driver, std::string &left)
{
    const std::size_t blank = words.rfind(' ');
    if (blank == std::string::npos || describe(driver, words).known() ||
        !describe(driver, std::string_view{words}.substr(blank + 1)).known())
        return words;
    left += (left.empty() ? "" : " ") + words.substr(0, blank);
    return words.substr(blank + 1);
}

void read_set(std::string_view &rest, link_text &out)
{
    while (true) {
        std::string_view ahead = rest;
        const std::string_view key = next_word(ahead);
        if (key != "cntn" && key != "qp-type" && key != "pid" && key != "comm")
            return;
        const std::string_view text = next_word(ahead);
        if (key == "cntn")
            out.set = to_u32(text);
        else if (key == "pid")
            out.pid = to_u32(text);
        else if (key == "comm")
            out.comm = text;
        rest = ahead;
    }
}

} // namespace

bool read_link(std::string_view line, link_text &out)
{
    if (line.substr(0, 5) != "link ")
        return false;
    std::string_view rest = line.substr(5);
    const std::string_view link = next_word(rest);
    const std::size_t slash = link.rfind('/');
    if (slash == std::string_view::npos || slash == 0)
        return false;
    out.dev = link.substr(0, slash);
    out.port = to_u32(link.substr(slash + 1));
    if (!out.port)
        return false;
    read_set(rest, out);
    const std::string_view driver = driver_of_device(out.dev);
    std::string name;
    while (!(rest = trimmed(rest)).empty()) {
        const std::string_view word = next_word(rest);
        if (word == "optional-counters") {
            const bool all = name == "supported";
            (all ? out.optional_known : out.optional_on) = by_comma(next_word(rest));
            name.clear();
        } else if (!looks_like_number(word)) {
            name += (name.empty() ? "" : " ") + std::string{word};
        } else if (name.empty()) {
            out.left += (out.left.empty() ? "" : " ") + std::string{word};
        } else {
            out.values.emplace_back(name_of(name, driver, out.left), word);
            name.clear();
        }
    }
    if (!name.empty())
        out.left += (out.left.empty() ? "" : " ") + name.substr(0, 80);
    if (out.left.size() > 160)
        out.left.resize(160);
    return true;
}

std::vector<std::uint32_t> read_lqpn(std::string_view line)
{
    std::vector<std::uint32_t> all;
    const std::size_t at = line.find("LQPN: <");
    if (at == std::string_view::npos)
        return all;
    line.remove_prefix(at + 7);
    for (const std::string &n : by_comma(line.substr(0, line.find('>'))))
        if (const auto qpn = to_u32(n))
            all.push_back(*qpn);
    return all;
}

} // namespace adp::counter
