// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "text/words.h"
#include "text/format.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace adp {

namespace {

constexpr std::size_t longest_name = 64; // a longer word is no misspelling of ours

unsigned char byte(char c)
{
    return static_cast<unsigned char>(c);
}

bool same(char a, char b)
{
    return lower(a) == lower(b);
}

std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); i++) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); j++) {
            const std::size_t change = diagonal + (same(a[i], b[j]) ? 0U : 1U);
            diagonal = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

bool contains(std::string_view whole, std::string_view part)
{
    return std::search(whole.begin(), whole.end(), part.begin(), part.end(), same) != whole.end();
}

bool ends_with_word(std::string_view name, std::string_view word)
{
    if (name.size() <= word.size() + 1)
        return false;
    const std::string_view tail = name.substr(name.size() - word.size());
    return name[name.size() - word.size() - 1] == '_' && same_word(tail, word);
}

// The shortest of the known words that pass.
template <typename F> std::string_view shortest(std::span<const std::string_view> known, F passes)
{
    std::string_view best;
    for (const std::string_view k : known)
        if (passes(k) && (best.empty() || k.size() < best.size()))
            best = k;
    return best;
}

} // namespace

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

std::string_view trim(std::string_view s)
{
    while (!s.empty() && is_blank(s.front()))
        s.remove_prefix(1);
    while (!s.empty() && is_blank(s.back()))
        s.remove_suffix(1);
    return s;
}

bool same_word(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t utf8_length(std::string_view s)
{
    const unsigned char c = byte(s[0]);
    if (c < 0x80)
        return 1;
    const std::size_t n = c >= 0xc2 && c <= 0xdf   ? 2U
                          : (c & 0xf0U) == 0xe0    ? 3U
                          : c >= 0xf0 && c <= 0xf4 ? 4U
                                                   : 0U;
    if (n == 0 || s.size() < n)
        return 0;
    for (std::size_t i = 1; i < n; i++)
        if ((byte(s[i]) & 0xc0U) != 0x80)
            return 0;
    const unsigned char second = byte(s[1]);
    if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) ||
        (c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f))
        return 0;
    return n;
}

std::string shown(std::string_view piece)
{
    constexpr std::size_t most = 40;
    std::string out = "'";
    std::size_t used = 0;
    while (!piece.empty()) {
        const std::size_t n = utf8_length(piece);
        if (used + std::max<std::size_t>(n, 1) > most) {
            out += "...";
            break;
        }
        if (n == 0 ||
            (n == 1 && (static_cast<unsigned char>(piece[0]) < 0x20 || piece[0] == '\x7f')))
            out += '?';
        else
            out += piece.substr(0, n);
        used += std::max<std::size_t>(n, 1);
        piece.remove_prefix(std::max<std::size_t>(n, 1));
    }
    return out += '\'';
}

std::string_view without_zeros(std::string_view digits)
{
    const std::size_t first = digits.find_first_not_of('0');
    return first == 0 || first == std::string_view::npos ? std::string_view{}
                                                         : digits.substr(first);
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> known)
{
    if (name.empty() || name.size() > longest_name)
        return {};
    if (const std::string_view tail =
            shortest(known, [name](std::string_view k) { return ends_with_word(k, name); });
        !tail.empty())
        return tail;
    std::string_view best;
    std::size_t least = name.size() / 2 + 1;
    for (const std::string_view k : known) {
        const std::size_t d = distance(name, k);
        if (d < least || (d == least && !best.empty() && k.size() < best.size())) {
            least = d;
            best = k;
        }
    }
    if (!best.empty() || name.size() < 4)
        return best;
    return shortest(known, [name](std::string_view k) { return contains(k, name); });
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known)
{
    const std::string_view near = nearest(name, known);
    return near.empty() ? std::string{} : adp::format(", did you mean {}?", near);
}

} // namespace adp
