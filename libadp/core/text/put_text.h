// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

namespace adp {

// Into an array of a public structure, with a zero at the end. What does not fit ends with "...".
template <std::size_t Size> void put_text(char (&to)[Size], std::string_view text) noexcept
{
    static_assert(Size > 4);
    const std::size_t length = std::min(text.size(), Size - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
    if (length < text.size())
        std::memcpy(to + length - 3, "...", 3);
}

} // namespace adp
