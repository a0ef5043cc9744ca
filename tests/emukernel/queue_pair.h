// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A queue pair of the emulated device: what the verbs gave it, and its context as QUERY_QP shows it.
// Places in the context are counted here from rdma-core's mlx5_ifc.h, not taken from libadp.
#pragma once

#include <cstdint>
#include <rdma/ib_user_verbs.h>
#include <span>

namespace adp::emukernel {

struct queue_pair {
    ib_uverbs_qp_dest dest{};
    std::uint32_t number = 0;
    std::uint32_t dest_number = 0;
    std::uint32_t sq_psn = 0;
    std::uint16_t udp_sport = 0;
    std::uint8_t type = 0;  // enum ib_qp_type
    std::uint8_t state = 0; // enum ib_qp_state
    std::uint8_t port = 0;
    std::uint8_t path_mtu = 0;
    std::uint8_t timeout = 0;
    std::uint8_t retry_cnt = 0;
    std::uint8_t rnr_retry = 0;
    std::uint8_t min_rnr_timer = 0;
    std::uint8_t counter_set = 3; // the port's own

    // INIT to RTR gives it a source port: the kernel's mlx5_set_path_udp_sport().
    void choose_sport();
    // One of the commands that move a queue pair from state to state, or RTS2RTS_QP; false: the
    // firmware would not take it in this state.
    bool apply(std::span<const std::uint8_t> in);
    // The answer to QUERY_QP, header and all.
    void answer(std::span<std::uint8_t> out) const;
};

bool is_queue_pair_command(unsigned opcode);

} // namespace adp::emukernel
