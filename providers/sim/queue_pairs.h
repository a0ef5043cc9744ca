// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The queue pairs that a simulated device shows: a few fixed ones, so that what lists them can be
// tried without a NIC. None of them carries traffic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adp::sim {

struct queue_pair {
    std::uint32_t lqpn = 0;
    std::uint32_t pid = 0;
    std::uint8_t type = 0;  // enum ibv_qp_type
    std::uint8_t state = 0; // enum ibv_qp_state
    std::string comm;
    std::string local_gid;
    std::vector<std::uint8_t> context; // as QUERY_QP shows it
};

std::vector<queue_pair> queue_pairs(const std::string &device);

} // namespace adp::sim
