// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The replay buffer: requests that are handed over, and what acknowledgements, responses and NAKs
// make of them. The timer is in engine.cpp.
#include "retry/encoding.h"
#include "retry/engine.h"
#include "retry/error_codes.h"

#include <algorithm>

namespace adp::retry {

outcome engine::post(std::uint64_t now_ns, request_kind kind, std::uint32_t packets)
{
    outcome o;
    const std::uint32_t n = std::max(packets, 1U);
    if (s_.status != 0 || s_.count >= replay_.size() || n > config_->options.max_packets ||
        s_.outstanding > config_->options.max_packets - n) {
        o.accepted = false;
        return o;
    }
    o.psn = next_psn();
    const bool idle = s_.count == 0;
    replay_[(s_.head + s_.count) % replay_.size()] = {o.psn, n, kind};
    s_.count++;
    s_.outstanding += n;
    if (!idle)
        return o;
    s_.since_ns = now_ns;
    s_.step = 0;
    if (config_->adp) {
        if (config_->adp->readings().draw_when_idle != 0 && s_.done != 0)
            config_->adp->redraw(s_.adp, s_.chance);
        config_->adp->draw(s_.adp, s_.chance);
    }
    arm(now_ns, o);
    return o;
}

// Takes that many packets off the front; returns how many requests are finished by it.
std::uint32_t engine::retire(std::uint32_t packets)
{
    s_.una = (s_.una + packets) & psn_mask;
    s_.outstanding -= packets;
    std::uint32_t finished = 0;
    while (s_.count != 0) {
        const request &r = replay_[s_.head];
        // Its end is ahead of the oldest unacknowledged packet while it is not finished.
        const std::uint32_t ahead = (r.psn + r.packets - s_.una) & psn_mask;
        if (ahead != 0 && ahead <= r.packets)
            break;
        s_.head = static_cast<std::uint16_t>((s_.head + 1U) % replay_.size());
        s_.count--;
        finished++;
    }
    s_.done += finished;
    return finished;
}

// An acknowledgement cannot confirm a read or an atomic: only their responses do. Returns how many
// of the packets may be taken.
std::uint32_t engine::up_to_read(std::uint32_t packets, bool &passed_read) const
{
    std::uint32_t end = 0; // packets from una to the end of the request looked at
    for (std::uint32_t i = 0; i < s_.count && end < packets; i++) {
        const request &r = replay_[(s_.head + i) % replay_.size()];
        const std::uint32_t begin = end;
        end = distance(r.psn + r.packets);
        if (r.kind == request_kind::read || r.kind == request_kind::atomic) {
            passed_read = true;
            return begin;
        }
    }
    return packets;
}

void engine::progress(std::uint64_t now_ns, outcome &o)
{
    reload();
    s_.step = 0;
    s_.gap = false;
    s_.adp.expiries = 0; // what retry_cnt counts with reading 21
    if (!config_->adp) {
        s_.since_ns = now_ns;
    } else if (config_->adp->readings().progress_per_ack != 0 || o.completed != 0) {
        s_.since_ns = now_ns;
        config_->adp->progress(s_.adp);
    }
    if (s_.outstanding != 0) {
        arm(now_ns, o);
    } else {
        s_.timer = engine_state::off;
        o.timer = outcome::disarm;
    }
}

// A response is missing: go back once for each gap, or a burst of late packets would spend the
// whole budget.
void engine::implied_nak(std::uint64_t now_ns, outcome &o)
{
    if (s_.gap)
        return;
    s_.gap = true;
    o.moved.implied_nak_seq_err++;
    if (spend())
        fail(o, transport_retries_exceeded);
    else
        repeat(now_ns, o);
}

outcome engine::ack(std::uint64_t now_ns, std::uint32_t psn)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding)
        return o; // a duplicate, or never sent
    bool passed_read = false;
    const std::uint32_t n = up_to_read(d + 1, passed_read);
    if (n != 0) {
        o.completed = retire(n);
        progress(now_ns, o);
    }
    if (passed_read)
        implied_nak(now_ns, o);
    return o;
}

outcome engine::response(std::uint64_t now_ns, std::uint32_t psn)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding)
        return o;
    // The request it belongs to, and what lies before.
    std::uint32_t begin = 0;
    std::uint32_t i = 0;
    for (; i < s_.count; i++) {
        const request &r = replay_[(s_.head + i) % replay_.size()];
        const std::uint32_t end = distance(r.psn + r.packets);
        const bool reads = r.kind == request_kind::read || r.kind == request_kind::atomic;
        if (d < end) {
            if (!reads)
                return o; // a response to something that has none
            break;
        }
        if (reads)
            break; // an earlier read is not finished: the gap is there
        begin = end;
    }
    if (i == s_.count)
        return o;
    // Everything before the read is confirmed by its response; the read itself as far as it is
    // whole.
    const std::uint32_t n = d == begin ? begin + 1 : begin;
    if (n != 0) {
        o.completed = retire(n);
        progress(now_ns, o);
    }
    if (d != begin)
        implied_nak(now_ns, o);
    return o;
}

outcome engine::nak(std::uint64_t now_ns, std::uint32_t psn, nak_code code)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding)
        return o;
    bool passed_read = false;
    const std::uint32_t n = up_to_read(d, passed_read);
    if (n != 0) {
        o.completed = retire(n);
        if (config_->options.nak_advance_reloads)
            progress(now_ns, o);
    }
    switch (code) {
    case nak_code::invalid_request: fail(o, remote_invalid_request); return o;
    case nak_code::remote_access: fail(o, remote_access_error); return o;
    case nak_code::remote_operation: fail(o, remote_operation_error); return o;
    case nak_code::sequence_error: break;
    }
    o.moved.packet_seq_err++;
    if (spend())
        fail(o, transport_retries_exceeded);
    else
        repeat(now_ns, o);
    return o;
}

outcome engine::rnr_nak(std::uint64_t now_ns, std::uint32_t psn, unsigned timer_code)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding || (d == 0 && s_.timer == engine_state::rnr))
        return o;
    bool passed_read = false;
    const std::uint32_t n = up_to_read(d, passed_read);
    if (n != 0) {
        o.completed = retire(n);
        if (config_->options.nak_advance_reloads)
            progress(now_ns, o);
    }
    o.moved.rnr_nak_retry_err++;
    if (config_->qp.rnr_retry != rnr_for_ever) {
        if (s_.rnr_left == 0) {
            fail(o, rnr_retries_exceeded);
            return o;
        }
        s_.rnr_left--;
    }
    // Model rule: the peer answered, so the profile's total starts anew; the transport budget is
    // another one and stays as it is.
    s_.since_ns = now_ns;
    s_.timer = engine_state::rnr;
    o.timer = outcome::arm_rnr;
    o.wait_ns = config_->model == model_id::rxe
                    ? rxe_rnr_timer_ns(timer_code, config_->options.rxe_jiffy_ns)
                    : rnr_timer_ns(timer_code);
    return o;
}

} // namespace adp::retry
