// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/find.h"

#include "flow/derivation.h"
#include "text/format.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace adp::flow {

namespace {

struct service {
    std::uint16_t port;
    std::string_view name;
};

// Destination ports that RDMA-CM applications listen on.
constexpr service services[] = {{4420, "NVMe-oF"},
                                {20049, "NFS/RDMA"},
                                {3260, "iSER"},
                                {18515, "perftest"},
                                {7471, "rdma tools"}};
// The kernel's default ip_local_port_range.
constexpr std::uint32_t ephemeral_first = 32768;
constexpr std::uint32_t ephemeral_last = 60999;

using list = std::vector<found_derivation>;

void find_constants(std::uint16_t sport, list &out)
{
    if (sport == nvshmem_udp_sport(0))
        out.push_back(
            {"nvshmem", "NVSHMEM IBGDA on RoCE: 49152 | LID, and the LID is 0", {}, true});
    for (const rule_row &row : sport_rules())
        if (row.handle.rule == sport_rule::constant && row.handle.value == sport)
            out.push_back({row.name,
                           adp::format("{}: {} has this constant", row.name, row.handle.text),
                           {},
                           true});
}

void find_qpns(std::uint16_t sport, const find_options &options, list &out)
{
    if (!options.lqpn || !options.rqpn)
        return;
    const std::uint32_t lqpn = *options.lqpn;
    const std::uint32_t rqpn = *options.rqpn;
    const std::uint32_t label = calc_flow_label(lqpn, rqpn);
    if (flow_label_to_udp_sport(label) == sport)
        out.push_back({"qpn-hash",
                       adp::format("hash of the QPNs {:#x} and {:#x}: label {:#x}", lqpn & qpn_mask,
                                   rqpn & qpn_mask, label),
                       label, true});
}

// UCX: factor * path index is what remains of the port, for DEVX, and of the inverted label, for
// verbs, whose smallest solution has the top six bits of the label set.
void find_ucx(std::uint16_t sport, const find_options &options, list &out)
{
    const std::uint32_t factor = std::max(options.ucx_factor, 1U);
    const auto add = [&](std::string_view name, std::uint32_t product,
                         std::optional<std::uint32_t> label, std::string_view by) {
        const std::uint32_t index = product / factor;
        if (product % factor != 0)
            return;
        out.push_back({name,
                       adp::format("UCX by {}: path {} (UCX_IB_ROCE_PATH_FACTOR * index = {})", by,
                                   index, product),
                       label, index < options.max_paths});
    };
    add("ucx-devx", sport & 0x3fffU, std::nullopt, "DEVX");
    const std::uint32_t label = 0xfc000U | ((sport & 0x3fffU) ^ 0x3fU);
    add("ucx-verbs", ~label & label_mask, label, "verbs");
}

// Source ports of the CM that, with a well known destination port, give one of the 64 labels.
void find_cm(const label_set &labels, list &out)
{
    for (const service &s : services) {
        std::uint32_t pairs = 0;
        std::uint32_t first = 0;
        std::uint32_t label = 0;
        for (std::uint32_t port = ephemeral_first; port <= ephemeral_last; port++) {
            const std::uint32_t l = cm_flow_label(port, s.port);
            if (l == 0 || !std::binary_search(labels.label.begin(), labels.label.end(), l))
                continue;
            if (pairs++ == 0) {
                first = port;
                label = l;
            }
        }
        if (pairs != 0)
            out.push_back(
                {"rdma-cm",
                 adp::format("RDMA-CM to port {} ({}) from CM source port {}, and {} more "
                             "of {}..{}",
                             s.port, s.name, first, pairs - 1, ephemeral_first, ephemeral_last),
                 label, false});
    }
}

constexpr std::string_view rxe_own =
    "rxe before the address vector is set, and its UD queue pairs: own QPN {:#x} {}";

void find_own_qpn(std::uint16_t sport, const find_options &options, list &out)
{
    if (options.lqpn) {
        if (rxe_initial_udp_sport(*options.lqpn) == sport)
            out.push_back(
                {"rxe", adp::format(rxe_own, *options.lqpn & qpn_mask, "gives it"), {}, true});
        return;
    }
    for (std::uint32_t qpn = 1; qpn <= qpn_mask; qpn++)
        if (rxe_initial_udp_sport(qpn) == sport) {
            out.push_back(
                {"rxe", adp::format(rxe_own, qpn, "is the first that gives it"), {}, false});
            return;
        }
}

} // namespace

result<std::vector<found_derivation>> find_derivations(std::uint32_t sport,
                                                       const find_options &options)
{
    if (sport == 0 || sport > 0xffff)
        return error{EINVAL, adp::format("{} is not a UDP port", sport), "give 1..65535", {}};

    list out;
    const auto port = static_cast<std::uint16_t>(sport);
    find_constants(port, out);
    if (port < sport_min) {
        if (out.empty())
            out.push_back(
                {"none",
                 "below 49152: no flow label and no known derivation gives it; set by hand, or a "
                 "device with another range",
                 {},
                 false});
        return out;
    }

    const label_set labels = udp_sport_to_flow_labels(port);
    const std::uint32_t smallest = udp_sport_to_flow_label(port);
    find_qpns(port, options, out);
    find_ucx(port, options, out);
    if (labels.label[0] == 0)
        out.push_back({"qpn-hash",
                       "a label of 0 after all: a QPN of 0 (not connected), or QPNs whose product "
                       "folds to 0",
                       0, false});
    out.push_back({"flow-label",
                   adp::format("flow label {:#x}, and {} more labels", smallest,
                               (labels.label[0] == 0 ? 63 : 64) - 1),
                   smallest, false});
    out.push_back(
        {"qpn-hash",
         adp::format("hash of the QPNs of many pairs, for example 0x1 and {:#x}", smallest),
         smallest, false});
    find_cm(labels, out);
    find_own_qpn(port, options, out);
    out.push_back({"erdma",
                   adp::format("erdma, address handle without a label: number {:#x}, and "
                               "every {:#x} after it",
                               port & 0x3fffU, sport_count),
                   {},
                   false});
    out.push_back({"random",
                   "at random: address handles of libmlx5 and hns without a label, connections of "
                   "NCCL GDAKI",
                   {},
                   false});
    out.push_back({"fixed",
                   "the device's r_roce_min_src_udp_port: kernel address handles of mlx5 without a "
                   "label, and RC of mlx5 before Linux 5.8",
                   {},
                   false});
    std::stable_partition(out.begin(), out.end(),
                          [](const found_derivation &d) { return d.likely; });
    return out;
}

} // namespace adp::flow
