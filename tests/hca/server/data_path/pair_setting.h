// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a queue pair's context says to the two halves of its data path.
#pragma once

#include "data_path/packet.h"
#include "queue_pairs.h"

#include "retry/types.h"

namespace adp::hca {

struct pair_setting : route {
    std::uint32_t number = 0;
    qp_state state = qp_state::reset;
    std::uint32_t domain = 0;
    std::uint32_t user_index = 0;
    std::uint32_t counter_set = 0;
    std::uint32_t send_completions = 0;
    std::uint32_t receive_completions = 0;
    std::uint32_t shared_queue = 0; // 0: it has its own receive queue

    std::uint32_t mtu = 256;
    std::uint32_t q_key = 0; // of datagrams

    retry::qp_setting retry;
    unsigned reads_out = 1; // that may wait for a response
    unsigned reads_in = 1;  // that the other end may have waiting
    unsigned min_rnr_timer = 0;
    std::uint32_t first_send_psn = 0;
    std::uint32_t first_receive_psn = 0;
    bool remote_read = false;
    bool remote_write = false;
    bool remote_atomic = false;

    // Answers to what was sent still count while the send queue is drained.
    bool awaits_answers() const { return state == qp_state::rts || state == qp_state::sq_drained; }
    bool receives() const { return state == qp_state::rtr || awaits_answers(); }

    static pair_setting of(std::uint32_t number, view context);
};

} // namespace adp::hca
