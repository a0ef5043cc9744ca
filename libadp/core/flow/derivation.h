// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From queue pair numbers, flow labels and CM ports to the UDP source port of RoCEv2, and back.
// Every function masks its arguments to their field (QPN 24, label 20, port 16 bits) and never
// fails. Sources: linux include/rdma/ib_verbs.h and core/cma.c, rdma-core libibverbs/verbs.h.
#pragma once

#include <array>
#include <cstdint>

namespace adp::flow {

inline constexpr std::uint32_t qpn_mask = 0xffffff;
inline constexpr std::uint32_t label_mask = 0xfffff;
inline constexpr std::uint16_t sport_min = 0xc000; // IB_ROCE_UDP_ENCAP_VALID_PORT_MIN
inline constexpr std::uint16_t sport_max = 0xffff;
inline constexpr std::uint32_t sport_bits = 14; // bits of a port that a label decides
inline constexpr std::uint32_t sport_count = 1U << sport_bits;
inline constexpr std::uint16_t roce_dport = 4791;

// The product of the two numbers folded to 20 bits; the same from both ends. 0 when either is 0,
// and for any pair whose product folds to it.
constexpr std::uint32_t calc_flow_label(std::uint32_t lqpn, std::uint32_t rqpn)
{
    std::uint64_t v = std::uint64_t{lqpn & qpn_mask} * (rqpn & qpn_mask);
    v ^= v >> 20;
    v ^= v >> 40;
    return static_cast<std::uint32_t>(v & label_mask);
}

// Bits 20 and above do not count. 64 labels give each port.
constexpr std::uint16_t flow_label_to_udp_sport(std::uint32_t label)
{
    return static_cast<std::uint16_t>(sport_min | ((label & 0x3fff) ^ ((label & 0xfc000) >> 14)));
}

// rdma_get_udp_sport(): the label where there is one, else the QPN hash. As in the kernel, "there is
// one" looks at all 32 bits: a label of 0x100000 counts as set, and its low 20 bits give 0xc000.
constexpr std::uint16_t calc_udp_sport(std::uint32_t label, std::uint32_t lqpn, std::uint32_t rqpn)
{
    return flow_label_to_udp_sport(label != 0 ? label : calc_flow_label(lqpn, rqpn));
}

// The label that RDMA-CM gives a connection. sport and dport are the CM's own ports of the active
// side, in host order; flowinfo is sin6_flowinfo of an IPv6 source address, in host order (0 for
// IPv4). Not symmetric, but both directions of a connection use the label of the active side, which
// travels in its request (CM_REQ_PRIMARY_FLOW_LABEL).
constexpr std::uint32_t cm_flow_label(std::uint32_t sport, std::uint32_t dport,
                                      std::uint32_t flowinfo = 0)
{
    if ((flowinfo & label_mask) != 0)
        return flowinfo & label_mask;
    return ((sport & 0xffff) * 31 + (dport & 0xffff)) & label_mask;
}

// The smallest nonzero label that gives this port; 0 where none does (a port below 0xc000). Zero is
// left out because drivers take it for "no label" and hash the QPNs instead.
constexpr std::uint32_t udp_sport_to_flow_label(std::uint32_t sport)
{
    const std::uint32_t port = sport & 0xffff;
    if (port < sport_min)
        return 0;
    return port == sport_min ? 0x4001 : port & 0x3fff;
}

struct label_set {
    std::array<std::uint32_t, 64> label{}; // ascending
    std::uint32_t count = 0;               // 64, or 0 for a port below 0xc000
};

// All labels of a port; for 0xc000 the first is 0, see udp_sport_to_flow_label().
constexpr label_set udp_sport_to_flow_labels(std::uint32_t sport)
{
    label_set set;
    const std::uint32_t port = sport & 0xffff;
    if (port < sport_min)
        return set;
    for (std::uint32_t hi = 0; hi < 64; hi++)
        set.label[set.count++] = hi << 14 | ((port & 0x3fff) ^ hi);
    return set;
}

// rxe before the address vector is known, and its UD queue pairs always: hash_32(qpn, 14).
constexpr std::uint16_t rxe_initial_udp_sport(std::uint32_t qpn)
{
    const std::uint32_t h = (qpn & qpn_mask) * 0x61c88647U;
    return static_cast<std::uint16_t>(sport_min + (h >> 18));
}

// UCX by verbs: the flow label of path i is ~(UCX_IB_ROCE_PATH_FACTOR * i), all 32 bits of it.
constexpr std::uint32_t ucx_verbs_flow_label(std::uint32_t factor, std::uint32_t path_index)
{
    return ~(factor * path_index);
}

// UCX by DEVX writes the port straight into the queue pair context.
constexpr std::uint16_t ucx_devx_udp_sport(std::uint32_t factor, std::uint32_t path_index)
{
    return static_cast<std::uint16_t>(sport_min | (factor * path_index));
}

// erdma, address handle without a label.
constexpr std::uint16_t erdma_ah_udp_sport(std::uint32_t ahn)
{
    return static_cast<std::uint16_t>(sport_min + (ahn & 0x3fff));
}

// NVSHMEM IBGDA: the LID, which is 0 on RoCE, with the range's base.
constexpr std::uint16_t nvshmem_udp_sport(std::uint32_t lid)
{
    return static_cast<std::uint16_t>(sport_min | (lid & 0xffff));
}

} // namespace adp::flow
