// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/field.h"

#include "text/format.h"
#include "text/words.h"

#include <algorithm>

namespace adp::reg {

const field *layout::find(std::string_view field_name) const
{
    const auto it = std::find_if(fields.begin(), fields.end(), [field_name](const field &f) {
        return same_word(f.name, field_name);
    });
    return it == fields.end() ? nullptr : &*it;
}

std::uint32_t layout::known(std::size_t dword) const
{
    std::uint32_t bits = 0;
    for (const field &f : fields)
        if (f.offset / 4U == dword)
            bits |= f.mask();
    return bits;
}

std::uint32_t get(std::span<const std::uint32_t> dwords, const field &f)
{
    const std::size_t i = f.offset / 4U;
    return i < dwords.size() ? (dwords[i] >> f.lsb) & f.max() : 0;
}

void put(std::span<std::uint32_t> dwords, const field &f, std::uint32_t value)
{
    const std::size_t i = f.offset / 4U;
    if (i < dwords.size())
        dwords[i] = (dwords[i] & ~f.mask()) | ((value & f.max()) << f.lsb);
}

std::string over_width(const field &f, std::uint32_t value)
{
    return adp::format("{} {}: over its {} bits (at most {})", f.name, value, f.width, f.max());
}

std::string asked_and_shown(const field &f, std::uint32_t asked, std::uint32_t shown)
{
    return adp::format("{}: asked {}, the device shows {}", f.name, asked, shown);
}

void load(std::span<std::uint32_t> dwords, std::span<const std::uint8_t> bytes)
{
    const std::size_t n = std::min(dwords.size(), bytes.size() / 4);
    for (std::size_t i = 0; i < n; i++)
        dwords[i] = std::uint32_t{bytes[4 * i]} << 24 | std::uint32_t{bytes[4 * i + 1]} << 16 |
                    std::uint32_t{bytes[4 * i + 2]} << 8 | std::uint32_t{bytes[4 * i + 3]};
}

void store(std::span<std::uint8_t> bytes, std::span<const std::uint32_t> dwords)
{
    const std::size_t n = std::min(dwords.size(), bytes.size() / 4);
    for (std::size_t i = 0; i < n; i++) {
        bytes[4 * i] = static_cast<std::uint8_t>(dwords[i] >> 24);
        bytes[4 * i + 1] = static_cast<std::uint8_t>(dwords[i] >> 16);
        bytes[4 * i + 2] = static_cast<std::uint8_t>(dwords[i] >> 8);
        bytes[4 * i + 3] = static_cast<std::uint8_t>(dwords[i]);
    }
}

} // namespace adp::reg
