// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Command mailboxes for tests, put together byte by byte from the interface's description and not
// with libadp's codec.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

namespace adp::emukernel {

using register_dwords = std::array<std::uint32_t, 16>;

struct register_mailbox {
    std::array<std::uint8_t, 80> in{};
    std::array<std::uint8_t, 80> out{};

    register_mailbox(unsigned opcode, bool write, unsigned id, const register_dwords &data = {})
    {
        put(0, opcode << 16U);
        put(4, write ? 0 : 1);
        put(8, id);
        for (std::size_t i = 0; i < data.size(); ++i)
            put(16 + 4 * i, data[i]);
        out.fill(0xee); // shows what a call leaves alone
    }
    std::uint32_t word(std::size_t at) const
    {
        return std::uint32_t{out[at]} << 24U | std::uint32_t{out[at + 1]} << 16U |
               std::uint32_t{out[at + 2]} << 8U | out[at + 3];
    }
    unsigned status() const { return out[0]; }
    std::uint32_t syndrome() const { return word(4); }
    register_dwords data() const
    {
        register_dwords d{};
        for (std::size_t i = 0; i < d.size(); ++i)
            d[i] = word(16 + 4 * i);
        return d;
    }

  private:
    void put(std::size_t at, std::uint32_t value)
    {
        for (unsigned i = 0; i < 4; ++i)
            in[at + i] = static_cast<std::uint8_t>(value >> (24U - 8U * i));
    }
};

// The dwords of a raw table as the vendor's document prints it.
inline register_dwords read_table(const std::string &path)
{
    register_dwords d{};
    std::ifstream file{path};
    for (std::string line; std::getline(file, line);) {
        const std::size_t bar = line.find('|');
        if (line.rfind("0x", 0) != 0 || bar == std::string::npos)
            continue;
        const std::size_t at = std::stoul(line, nullptr, 16) / 4;
        if (at < d.size())
            d[at] = static_cast<std::uint32_t>(std::stoul(line.substr(bar + 1), nullptr, 16));
    }
    return d;
}

} // namespace adp::emukernel
