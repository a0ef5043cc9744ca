// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/hca_cap.h"

namespace adp::reg {

std::uint32_t get(std::span<const std::uint8_t> capability, const cap_field &f)
{
    std::uint32_t value = 0;
    for (unsigned i = 0; i < f.width; i++) {
        const std::size_t bit = std::size_t{f.bit} + i;
        const unsigned set =
            bit / 8 < capability.size() ? (capability[bit / 8] >> (7 - bit % 8)) & 1U : 0;
        value = value << 1 | set;
    }
    return value;
}

void put(std::span<std::uint8_t> capability, const cap_field &f, std::uint32_t value)
{
    for (unsigned i = 0; i < f.width; i++) {
        const std::size_t bit = std::size_t{f.bit} + i;
        if (bit / 8 >= capability.size())
            return;
        const auto mask = static_cast<std::uint8_t>(0x80U >> (bit % 8));
        if (((value >> (f.width - 1U - i)) & 1U) != 0)
            capability[bit / 8] = static_cast<std::uint8_t>(capability[bit / 8] | mask);
        else
            capability[bit / 8] = static_cast<std::uint8_t>(capability[bit / 8] & ~mask);
    }
}

} // namespace adp::reg
