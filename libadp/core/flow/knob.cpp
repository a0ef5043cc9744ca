// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/knob.h"

#include <algorithm>

namespace adp::flow {

namespace {

using enum confidence;

constexpr knob table[] = {
    {"ucx", "UCX_IB_NUM_PATHS", "auto",
     "number of queue pairs, each with its own port, between two end points; auto on RoCE: the "
     "number of bond members, at least 2 from NDR speed on",
     "path i has the same port in every process of every node", "ucx ib_iface.c", verified},
    {"ucx", "UCX_IB_ROCE_PATH_FACTOR", "1", "port of path i is a function of factor * i only",
     "path 0 keeps 49152 (DEVX) or 65472 (verbs) whatever the factor; a factor that is a multiple "
     "of the number of paths puts all of them on one path of a switch that takes the port modulo "
     "that",
     "ucx ib_iface.c", verified},
    {"nccl", "NCCL_IB_QPS_PER_CONNECTION", "1",
     "1..128 queue pairs for each connection, each with the port of its QPNs",
     "the count is this value times the number of merged devices, and the larger of both ends",
     "NCCL documentation; nccl connect.cc", verified},
    {"nccl", "NCCL_IB_SPLIT_DATA_ON_QPS", "0",
     "1: each message is split over the queue pairs; 0: messages take them in turn", "",
     "nccl connect.cc", verified},
    {"nccl", "NCCL_IB_ADAPTIVE_ROUTING", "1 on InfiniBand, 0 on RoCE",
     "how messages above NCCL_IB_AR_THRESHOLD (8192) are framed; does not touch ports", "",
     "NCCL documentation", verified},
    {"nccl", "NCCL_IB_OOO_RQ", "0", "out-of-order placement is forced; does not touch ports",
     "without adaptive routing (the default on RoCE) the connection fails with ncclInternalError",
     "nccl connect.cc", verified},
    {"perftest", "--flow_label", "none",
     "list of flow labels, given to the queue pairs in turn; label 0 means none",
     "different labels can give the same port (1 and 0x4000); there is no option for the port "
     "itself",
     "perftest perftest_resources.c", verified},
    {"libfabric", "(none)", "", "no setting for the port found; the label of RDMA-CM decides", "",
     "", inferred},
    {"mooncake", "mlx5_qp_udp_sports", "",
     "list of ports for the queue pairs, by mlx5dv_modify_qp_udp_sport()", "",
     "kvcache-ai/Mooncake pull request 2175", reported},
    {"mori", "MORI_MLX5_ENABLE_UDP_SPORT", "",
     "sets ports after RTS; MORI_BNXT_ENABLE_UDP_SPORT likewise", "one fixed port by default",
     "ROCm/mori pull requests 90, 362", reported},
    {"uccl", "UCCL_UDP_SPORT_BASE", "", "first port of its queue pairs", "",
     "uccl-project/uccl pull request 946", reported},
    {"verbs", "ah_attr.grh.flow_label", "0",
     "the label of a queue pair, given at INIT to RTR; give the same on both ends",
     "0 means none; drivers take a label with only bits above 20 for set, and its port is 49152",
     "linux include/rdma/ib_verbs.h", verified},
    {"verbs", "mlx5dv_modify_qp_udp_sport", "",
     "changes the port of an RC or UC queue pair in RTS; each end sets its own direction",
     "takes any 16-bit value; refuses queue pairs that were brought to RTS by raw DEVX (UCX DEVX, "
     "NVSHMEM IBGDA, DOCA)",
     "rdma-core providers/mlx5/verbs.c", verified},
    {"rdma-cm", "sin6_flowinfo", "0",
     "of an IPv6 source address: becomes the flow label, without a change of the verbs calls", "",
     "linux core/cma.c", verified},
    {"bond", "lag_tx_port_affinity", "0",
     "in queue affinity mode the bond member of a queue pair; in hash mode the port decides",
     "in queue affinity mode no source port changes the member", "NVIDIA/nccl pull request 2315",
     reported},
};

} // namespace

std::span<const knob> knobs()
{
    return table;
}

const knob *find_knob(std::string_view name)
{
    const auto it = std::find_if(std::begin(table), std::end(table),
                                 [name](const knob &k) { return k.name == name; });
    return it == std::end(table) ? nullptr : &*it;
}

} // namespace adp::flow
