// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Big-endian numbers and bit fields in the structures of the mlx5 command interface; bit 0 is the
// most significant one of the first byte. Lengths come from the guest: what lies beyond the bytes
// reads 0 and is not written.
#pragma once

#include "register/hca_cap.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adp::hca {

using bytes = std::vector<std::uint8_t>;
using view = std::span<const std::uint8_t>;
using room = std::span<std::uint8_t>;

inline std::uint64_t get_number(view from, std::size_t at, std::size_t length)
{
    std::uint64_t value = 0;
    for (std::size_t i = at; i < at + length; i++)
        value = value << 8U | (i < from.size() ? from[i] : 0U);
    return value;
}

inline std::uint16_t get16(view from, std::size_t at)
{
    return static_cast<std::uint16_t>(get_number(from, at, 2));
}

inline std::uint32_t get32(view from, std::size_t at)
{
    return static_cast<std::uint32_t>(get_number(from, at, 4));
}

inline std::uint64_t get64(view from, std::size_t at)
{
    return get_number(from, at, 8);
}

inline std::uint8_t get8(view from, std::size_t at)
{
    return at < from.size() ? from[at] : std::uint8_t{0};
}

inline void put_number(room to, std::size_t at, std::size_t length, std::uint64_t value)
{
    for (std::size_t i = 0; i < length; i++)
        if (at + i < to.size())
            to[at + i] = static_cast<std::uint8_t>(value >> 8U * (length - 1 - i));
}

inline void put8(room to, std::size_t at, std::uint64_t value)
{
    put_number(to, at, 1, value);
}

inline void put16(room to, std::size_t at, std::uint64_t value)
{
    put_number(to, at, 2, value);
}

inline void put32(room to, std::size_t at, std::uint64_t value)
{
    put_number(to, at, 4, value);
}

inline void put64(room to, std::size_t at, std::uint64_t value)
{
    put_number(to, at, 8, value);
}

// A field of at most 32 bits.
struct bit_field {
    std::uint16_t bit;
    std::uint8_t width;
};

inline std::uint32_t get_bits(view from, bit_field field)
{
    return reg::get(from, {"", field.bit, field.width});
}

inline void put_bits(room to, bit_field field, std::uint32_t value)
{
    reg::put(to, {"", field.bit, field.width}, value);
}

// Numbers of queues and other objects have 24 bits.
inline constexpr std::uint32_t number_mask = 0xffffff;

} // namespace adp::hca
