// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "port_registers.h"

#include "function.h"
#include "resource_dump.h"

#include <algorithm>
#include <array>

namespace adp::hca {

namespace {

struct access {
    hca_function &f;
    bool write;
    view in;
    room out;
};

void copy(view from, room to, std::size_t length)
{
    std::copy_n(from.begin(), std::min({length, from.size(), to.size()}), to.begin());
}

void node_description(const access &a)
{
    if (a.write)
        copy(a.in, a.f.link.node_description, a.f.link.node_description.size());
    copy(a.f.link.node_description, a.out, a.f.link.node_description.size());
}

void host_endianness(const access &) {}

void port_mtu(const access &a) // PMTU: largest, administrative, operational
{
    for (const std::size_t at : {0x4U, 0x8U, 0xcU})
        put16(a.out, at, 4096);
}

void port_type_speed(const access &a) // PTYS: 4X, up to NDR
{
    put16(a.out, 0x10, 0x7);
    put16(a.out, 0x12, 0xff);
    put16(a.out, 0x1c, 0x7);
    put16(a.out, 0x1e, 0xff);
    put16(a.out, 0x28, 0x4);
    put16(a.out, 0x2a, 0x80);
    constexpr std::uint32_t ethernet_100g = 1U << 28U;
    for (const std::size_t at : {0x0cU, 0x18U, 0x24U})
        put32(a.out, at, ethernet_100g);
}

void port_virtual_lanes(const access &a) // PVLC: 0 would be an error to the driver
{
    for (const std::size_t at : {0x7U, 0xbU, 0xfU})
        put8(a.out, at, 4);
}

void port_status(const access &a) // PAOS: up
{
    for (const std::size_t at : {0x1U, 0x2U, 0x3U})
        put8(a.out, at, 1);
}

void port_counters(const access &a) // PPCNT: zeros, but for one group's one counter
{
    constexpr unsigned extended_ethernet = 5;
    copy(a.in, a.out, 8);
    if ((get8(a.in, 3) & 0x3fU) == extended_ethernet)
        put64(a.out, 0x40, a.f.link.icrc_encapsulated);
}

void port_capability_mask(const access &a) // PCAM: which of the port's counters exist
{
    constexpr std::size_t at_icrc_encapsulated = 0x35;
    constexpr unsigned icrc_encapsulated_bit = 0x04;
    copy(a.in, a.out, 4);
    if (a.f.capable("general.pcam_reg"))
        put8(a.out, at_icrc_encapsulated, icrc_encapsulated_bit);
}

void management_capability_mask(const access &a) // MCAM, QCAM: nothing beyond the usual
{
    copy(a.in, a.out, 4);
}

void default_timeouts(const access &a) // DTOR, milliseconds
{
    struct timeout {
        std::size_t at;
        std::uint32_t ms;
    };
    static constexpr std::array table{
        timeout{0x04, 2000}, timeout{0x14, 2000},   timeout{0x18, 60000}, timeout{0x1c, 60000},
        timeout{0x20, 2000}, timeout{0x24, 5000},   timeout{0x28, 3000},  timeout{0x2c, 5000},
        timeout{0x30, 5000}, timeout{0x34, 120000},
    };
    for (const timeout &one : table)
        put32(a.out, one.at, one.ms);
}

struct port_register {
    std::uint16_t id;
    std::size_t least_bytes;
    void (*call)(const access &);
};
constexpr std::array table{
    port_register{0x4019, 4, management_capability_mask}, // QCAM
    port_register{0x5003, 16, port_mtu},
    port_register{0x5004, 0x40, port_type_speed},
    port_register{0x5006, 16, port_status},
    port_register{0x5008, 0x100, port_counters},
    port_register{0x500f, 16, port_virtual_lanes},
    port_register{0x507f, 0x40, port_capability_mask},
    port_register{0x6001, 64, node_description},
    port_register{0x7004, 0, host_endianness},
    port_register{0x907f, 4, management_capability_mask}, // MCAM
    port_register{0xc00e, 0x40, default_timeouts},
};

} // namespace

bool access_port_register(hca_function &f, std::uint16_t id, bool write, view in, room out,
                          status &answer)
{
    if (id == resource_dump_register && f.capable("debug.resource_dump")) {
        answer = out.size() < resource_dump_bytes ? status::bad_output_length
                                                  : dump_resource(f, in, out);
        return true;
    }
    const auto *found = std::find_if(table.begin(), table.end(),
                                     [id](const port_register &one) { return one.id == id; });
    if (found == table.end())
        return false;
    if (out.size() < found->least_bytes)
        answer = status::bad_output_length;
    else
        found->call({f, write, in, out});
    return true;
}

} // namespace adp::hca
