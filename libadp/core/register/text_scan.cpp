// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>

namespace adp::reg {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); i++) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); j++) {
            const std::size_t change = diagonal + (lower(a[i]) == lower(b[j]) ? 0U : 1U);
            diagonal = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

bool contains(std::string_view whole, std::string_view part)
{
    return std::search(whole.begin(), whole.end(), part.begin(), part.end(),
                       [](char a, char b) { return lower(a) == lower(b); }) != whole.end();
}

error not_a_number(std::string reason)
{
    return error{EINVAL, std::move(reason), {}, {}};
}

} // namespace

error bad(place where, std::string_view reason, std::string remedy)
{
    std::string at;
    if (where.line != 0 && where.column != 0)
        at = fmt::format("line {}, column {}: ", where.line, where.column);
    else if (where.line != 0)
        at = fmt::format("line {}: ", where.line);
    return error{EINVAL, at.append(reason), std::move(remedy), {}};
}

place place_of(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t newline = before.rfind('\n');
    return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
            before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1};
}

place_index::place_index(std::string_view text) : starts_{0}
{
    for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
        starts_.push_back(i + 1);
}

place place_index::of(std::size_t offset) const
{
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return {static_cast<std::size_t>(next - starts_.begin()), offset - *(next - 1) + 1};
}

std::vector<text_line> lines_of(std::string_view text)
{
    std::vector<text_line> lines;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back({text.substr(at, end - at), lines.size() + 1, at});
        at = end + 1;
    }
    return lines;
}

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

result<std::uint32_t> number(std::string_view token)
{
    if (token.empty())
        return not_a_number("no value");
    if (token[0] == '-')
        return not_a_number(fmt::format("{} is negative", shown(token)));
    if (!is_digit(token[0]))
        return not_a_number(fmt::format("{} is not a number", shown(token)));
    const bool hex = token.size() > 1 && token[0] == '0' && lower(token[1]) == 'x';
    const std::string_view digits = token.substr(hex ? 2 : 0);
    std::uint64_t value = 0;
    std::size_t n = 0;
    for (; n < digits.size(); n++) {
        const char c = lower(digits[n]);
        const bool letter = hex && c >= 'a' && c <= 'f';
        if (!letter && !is_digit(c))
            break;
        const auto digit = static_cast<std::uint64_t>(letter ? c - 'a' + 10 : c - '0');
        value = value * (hex ? 16 : 10) + digit;
        if (value > UINT32_MAX)
            return not_a_number(fmt::format("{} does not fit 32 bits", shown(token)));
    }
    if (n == 0)
        return not_a_number(fmt::format("no digits in {}", shown(token)));
    if (n < digits.size())
        return not_a_number(fmt::format("{} has the text {} behind its number", shown(token),
                                        shown(digits.substr(n))));
    if (!hex && value != 0 && token[0] == '0')
        return not_a_number(fmt::format("{} may be meant as octal or as decimal; write {}",
                                        shown(token), token.substr(token.find_first_not_of('0'))));
    return static_cast<std::uint32_t>(value);
}

result<void> check_width(const field &f, std::uint32_t value)
{
    if (value <= f.max())
        return {};
    return error{EINVAL,
                 fmt::format("{}: {} (0x{:x}) does not fit its {} bit{} (at most {})", f.name,
                             value, value, f.width, f.width == 1 ? "" : "s", f.max()),
                 {},
                 {}};
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> known)
{
    if (name.size() > 64 || name.empty()) // longer than any name: near to none
        return {};
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 4) + 1;
    for (const std::string_view k : known) {
        const std::size_t d = distance(name, k);
        if (d < best_distance) {
            best_distance = d;
            best = k;
        }
    }
    if (!best.empty() || name.size() < 4)
        return best;
    // A shortened name: the shortest that holds it.
    for (const std::string_view k : known)
        if (contains(k, name) && (best.empty() || k.size() < best.size()))
            best = k;
    return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known)
{
    const std::string_view near = nearest(name, known);
    return near.empty() ? std::string{} : fmt::format(", did you mean {}?", near);
}

} // namespace adp::reg
