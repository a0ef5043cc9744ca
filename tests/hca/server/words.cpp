// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "words.h"

#include <algorithm>
#include <charconv>

namespace adp::hca {

namespace {

constexpr std::string_view blanks = " \t\r\n";

} // namespace

std::string_view trim(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view next_word(std::string_view &rest)
{
    rest = trim(rest);
    const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t most)
{
    int base = 10;
    if (text.starts_with("0x")) {
        base = 16;
        text.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const char *end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value, base);
    if (text.empty() || failure != std::errc{} || stop != end || value > most)
        return std::nullopt;
    return value;
}

std::optional<bytes> parse_hex(std::string_view text)
{
    bytes result;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
        if (word.size() % 2 != 0)
            return std::nullopt;
        for (std::size_t i = 0; i < word.size(); i += 2) {
            std::uint8_t byte = 0;
            const char *end = word.data() + i + 2;
            const auto [stop, failure] = std::from_chars(word.data() + i, end, byte, 16);
            if (failure != std::errc{} || stop != end)
                return std::nullopt;
            result.push_back(byte);
        }
    }
    return result;
}

} // namespace adp::hca
