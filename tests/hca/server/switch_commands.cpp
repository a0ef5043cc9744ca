// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The e-switch: the functions behind it, and how the driver gets vports for them.
#include "commands.h"
#include "function.h"

namespace adp::hca {

namespace {

constexpr std::size_t delegated_entry = 0x20;

// Functions of another PF that were given to this e-switch.
status query_delegated_vhca(const call &c)
{
    const eswitch &behind = c.f.behind;
    if (c.out.size() < 0x20 + delegated_entry * behind.delegated)
        return status::bad_output_length;
    put16(c.out, 0x0e, behind.delegated);
    for (unsigned i = 0; i < behind.delegated; i++) {
        const room entry = c.out.subspan(0x20 + delegated_entry * i);
        put8(entry, 1, 0x08 + i); // its PCI function
        put8(entry, 4, 1);        // its parent's
        put16(entry, 6, behind.vhca_id(eswitch::first_delegated + i));
        put16(entry, 10, i);
    }
    return status::ok;
}

// The vport's number follows the vhca id.
status create_esw_vport(const call &c)
{
    eswitch &behind = c.f.behind;
    const unsigned vport = static_cast<unsigned>(c.other_number()) - behind.first_vhca_id;
    if (vport < eswitch::first_delegated || vport >= eswitch::first_delegated + behind.delegated)
        return status::bad_param;
    behind.made.insert(vport);
    c.f.made.add(kind::esw_vport, vport);
    put16(c.out, 0x0e, vport);
    return status::ok;
}

status destroy_esw_vport(const call &c)
{
    const unsigned vport = c.other_number();
    c.f.made.remove(kind::esw_vport, vport);
    return c.f.behind.made.erase(vport) != 0 ? status::ok : status::bad_resource;
}

// Of the host that an embedded CPU serves.
status query_esw_functions(const call &c)
{
    const eswitch &behind = c.f.behind;
    put8(c.out, 0x10, behind.host_number);
    put8(c.out, 0x11, (behind.host_pf_absent ? 4U : 0U) | (behind.host_pf_disabled ? 1U : 0U));
    put16(c.out, 0x12, behind.host_vfs);
    put16(c.out, 0x14, behind.host_total_vfs);
    return status::ok;
}

constexpr std::array table{
    command{0x732, "QUERY_DELEGATED_VHCA", 16, 0x20, query_delegated_vhca},
    command{0x733, "CREATE_ESW_VPORT", 16, 16, create_esw_vport},
    command{0x734, "DESTROY_ESW_VPORT", 16, 16, destroy_esw_vport},
    command{0x740, "QUERY_ESW_FUNCTIONS", 16, 0x1c, query_esw_functions},
    command{0x752, "QUERY_ESW_VPORT_CONTEXT", 16, 16, taken},
    command{0x753, "MODIFY_ESW_VPORT_CONTEXT", 16, 16, taken},
};

} // namespace

std::span<const command> switch_commands()
{
    return table;
}

} // namespace adp::hca
