// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "capability.h"

namespace adp::sim {

namespace {

// The usual values are those of a current Ethernet function with one port. Places that libadp does
// not ask for itself: the kernel's mlx5_ifc.h, rdma-core.
constexpr std::array<capability, capability_count> table{{
    {cap_page_general, {"hca_cap_2", 0x020, 1}, 1}, // page 0x20 can be asked for
    {cap_page_general, {"vhca_id", 0x030, 16}, 0},
    {cap_page_general, reg::cap::access_register_user, 1},
    {cap_page_general, {"ooo_sl_mask", 0x138, 1}, 1},
    {cap_page_general, reg::cap::roce_accl, 1},
    {cap_page_general, reg::cap::rts2rts_qp_udp_sport, 1},
    {cap_page_general, reg::cap::rts2rts_qp_counters_set_id, 1},
    {cap_page_general, {"qcam_reg", 0x16f, 1}, 1},
    {cap_page_general, reg::cap::out_of_seq_cnt, 1},
    {cap_page_general, {"vport_counters", 0x181, 1}, 1},
    {cap_page_general, reg::cap::retransmission_q_counters, 1},
    {cap_page_general, reg::cap::enhanced_error_q_counters, 1},
    {cap_page_general, reg::cap::port_type, 1},
    {cap_page_general, reg::cap::num_ports, 1},
    {cap_page_general, reg::cap::roce, 1},
    {cap_page_general, reg::cap::dp_ordering_ooo_all_ud, 0},
    {cap_page_general, reg::cap::dp_ordering_ooo_all_uc, 0},
    {cap_page_general, reg::cap::dp_ordering_ooo_all_xrc, 1},
    {cap_page_general, {"dp_ordering_ooo_all_dc", 0x333, 1}, 1},
    {cap_page_general, reg::cap::dp_ordering_ooo_all_rc, 1},
    {cap_page_general, reg::cap::q_counter_aggregation, 1},
    {cap_page_general, reg::cap::q_counter_other_vport, 1},
    {cap_page_general, reg::cap::log_max_uctx, 10},
    {cap_page_general, reg::cap::uctx_cap, 0x7}, // raw tx, internal resources, tools resources
    {cap_page_roce, {"fl_rc_qp_when_roce_disabled", 0x005, 1}, 1},
    {cap_page_roce, {"l3_type", 0x08c, 4}, 3},      // IPv4 and IPv6
    {cap_page_roce, {"roce_version", 0x098, 8}, 4}, // v2
    {cap_page_roce, {"r_roce_dest_udp_port", 0x0b0, 16}, 4791},
    {cap_page_roce, reg::roce_cap::r_roce_max_src_udp_port, 65535},
    {cap_page_roce, reg::roce_cap::r_roce_min_src_udp_port, 49152},
    {cap_page_roce, {"roce_address_table_size", 0x0f0, 16}, 255},
}};

// No two fields of a page share a bit or a name.
constexpr bool sound()
{
    for (const capability &a : table)
        for (const capability &b : table)
            if (&a != &b && (a.place.name == b.place.name ||
                             (a.page == b.page && a.place.bit < b.place.bit + b.place.width &&
                              b.place.bit < a.place.bit + a.place.width)))
                return false;
    return true;
}
static_assert(sound());

} // namespace

std::span<const capability, capability_count> capabilities()
{
    return table;
}

capability_values usual_capabilities()
{
    capability_values values{};
    for (std::size_t i = 0; i < table.size(); i++)
        values[i] = table[i].usual;
    return values;
}

std::uint32_t *find_capability(capability_values &values, std::string_view name)
{
    for (std::size_t i = 0; i < table.size(); i++)
        if (table[i].place.name == name)
            return &values[i];
    return nullptr;
}

std::uint32_t capability_of(const capability_values &values, const reg::cap_field &field)
{
    for (std::size_t i = 0; i < table.size(); i++)
        if (table[i].place.name == field.name)
            return values[i];
    return 0;
}

void store_capabilities(std::uint16_t page, const capability_values &values,
                        std::span<std::uint8_t> reply)
{
    for (std::size_t i = 0; i < table.size(); i++)
        if (table[i].page == page)
            reg::put(reply, table[i].place, values[i]);
}

} // namespace adp::sim
