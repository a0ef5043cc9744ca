// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Commands to a simulated function as bytes, put together without the code under test.
#pragma once

#include "firmware.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace sim_test {

using bytes = std::vector<std::uint8_t>;
using dwords = std::vector<std::uint32_t>;

inline void put_be32(bytes &b, std::size_t at, std::uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        b.at(at + i) = static_cast<std::uint8_t>(v >> (24 - 8 * i));
}

inline std::uint32_t get_be32(const bytes &b, std::size_t at)
{
    return std::uint32_t{b.at(at)} << 24 | std::uint32_t{b.at(at + 1)} << 16 |
           std::uint32_t{b.at(at + 2)} << 8 | std::uint32_t{b.at(at + 3)};
}

struct answer {
    adp::sim::outcome outcome;
    bytes out;
    unsigned status() const { return out.at(0); }
    std::uint32_t syndrome() const { return get_be32(out, 4); }
    std::uint32_t data(std::size_t dword) const { return get_be32(out, 0x10 + 4 * dword); }
    dwords all() const
    {
        dwords d;
        for (std::size_t at = 0x10; at + 4 <= out.size(); at += 4)
            d.push_back(get_be32(out, at));
        return d;
    }
};

inline bytes register_command(std::uint32_t op, std::uint32_t op_mod, std::uint32_t reg,
                              const dwords &data)
{
    bytes in(0x10 + 4 * data.size());
    put_be32(in, 0, op << 16);
    put_be32(in, 4, op_mod);
    put_be32(in, 8, reg);
    for (std::size_t i = 0; i < data.size(); i++)
        put_be32(in, 0x10 + 4 * i, data[i]);
    return in;
}

inline answer run(adp::sim::model &m, const bytes &in, std::size_t out_size)
{
    answer a{{}, bytes(out_size, 0xee)};
    a.outcome = adp::sim::execute(m, in, a.out);
    return a;
}

inline answer access(adp::sim::model &m, bool write, std::uint32_t reg, const dwords &data)
{
    return run(m, register_command(0x805, write ? 0 : 1, reg, data), 0x10 + 4 * data.size());
}

inline answer query_accl(adp::sim::model &m, std::uint32_t profile = 0)
{
    dwords d(16);
    d[1] = profile << 28;
    return access(m, false, 0x402c, d);
}

inline answer write_accl(adp::sim::model &m, const dwords &d)
{
    return access(m, true, 0x402c, d);
}

inline answer query_cap(adp::sim::model &m, unsigned type, std::size_t out_size = 0x1010)
{
    bytes in(0x10);
    put_be32(in, 0, 0x100U << 16);
    put_be32(in, 4, type << 1 | 1);
    return run(m, in, out_size);
}

// The numbers of a table as mlxreg prints it: "0x00000004 | 0x10000005".
inline dwords raw_table(const std::string &name)
{
    std::ifstream file(std::string{ADP_FIXTURES} + "/roce_accl/" + name);
    dwords d;
    for (std::string line; std::getline(file, line);)
        if (const std::size_t bar = line.find("| 0x"); bar != std::string::npos)
            d.push_back(static_cast<std::uint32_t>(std::stoul(line.substr(bar + 2), nullptr, 16)));
    return d;
}

// The vendor's sample: select bits as its tool sends them, or only those that are needed.
inline dwords vendor_sample(std::uint32_t select = 0x1800065f)
{
    dwords d(16);
    d[0] = select;
    d[1] = 0x10000005;
    d[2] = 0x41000fa0;
    d[4] = 0x90400004;
    d[5] = 0x00000002;
    d[6] = 0x04010002;
    return d;
}

} // namespace sim_test
