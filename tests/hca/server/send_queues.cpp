// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "send_queues.h"

#include "qp_context.h"
#include "text/format.h"

#include <algorithm>

namespace adp::hca {

void send_queues::create_plain(std::uint32_t number, view in)
{
    if (auto ring = send_ring::plain(in))
        queues_.insert_or_assign(number, queue{std::move(*ring), false});
}

void send_queues::create_for_pair(std::uint32_t number, view in)
{
    if (auto ring = send_ring::of_pair(in))
        queues_.insert_or_assign(number, queue{std::move(*ring), true});
}

void send_queues::reset(std::uint32_t number)
{
    if (const auto found = queues_.find(number); found != queues_.end())
        found->second.ring.consumed = 0;
}

void send_queues::ring(std::uint32_t number)
{
    const auto found = queues_.find(number);
    if (found == queues_.end())
        return;
    send_ring &ring = found->second.ring;
    const auto produced = ring.produced(memory_);
    if (!produced)
        return;
    // A record that lies claims more than the queue holds.
    for (std::uint64_t guard = 0; ring.consumed != *produced && guard < ring.blocks; guard++)
        if (!execute(number, found->second))
            return;
    ring.consumed = *produced;
}

bool send_queues::execute(std::uint32_t number, queue &q)
{
    send_ring &ring = q.ring;
    const std::uint8_t *guest = ring.at(memory_, ring.consumed, qpc::control_segment_bytes);
    if (guest == nullptr) {
        log_(adp::format("queue {:#x}: work request {} is not in mapped memory", number,
                         ring.consumed));
        return false;
    }
    const view segment{guest, qpc::control_segment_bytes};
    const std::uint32_t head = get32(segment, 0);
    const unsigned sixteenths = get32(segment, 4) & 0x3f;
    const unsigned wanted = segment[11] >> 2U & 3U; // 2: a completion; 3: and an event
    const fate f = q.of_pair ? judge_(number) : fate{};

    completion_entry e;
    e.user_index = ring.user_index;
    e.queue_pair = number;
    e.work_opcode = static_cast<std::uint8_t>(head);
    e.work_index = static_cast<std::uint16_t>(head >> 8U);
    if (f.syndrome != 0) {
        e.opcode = cqe_opcode::requester_error;
        e.end = f;
    }
    if (f.syndrome != 0 || wanted >= 2)
        completions_.push(ring.completions, e.encode());
    const unsigned blocks = std::max(1U, (sixteenths + 3) / 4);
    ring.consumed = static_cast<std::uint16_t>(ring.consumed + blocks);
    return true;
}

} // namespace adp::hca
