// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text_scan.h"
#include "text/format.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace adp::reg {

namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
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
        at = adp::format("line {}, column {}: ", where.line, where.column);
    else if (where.line != 0)
        at = adp::format("line {}: ", where.line);
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

result<std::uint32_t> number(std::string_view token)
{
    if (token.empty())
        return not_a_number("no value");
    if (token[0] == '-')
        return not_a_number(adp::format("{} is negative", shown(token)));
    if (!is_digit(token[0]))
        return not_a_number(adp::format("{} is not a number", shown(token)));
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
            return not_a_number(adp::format("{} does not fit 32 bits", shown(token)));
    }
    if (n == 0)
        return not_a_number(adp::format("no digits in {}", shown(token)));
    if (n < digits.size())
        return not_a_number(adp::format("{} has the text {} behind its number", shown(token),
                                        shown(digits.substr(n))));
    if (const std::string_view plain = without_zeros(token); !hex && !plain.empty())
        return not_a_number(adp::format("{} {}; write {}", shown(token), octal_or_decimal, plain));
    return static_cast<std::uint32_t>(value);
}

result<void> check_width(const field &f, std::uint32_t value)
{
    if (value <= f.max())
        return {};
    return error{EINVAL,
                 adp::format("{}: {} (0x{:x}) does not fit its {} bit{} (at most {})", f.name,
                             value, value, f.width, f.width == 1 ? "" : "s", f.max()),
                 {},
                 {}};
}

} // namespace adp::reg
