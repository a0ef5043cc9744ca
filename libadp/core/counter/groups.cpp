// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/table.h"

#include <algorithm>

namespace adp::counter {

namespace {

constexpr std::string_view bit = "a capability bit of the device (QUERY_HCA_CAP)";

// Gates of mlx5: drivers/infiniband/hw/mlx5/counters.c. They are independent: any may lack.
constexpr group table_of_groups[] = {
    {"mlx5", "basic_q_cnts", "", "always there", true, false, true, true},
    {"mlx5", "out_of_seq_q_cnts", "out_of_seq_cnt", bit, true, false, true, true},
    {"mlx5", "retrans_q_cnts", "retransmission_q_counters", bit, true, false, true, true},
    {"mlx5", "extended_err_cnts", "enhanced_error_q_counters", bit, true, false, true, true},
    {"mlx5", "roce_accl_cnts", "roce_accl", bit, true, false, true, true},
    {"mlx5", "cong_cnts", "cc_query_allowed", bit, false, false, true, true},
    {"mlx5", "ext_ppcnt_cnts", "rx_icrc_encapsulated_counter", "a PCAM feature bit", false, false,
     true, true},
    {"mlx5", "basic_op_cnts", "", "off until turned on", false, true, true, false},
    {"mlx5", "rdmarx_cnp_op_cnts", "ft_field_support_2_nic_receive_rdma.bth_opcode",
     "a flow table capability; off until turned on", false, true, true, false},
    {"mlx5", "rdmatx_cnp_op_cnts", "ft_field_support_2_nic_transmit_rdma.bth_opcode",
     "a flow table capability; off until turned on", false, true, true, false},
    {"mlx5", "packets_op_cnts", "", "off until turned on", false, true, true, false},

    {"mlx4", "diag_basic", "", "always there at the device level", false, false, true, true},
    {"mlx4", "diag_ext", "MLX4_DEV_CAP_FLAG2_DIAG_PER_PORT", "a firmware capability", false, false,
     true, true},
    {"mlx4", "diag_device_only", "", "device level only", false, false, false, true},

    {"bnxt_re", "roce_stats", "BNXT_RE_FLAG_ISSUE_ROCE_STATS",
     "the device answers queries of RoCE statistics", false, false, true, false},
    {"bnxt_re", "ext_stats", "extended statistics", "fifth generation chips, not on VFs", false,
     false, true, false},

    {"mana", "port", "", "", false, false, true, false},
    {"mana", "device", "", "", false, false, false, true},

    {"efa", "port", "", "", false, false, true, false},
    {"efa", "retrans", "network statistics of the device", "Nitro v4 and later", false, false, true,
     false},
    {"efa", "device", "", "", false, false, false, true},

    {"cxgb4", "device", "", "device level only", false, false, false, true},
};

bool contains(std::span<const std::string_view> names, std::string_view name, bool vport)
{
    constexpr std::string_view prefix = "vport_";
    return std::any_of(names.begin(), names.end(), [&](std::string_view n) {
        if (!vport)
            return n == name;
        return n.substr(0, prefix.size()) == prefix && n.substr(prefix.size()) == name;
    });
}

const driver_table *find_table(std::string_view driver)
{
    for (const driver_table &t : all_tables())
        if (t.driver == driver)
            return &t;
    return nullptr;
}

} // namespace

std::span<const group> groups()
{
    return table_of_groups;
}

const group *find_group(std::string_view driver, std::string_view name)
{
    const std::string_view wanted = table_driver(driver);
    for (const group &g : table_of_groups)
        if (g.driver == wanted && g.name == name)
            return &g;
    return nullptr;
}

folder_gate no_counters(std::string_view driver, bool switchdev, bool device_level)
{
    const std::string_view d = table_driver(driver);
    if (d == "mlx5") {
        if (switchdev && !device_level)
            return {"q_counter_other_vport and q_counter_aggregation",
                    "in switchdev mode ports have counters only when the device has both "
                    "capabilities and the kernel knows them; the device level has the plain names"};
        if (!switchdev && device_level)
            return {"", "mlx5 has device-level counters in switchdev mode only"};
        return {"max_qp_cnt", "the function has no counter sets"};
    }
    if (d == "mlx4")
        return {"MLX4_DEV_CAP_FLAG2_DIAG_PER_PORT",
                device_level ? "VFs have no counters" : "ports have counters with this capability"};
    if (d == "siw" || d == "qedr" || d == "vmw_pvrdma" || d == "ocrdma")
        return {"", "this driver has no hw_counters"};
    if (d == "rxe" && device_level)
        return {"", "rxe has counters at ports only"};
    return {};
}

std::vector<value> missing(std::string_view driver, std::span<const std::string_view> seen,
                           bool device_level, bool vport)
{
    std::vector<value> lacking;
    const std::string_view d = table_driver(driver);
    const driver_table *rows = find_table(d);
    if (rows == nullptr || !rows->names_fixed)
        return lacking;
    for (const description &row : rows->rows) {
        const group *g = find_group(d, row.group);
        if (g == nullptr || g->is_optional || (device_level ? !g->device : !g->port) ||
            (vport && !g->vport) || contains(seen, row.name, vport))
            continue;
        const bool partly =
            std::any_of(rows->rows.begin(), rows->rows.end(), [&](const description &r) {
                return r.group == row.group && contains(seen, r.name, vport);
            });
        value v;
        v.name = (vport ? "vport_" : "") + std::string{row.name};
        v.is = state::not_exposed;
        v.about = &row;
        v.vport = vport;
        if (partly || g->gate.empty()) {
            v.reason = row.since.empty()
                           ? "this kernel does not have the name"
                           : "this kernel does not have the name: since " + std::string{row.since};
        } else {
            v.gate = g->gate;
            v.reason = "gated by " + std::string{g->gate} + ", " + std::string{g->gate_text};
        }
        lacking.push_back(std::move(v));
    }
    return lacking;
}

} // namespace adp::counter
