// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a driver asks and sets about its port: vport contexts, addresses, P_Keys.
#include "commands.h"
#include "data_path/endpoint.h"
#include "function.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t header = 16;
constexpr unsigned active = 4;

status query_vport_state(const call &c)
{
    put8(c.out, 15, c.f.link.state == active ? 0x11 : 0x10); // administrative up, and the link
    return status::ok;
}

status query_nic_vport_context(const call &c)
{
    const bytes &context = c.f.link.nic_vport;
    std::copy(context.begin(), context.end(), c.out.begin() + header);
    if (c.other()) { // another vport has an address of its own
        constexpr std::size_t at_address = header + 0xf6;
        c.out[at_address] |= 2U;
        put16(c.out, at_address + 4, c.other_number());
    }
    return status::ok;
}

status modify_nic_vport_context(const call &c)
{
    if (c.other()) // taken, and not kept
        return status::ok;
    struct part {
        std::uint32_t select;
        std::size_t at;
        std::size_t length;
        std::uint8_t mask;
    };
    static constexpr std::array parts{
        part{0x002, 0x03, 1, 0x01}, // RoCE
        part{0x800, 0x03, 1, 0x02}, // disable multicast loop-back
        part{0x400, 0x03, 1, 0x04}, // disable unicast loop-back
        part{0x040, 0x26, 2, 0xff}, // MTU
        part{0x200, 0x38, 8, 0xff}, // node GUID
        part{0x100, 0x30, 8, 0xff}, // port GUID
    };
    const std::uint32_t select = get32(c.in, 12);
    bytes &context = c.f.link.nic_vport;
    for (const part &one : parts)
        for (std::size_t i = one.at; (select & one.select) != 0 && i < one.at + one.length; i++)
            context[i] =
                static_cast<std::uint8_t>((context[i] & ~one.mask) | (c.in[0x100 + i] & one.mask));
    return status::ok;
}

status query_hca_vport_context(const call &c)
{
    const port &link = c.f.link;
    const room context = c.out.subspan(header);
    put8(context, 0x20, 0x80); // the subnet manager knows of virtual ports; no SMI
    put8(context, 0x22, link.phys_state << 4U);
    put8(context, 0x23, link.state << 4U | link.state);
    put64(context, 0x28, link.guid);
    put64(context, 0x30, link.guid + 1);
    put64(context, 0x38, link.guid);
    put32(context, 0x40, 0x2651e848); // capability mask
    put16(context, 0x60, link.lid);
    put8(context, 0x63, 18); // subnet timeout
    put16(context, 0x64, 1); // LID of the subnet manager
    return status::ok;
}

status set_roce_address(const call &c)
{
    constexpr std::size_t address_bytes = 16;
    if (c.f.carrier != nullptr)
        c.f.carrier->set_gid(get16(c.in, 8), c.in.subspan(header, address_bytes));
    return status::ok;
}

constexpr std::uint16_t all_entries = 0xffff;

status query_hca_vport_gid(const call &c)
{
    const std::uint16_t index = get16(c.in, 14);
    constexpr std::size_t table_length = 8;
    const std::size_t count = index == all_entries ? table_length : 1;
    if (c.out.size() < header + 16 * count)
        return status::bad_output_length;
    put16(c.out, 12, count);
    if (index == 0 || index == all_entries) {
        put64(c.out, header, 0xfe80000000000000);
        put64(c.out, header + 8, c.f.link.guid + 1);
    }
    return status::ok;
}

status query_hca_vport_pkey(const call &c)
{
    const std::uint16_t index = get16(c.in, 14);
    if (index == 0 || index == all_entries)
        put32(c.out, header, 0xffff);
    return status::ok;
}

constexpr std::array table{
    command{0x750, "QUERY_VPORT_STATE", 16, 16, query_vport_state},
    command{0x751, "MODIFY_VPORT_STATE", 16, 16, taken},
    command{0x754, "QUERY_NIC_VPORT_CONTEXT", 16, 0x110, query_nic_vport_context},
    command{0x755, "MODIFY_NIC_VPORT_CONTEXT", 0x200, 16, modify_nic_vport_context},
    command{0x760, "QUERY_ROCE_ADDRESS", 16, 16, taken},
    command{0x761, "SET_ROCE_ADDRESS", 0x20, 16, set_roce_address},
    command{0x762, "QUERY_HCA_VPORT_CONTEXT", 16, 0x210, query_hca_vport_context},
    command{0x763, "MODIFY_HCA_VPORT_CONTEXT", 16, 16, taken},
    command{0x764, "QUERY_HCA_VPORT_GID", 16, 16, query_hca_vport_gid},
    command{0x765, "QUERY_HCA_VPORT_PKEY", 16, 20, query_hca_vport_pkey},
    command{0x822, "QUERY_CONG_STATUS", 16, 16, taken},
    command{0x823, "MODIFY_CONG_STATUS", 16, 16, taken},
    command{0x824, "QUERY_CONG_PARAMS", 16, 16, taken},
    command{0x825, "MODIFY_CONG_PARAMS", 16, 16, taken},
    command{0x829, "SET_L2_TABLE_ENTRY", 16, 16, taken},
    command{0x82a, "QUERY_L2_TABLE_ENTRY", 16, 16, taken},
    command{0x82b, "DELETE_L2_TABLE_ENTRY", 16, 16, taken},
};

} // namespace

std::span<const command> port_commands()
{
    return table;
}

} // namespace adp::hca
