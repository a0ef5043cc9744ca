// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/datagram_pair.h"

#include "data_path/frame.h"
#include "data_path/receive.h"

namespace adp::hca {

namespace {

// Kinds of network header in a completion (flags_rqpn of struct mlx5_cqe64): bit 28 says that there is
// one, bits 25:24 which one it is on RoCE.
constexpr std::uint32_t with_header = 1U << 28U;
constexpr unsigned kind_shift = 24;

// With the highest bit set the request means the queue pair's own (IBTA volume 1, 10.2.5).
constexpr std::uint32_t own_q_key = 1U << 31U;
constexpr std::uint32_t default_partition = 0xffff;

} // namespace

void datagram_pair::reset()
{
    psn_ = 0;
    if (ring_)
        ring_->consumed = 0;
    if (queue_)
        queue_->reset();
}

// ---- sending --------------------------------------------------------------------------------

fate datagram_pair::send(std::uint64_t now_ns, const pair_setting &pair, const work_request &work)
{
    if (work.malformed)
        return cqe_fate::local_operation;
    if (work.what == work_request::nothing)
        return {};
    if (work.length > pair.mtu)
        return cqe_fate::local_length;
    packet p;
    p.op = work.with_immediate ? packet_opcode::datagram_immediate : packet_opcode::datagram;
    p.psn = psn_;
    p.solicited = work.solicited;
    p.immediate = work.immediate;
    p.q_key = (work.q_key & own_q_key) != 0 ? pair.q_key : work.q_key;
    p.source_pair = special_ ? general_services : pair.number;
    if (work.is_inline) {
        p.payload = work.inlined;
    } else {
        p.payload.resize(static_cast<std::size_t>(work.length));
        if (!gather(host_.keys(), pair.domain, work.segments, 0, p.payload))
            return cqe_fate::local_protection;
    }
    psn_ = next_psn(psn_);
    host_.send(now_ns, work.where, std::move(p));
    return {};
}

void datagram_pair::sent(const pair_setting &pair, const work_request &work, fate end)
{
    if (end.syndrome != 0)
        host_.count_error(pair.counter_set, end);
    else if (!work.signalled)
        return;
    completion_entry e;
    e.opcode = end.syndrome != 0 ? cqe_opcode::requester_error : cqe_opcode::request;
    e.user_index = pair.user_index;
    e.queue_pair = pair.number;
    e.work_opcode = work.opcode;
    e.work_index = work.index;
    e.end = end;
    host_.complete(pair.send_completions, e);
}

void datagram_pair::ring(std::uint64_t now_ns, const pair_setting &pair)
{
    // A guest that goes on posting rings again.
    for (std::uint64_t n = 0; ring_ && pair.state == qp_state::rts && n < ring_->blocks; n++) {
        const auto work = take_work(*ring_, host_.memory(), true);
        if (!work)
            return;
        const fate end = send(now_ns, pair, *work);
        sent(pair, *work, end);
        if (end.syndrome != 0)
            host_.broken(pair.number);
    }
}

// ---- receiving ------------------------------------------------------------------------------

// The network header lies before the data, whether there is one or not.
bool datagram_pair::place(const pair_setting &pair, const packet &p, const segment_list &to) const
{
    const auto header = global_header(p);
    return scatter(host_.keys(), pair.domain, to, 0, header) &&
           scatter(host_.keys(), pair.domain, to, header.size(), p.payload);
}

// What nobody waits for is dropped in silence.
void datagram_pair::take(const pair_setting &pair, const packet &p)
{
    if (p.q_key != pair.q_key)
        return;
    receive_request r;
    const receive_state state = next_receive(host_, pair, queue_, r);
    if (state == receive_state::broken) {
        host_.count(pair.counter_set, "resp_local_qp_error", 1);
        host_.tell(event::queue_failed, pair.number);
        host_.broken(pair.number);
        return;
    }
    if (state == receive_state::empty) {
        host_.count(pair.counter_set, "out_of_buffer", 1);
        return;
    }
    const std::size_t length = global_header_bytes + p.payload.size();
    const bool fits = length <= length_of(r.segments);
    if (!fits || !place(pair, p, r.segments)) {
        host_.count(pair.counter_set, fits ? "resp_local_protection" : "resp_local_length_error",
                    1);
        fail_receive(host_, pair, r.index,
                     fits ? cqe_fate::receive_protection : cqe_fate::receive_length);
        host_.broken(pair.number);
        return;
    }
    completion_entry e;
    const bool immediate = p.op == packet_opcode::datagram_immediate;
    e.opcode = immediate ? cqe_opcode::send_immediate : cqe_opcode::send;
    e.user_index = pair.user_index;
    e.queue_pair = pair.number;
    e.work_index = r.index;
    e.immediate = immediate || !special_ ? p.immediate : default_partition; // QP1 is told the P_Key
    e.byte_count = static_cast<std::uint32_t>(length);
    e.solicited = p.solicited;
    e.source_lid = p.from.lid;
    e.source = (p.to.global ? with_header : 0) |
               static_cast<std::uint32_t>(header_kind(p)) << kind_shift | p.source_pair;
    host_.complete(pair.receive_completions, e);
}

void datagram_pair::flush(const pair_setting &pair)
{
    while (ring_) {
        const auto work = take_work(*ring_, host_.memory(), true);
        if (!work)
            break;
        sent(pair, *work, cqe_fate::flushed);
    }
    receive_request next;
    while (queue_ && queue_->take(host_.memory(), next) == receive_state::taken)
        fail_receive(host_, pair, next.index, cqe_fate::flushed);
}

} // namespace adp::hca
