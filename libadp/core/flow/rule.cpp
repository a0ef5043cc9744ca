// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/rule.h"

#include "flow/derivation.h"

#include <algorithm>

namespace adp::flow {

namespace {

using enum sport_rule;
using enum confidence;

constexpr rule_row table[] = {
    {"mlx5",
     "mlx5_core",
     true,
     {label_or_qpn, verified, 0,
      "at INIT to RTR with a destination QPN, for RC, UC and XRC over a RoCEv2 GID; later changes "
      "of the address vector do not touch the port"},
     {label_or_fixed, verified, 0,
      "kernel: without a label the device's r_roce_min_src_udp_port; user space (libmlx5): without "
      "a label random for each address handle"},
     "linux hw/mlx5/qp.c mlx5_set_path_udp_sport, hw/mlx5/ah.c; rdma-core providers/mlx5/verbs.c",
     "before 5.8 (version inferred) every RC queue pair had r_roce_min_src_udp_port; "
     "mlx5dv_modify_qp_udp_sport() changes the port in RTS; DCI and DCT do not come this way"},
    {"rxe",
     "rdma_rxe",
     true,
     {hash_then_label, verified, 0,
      "hash_32 of the own QPN; from a modify with an address vector that has a GRH: label, or "
      "QPNs"},
     {own_qpn_hash, verified, 0, "the hash of the own QPN stays"},
     "linux sw/rxe/rxe_qp.c, rxe_verbs.c rxe_modify_qp",
     "the multiplier of hash_32 (0x61c88647) is from memory of include/linux/hash.h"},
    {"irdma",
     "ice i40e idpf",
     true,
     {label_or_qpn, verified, 0, "when the address vector has a GRH"},
     {unknown, inferred, 0, "not read"},
     "linux hw/irdma/verbs.c",
     ""},
    {"hns",
     "hns_roce hns_roce_hw_v2 hns3",
     true,
     {label_or_qpn, verified, 0, "over RoCEv2"},
     {label_or_random, verified, 0,
      "without a label random in 49152..65535, kernel and user space"},
     "linux hw/hns/hns_roce_hw_v2.c, hns_roce_ah.c; rdma-core providers/hns/hns_roce_u_verbs.c",
     ""},
    {"erdma",
     "",
     true,
     {label_or_qpn, verified, 0, "in RoCEv2 mode, when the address vector is set"},
     {label_or_ahn, verified, 0, "without a label 49152 + the low 14 bits of the handle's number"},
     "linux hw/erdma/erdma_verbs.c (patches of 2024-12)",
     "its other mode is iWARP, over TCP"},
    {"mana",
     "mana_ib",
     true,
     {label_or_qpn, verified, 0, ""},
     {unknown, inferred, 0, "not read"},
     "linux hw/mana/qp.c",
     ""},
    {"ionic",
     "",
     true,
     {label_or_qpn, verified, 0, ""},
     {unknown, inferred, 0, "not read"},
     "linux ionic driver (patch)",
     ""},
    {"bnxt_re",
     "bnxt_en",
     true,
     {hardware, inferred, 0, "the kernel passes the label; hardware or firmware chooses"},
     {constant, verified, 0x8cd1, "QP1; below 49152"},
     "linux hw/bnxt_re/ib_verbs.c; ROCm/mori pull request 90",
     "the vendor's own library has bnxt_re_dv_modify_qp_udp_sport(), after RTS, 49152..65535"},
    {"mlx4",
     "mlx4_core",
     true,
     {hardware, verified, 0, "chosen by hardware"},
     {constant, verified, 0xc000, "QP1"},
     "linux hw/mlx4/qp.c MLX4_ROCEV2_QP1_SPORT",
     ""},
    {"siw", "", true, {none, inferred, 0, "iWARP, over TCP"}, {none, inferred, 0, ""}, "", ""},
    {"efa", "", true, {none, inferred, 0, "SRD, no RoCEv2"}, {none, inferred, 0, ""}, "", ""},

    {"rdma-cm",
     "rdma_cm",
     false,
     {own_label, verified, 0,
      "label = sin6_flowinfo of an IPv6 source address, else 31 * source port + destination port "
      "of the CM; both directions use the active side's; 0 leaves it to the driver"},
     {none, inferred, 0, ""},
     "linux core/cma.c cma_get_roce_udp_flow_label, core/cm.c cm_format_req",
     ""},
    {"ucx",
     "ucx-verbs",
     false,
     {ucx_label, verified, 0,
      "label = ~(UCX_IB_ROCE_PATH_FACTOR * path index): 65472 for path 0 of every process"},
     {ucx_label, verified, 0, ""},
     "ucx src/uct/ib/base/ib_iface.c; openucx/ucx issue 11004",
     ""},
    {"ucx-devx",
     "",
     false,
     {ucx_port, verified, 0,
      "port = 49152 | (UCX_IB_ROCE_PATH_FACTOR * path index): 49152 for path 0 of every process"},
     {none, inferred, 0, ""},
     "ucx src/uct/ib/base/ib_iface.c, mlx5/rc/rc_mlx5_devx.c",
     ""},
    {"nvshmem",
     "nvshmem-ibgda",
     false,
     {lid, reported, 0, "49152 | LID, and the LID is 0 on RoCE: 49152 for every queue pair"},
     {none, inferred, 0, ""},
     "NVIDIA/nvshmem issue 27",
     ""},
    {"nccl",
     "nccl-net-ib",
     false,
     {no_label, verified, 0, "label 0 in the code: the driver hashes the QPNs"},
     {none, inferred, 0, ""},
     "nccl src/transport/net_ib/connect.cc",
     ""},
    {"nccl-gdaki",
     "doca-gpunetio",
     false,
     {random, verified, 0,
      "random in the device's range, but seeded with the time in seconds for each connection: "
      "queue pairs of the same second get the same port (effect inferred)"},
     {none, inferred, 0, ""},
     "nccl src/transport/net_ib/gdaki/doca-gpunetio/src/doca_verbs_qp.cpp",
     ""},
    {"perftest",
     "",
     false,
     {own_label, verified, 0,
      "--flow_label list, in turn over the queue pairs; without it label 0"},
     {none, inferred, 0, ""},
     "perftest src/perftest_resources.c",
     "has no option for the port itself"},
    {"libfabric",
     "libfabric-verbs",
     false,
     {own_label, inferred, 0, "no setting found; inherits the label of RDMA-CM"},
     {none, inferred, 0, ""},
     "",
     ""},
};

// Whether a list of words, a blank between two, has this one.
bool has_word(std::string_view list, std::string_view word)
{
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        if (list.substr(at, end - at) == word)
            return true;
        at = end + 1;
    }
    return false;
}

} // namespace

