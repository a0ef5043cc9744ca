// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The register's bytes as hex digits, with any blanks, newlines, colons and 0x between them.
#include "register/text_forms.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool separates(char c)
{
    return is_blank(c) || c == ':' || c == ',';
}

// The digits, or nothing where the text holds something else.
std::optional<std::vector<std::uint8_t>> digits_of(std::string_view text)
{
    std::vector<std::uint8_t> digits;
    bool at_start = true; // of a group, where 0x may stand
    for (std::size_t i = 0; i < text.size(); i++) {
        if (separates(text[i])) {
            at_start = true;
            continue;
        }
        if (at_start && text[i] == '0' && i + 2 < text.size() &&
            (text[i + 1] == 'x' || text[i + 1] == 'X') && hex_digit(text[i + 2]) >= 0) {
            i++;
            at_start = false;
            continue;
        }
        const int digit = hex_digit(text[i]);
        if (digit < 0)
            return std::nullopt;
        digits.push_back(static_cast<std::uint8_t>(digit));
        at_start = false;
    }
    return digits;
}

} // namespace

std::optional<result<parsed>> parse_hex(std::string_view text)
{
    const auto digits = digits_of(text);
    if (!digits)
        return std::nullopt;
    constexpr std::size_t expected = roce_accl_dwords * 8;
    // mstreg's table pads the register to twice its size.
    if (digits->size() != expected && digits->size() != 2 * expected)
        return bad({}, adp::format("{} hex digits; the register has {}", digits->size(), expected));
    accl_image image{};
    for (std::size_t i = 0; i < expected; i++)
        image[i / 8] = image[i / 8] << 4 | (*digits)[i];
    parsed out = from_image(image, ADP_FORMAT_HEX);
    if (digits->size() != expected)
        out.notes.emplace_back(
            std::all_of(digits->begin() + expected, digits->end(), [](auto d) { return d == 0; })
                ? "the digits behind the register's 64 bytes are 0 and were left out"
                : "the digits behind the register's 64 bytes are not all 0; their meaning is not "
                  "known and they were left out");
    return out;
}

} // namespace adp::reg
