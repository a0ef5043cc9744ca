// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/receive.h"

namespace adp::hca {

receive_state next_receive(pair_host &host, const pair_setting &pair,
                           std::optional<receive_queue> &own, receive_request &to)
{
    receive_queue *queue = pair.shared_queue != 0 ? host.shared_queue(pair.shared_queue)
                           : own                  ? &*own
                                                  : nullptr;
    return queue == nullptr ? receive_state::broken : queue->take(host.memory(), to);
}

void fail_receive(pair_host &host, const pair_setting &pair, std::uint16_t index, fate end)
{
    host.count(pair.counter_set, "resp_cqe_error", 1);
    if (end.syndrome == cqe_fate::flushed.syndrome)
        host.count(pair.counter_set, "resp_cqe_flush_error", 1);
    completion_entry e;
    e.opcode = cqe_opcode::responder_error;
    e.user_index = pair.user_index;
    e.queue_pair = pair.number;
    e.work_index = index;
    e.end = end;
    host.complete(pair.receive_completions, e);
}

} // namespace adp::hca