std::span<const rule_row> sport_rules()
{
    return table;
}

const rule_row *find_sport_rule(std::string_view name)
{
    const auto it = std::find_if(std::begin(table), std::end(table), [name](const rule_row &row) {
        return !name.empty() && (row.name == name || has_word(row.alias, name));
    });
    return it == std::end(table) ? nullptr : &*it;
}

std::string_view to_string(sport_rule rule)
{
    switch (rule) {
    case none: return "none";
    case label_or_qpn: return "flow label, else hash of both QPNs";
    case hash_then_label: return "hash of the own QPN, then flow label or hash of both QPNs";
    case own_qpn_hash: return "hash of the own QPN";
    case label_or_fixed: return "flow label, else one port of the device";
    case label_or_random: return "flow label, else random";
    case label_or_ahn: return "flow label, else number of the address handle";
    case constant: return "constant";
    case hardware: return "chosen by hardware";
    case ucx_label: return "flow label from UCX's path index";
    case ucx_port: return "port from UCX's path index";
    case lid: return "port from the LID";
    case random: return "random";
    case no_label: return "no flow label: the driver's rule";
    case own_label: return "passes a flow label to the driver";
    case sport_rule::unknown: break;
    }
    return "unknown";
}

std::string_view to_string(confidence trust)
{
    switch (trust) {
    case verified: return "verified";
    case reported: return "reported";
    case inferred: break;
    }
    return "inferred";
}

std::string_view to_string(sport_source source)
{
    switch (source) {
    case sport_source::qpc: return "qpc";
    case sport_source::derived: return "derived";
    case sport_source::assumed: return "assumed";
    case sport_source::unknown: break;
    }
    return "unknown";
}

derived_sport derive_sport(std::string_view driver, std::optional<std::uint32_t> label,
                           std::uint32_t lqpn, std::uint32_t rqpn)
{
    const rule_row *row = find_sport_rule(driver);
    if (!row || !row->driver)
        return {0, 0, sport_source::unknown, "no rule known for this driver"};
    const sport_choice &choice = row->connected;
    if (choice.rule == none)
        return {0, 0, sport_source::unknown, "this driver does not send RoCEv2"};
    if (choice.rule != label_or_qpn && choice.rule != hash_then_label)
        return {0, 0, sport_source::unknown, "hardware or firmware chooses the port"};
    if ((rqpn & qpn_mask) == 0) {
        if (choice.rule == hash_then_label)
            return {rxe_initial_udp_sport(lqpn), 0, sport_source::derived,
                    "not connected: hash of the own QPN"};
        return {0, 0, sport_source::unknown, "not connected"};
    }

    derived_sport answer;
    const std::uint32_t given = label.value_or(0);
    answer.label = given != 0 ? given & label_mask : calc_flow_label(lqpn, rqpn);
    answer.sport = flow_label_to_udp_sport(answer.label);
    answer.source =
        label && choice.trust == verified ? sport_source::derived : sport_source::assumed;
    if (!label)
        answer.reason = "hash of both QPNs: no flow label assumed, no change of the port since";
    else if (given != 0)
        answer.reason = "flow label; no change of the port since";
    else
        answer.reason = "no flow label: hash of both QPNs; no change of the port since";
    return answer;
}

derived_sport derive_datagram_sport(std::string_view driver, std::uint32_t lqpn,
                                    bool general_service)
{
    const rule_row *row = find_sport_rule(driver);
    if (!row || !row->driver)
        return {0, 0, sport_source::unknown, "no rule known for this driver"};
    switch (row->handle.rule) {
    case none: return {0, 0, sport_source::unknown, "this driver does not send RoCEv2"};
    case own_qpn_hash:
        return {rxe_initial_udp_sport(lqpn), 0, sport_source::derived, "hash of the own QPN"};
    case constant:
        if (general_service)
            return {row->handle.value, 0, sport_source::derived, "the driver's constant for QP1"};
        break;
    default: break;
    }
    return {0, 0, sport_source::unknown, "datagrams: the address handle decides, packet by packet"};
}

} // namespace adp::flow
