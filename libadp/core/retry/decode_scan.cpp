// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/decode_scan.h"

#include "retry/decode.h"

#include <algorithm>
#include <charconv>

namespace adp::retry::scan {

namespace {

bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

struct phrase {
    std::string_view text;
    std::uint32_t status;
};

// Where the value of a key begins that stands as a word of its own, searched from a position on.
std::size_t value_after(std::string_view s, std::string_view key, std::size_t from)
{
    for (std::size_t p = s.find(key, from); p != std::string_view::npos; p = s.find(key, p + 1)) {
        if (p != 0 && is_word(s[p - 1]))
            continue;
        std::size_t at = p + key.size();
        if (at < s.size() && is_word(s[at]) && is_word(key.back()))
            continue;
        while (at < s.size() &&
               (s[at] == ' ' || s[at] == '=' || s[at] == ':' || s[at] == '#' || s[at] == '('))
            at++;
        return at;
    }
    return std::string_view::npos;
}

// What people shorten the texts to; looked for after the texts themselves.
constexpr phrase short_phrases[] = {
    {"rnr retry exceeded", 13},  {"rnr_retry_exc", 13},        {"rnr-retry-exceeded", 13},
    {"retry-exceeded", 12},      {"retry exceeded", 12},       {"retry_exc", 12},
    {"retries exceeded", 12},    {"retry count exceeded", 12}, {"wr_flush", 5},
    {"work request flushed", 5},
};

// Texts of one or two common words, which stand in any log.
bool too_common(std::string_view text)
{
    return text == "success" || text == "invalid request error" || text == "fatal error" ||
           text == "general error" || text == "local length" || text == "local access" ||
           text == "remote access" || text == "remote qp" || text == "bad response" ||
           text == "local protection" || text == "memory window bind" ||
           text == "operation aborted" || text == "aborted error" || text == "tm error";
}

} // namespace

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

std::string lowered(std::string_view s)
{
    std::string out(s);
    for (char &c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::optional<number> number_at(std::string_view s, std::size_t at, int base)
{
    number n;
    n.hex = at + 1 < s.size() && s[at] == '0' && s[at + 1] == 'x';
    if (n.hex) {
        at += 2;
        base = 16;
    }
    const auto [end, ec] = std::from_chars(s.data() + at, s.data() + s.size(), n.value, base);
    if (ec != std::errc{})
        return std::nullopt;
    n.end = static_cast<std::size_t>(end - s.data());
    // A number that runs on into letters is none (a GUID, a version).
    if (n.end < s.size() && is_word(s[n.end]))
        return std::nullopt;
    return n;
}

std::optional<number> number_after(std::string_view s, std::string_view key, int base)
{
    for (std::size_t at = value_after(s, key, 0); at != std::string_view::npos;
         at = value_after(s, key, at))
        if (const std::optional<number> n = number_at(s, at, base))
            return n;
    return std::nullopt;
}

std::string_view too_large_after(std::string_view s, std::string_view key, std::uint32_t most)
{
    for (std::size_t at = value_after(s, key, 0); at != std::string_view::npos;
         at = value_after(s, key, at)) {
        std::size_t end = at;
        while (end < s.size() && is_word(s[end]))
            end++;
        const std::string_view word = s.substr(at, end - at);
        const bool hex = word.starts_with("0x") && word.size() > 2;
        const std::string_view digits = hex ? word.substr(2) : word;
        if (digits.empty() || !std::all_of(digits.begin(), digits.end(), hex ? is_hex : is_digit))
            continue;
        if (const std::optional<number> n = number_at(s, at); !n || n->value > most)
            return word;
    }
    return {};
}

std::optional<std::uint32_t> status_by_name(std::string_view s)
{
    for (const std::string_view prefix : {"ibv_wc_", "ib_wc_"}) {
        std::size_t p = s.find(prefix);
        while (p != std::string_view::npos) {
            const std::size_t begin = p + prefix.size();
            std::size_t end = begin;
            while (end < s.size() && is_word(s[end]))
                end++;
            const std::string_view name = s.substr(begin, end - begin);
            for (const status_info &i : statuses())
                if (lowered(i.name) == name && i.status != 0)
                    return i.status;
            p = s.find(prefix, end);
        }
    }
    return std::nullopt;
}

std::optional<std::uint32_t> status_by_text(std::string_view s)
{
    std::optional<std::uint32_t> found;
    std::size_t longest = 0;
    const auto look = [&](std::string_view text, std::uint32_t status) {
        const std::string low = lowered(text);
        if (low.size() > longest && !too_common(low) && s.find(low) != std::string_view::npos) {
            longest = low.size();
            found = status;
        }
    };
    for (const status_info &i : statuses()) {
        if (i.status == 0)
            continue;
        look(i.text, i.status);
        if (!i.other_text.empty())
            look(i.other_text, i.status);
    }
    if (!found)
        for (const phrase &p : short_phrases)
            look(p.text, p.status);
    return found;
}

std::optional<hex_row> row_of(std::string_view s)
{
    hex_row row;
    if (const std::size_t bracket = s.find(']');
        bracket != std::string_view::npos &&
        s.substr(0, s.find('[')).find_first_not_of(' ') == std::string_view::npos)
        s.remove_prefix(bracket + 1);
    if (const std::size_t colon = s.find(": "); colon != std::string_view::npos) {
        std::string_view head = s.substr(0, colon);
        if (const std::size_t blank = head.rfind(' '); blank != std::string_view::npos)
            head.remove_prefix(blank + 1);
        if (head.size() != 8 || !std::all_of(head.begin(), head.end(), is_hex))
            return std::nullopt;
        std::uint32_t v = 0;
        (void)std::from_chars(head.data(), head.data() + head.size(), v, 16);
        row.offset = v;
        s.remove_prefix(colon + 2);
    }
    std::size_t at = 0;
    while (at < s.size()) {
        if (s[at] == ' ') {
            at++;
            continue;
        }
        std::size_t end = at;
        while (end < s.size() && is_hex(s[end]))
            end++;
        const std::size_t n = end - at;
        // Pairs, or the four-byte words of old kernels.
        if ((n != 2 && n != 8) || (end < s.size() && s[end] != ' '))
            return std::nullopt;
        for (; at < end; at += 2) {
            std::uint8_t v = 0;
            (void)std::from_chars(s.data() + at, s.data() + at + 2, v, 16);
            row.bytes.push_back(v);
        }
    }
    if (row.bytes.empty())
        return std::nullopt;
    return row;
}

} // namespace adp::retry::scan
