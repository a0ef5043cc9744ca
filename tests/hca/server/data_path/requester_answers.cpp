// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What comes back to a requester, or does not: what the retry engine makes of it, and completions.
#include "data_path/requester.h"

#include <algorithm>

namespace adp::hca {

// ---- what the engine says -------------------------------------------------------------------

void requester::expired(std::uint64_t now_ns, const pair_setting &pair)
{
    if (!engine_ || !pair.awaits_answers())
        return;
    const bool rnr = engine_->state().timer == retry::engine_state::rnr;
    if (!rnr) {
        expiries_++;
        host_.timed_out(armed_wait_ns_);
    }
    adopt_config(pair);
    act(now_ns, pair, engine_->expired(now_ns), rnr ? retry_event::rnr_over : retry_event::expired);
    pump(now_ns, pair);
}

// why: what to call it in the log, where it is an event that belongs there.
void requester::act(std::uint64_t now_ns, const pair_setting &pair, const retry::outcome &o,
                    std::optional<retry_event::kind> why)
{
    count(pair, o.moved);
    finish(pair, o.completed);
    const std::uint32_t una = engine_->state().una;
    if (psn_ahead(send_psn_, una) < 0)
        send_psn_ = una;
    if (o.timer == retry::outcome::arm_ack || o.timer == retry::outcome::arm_rnr) {
        armed_wait_ns_ = o.wait_ns;
        host_.arm(pair.number, now_ns + o.wait_ns);
    } else if (o.timer == retry::outcome::disarm) {
        host_.disarm(pair.number);
    }
    if (const std::uint64_t since = engine_->state().since_ns; since != since_ns_) {
        since_ns_ = since;
        expiries_ = 0;
    }
    if (why && (why == retry_event::expired || o.retransmit || o.timer == retry::outcome::arm_rnr))
        note(now_ns, pair, *why, o.wait_ns, 0);
    if (o.retransmit)
        send_psn_ = o.psn;
    if (!o.failed)
        return;
    // The default firmware's last copy leaves with the error.
    if (o.retransmit)
        send_packet(now_ns, pair);
    note(now_ns, pair, retry_event::failed, 0, o.status);
    fail(pair, {o.syndrome, o.vendor});
}

// Those of the error itself come from the table that all errors share.
void requester::count(const pair_setting &pair, const retry::counter_moves &moved)
{
    struct move {
        std::string_view name;
        std::uint8_t retry::counter_moves::*by;
    };
    using m = retry::counter_moves;
    static constexpr std::array moves{
        move{"local_ack_timeout_err", &m::local_ack_timeout_err},
        move{"roce_adp_retrans", &m::roce_adp_retrans},
        move{"roce_adp_retrans_to", &m::roce_adp_retrans_to},
        move{"packet_seq_err", &m::packet_seq_err},
        move{"implied_nak_seq_err", &m::implied_nak_seq_err},
        move{"rnr_nak_retry_err", &m::rnr_nak_retry_err},
    };
    for (const move &one : moves)
        if (moved.*one.by != 0)
            host_.count(pair.counter_set, one.name, moved.*one.by);
}

// ---- completions ----------------------------------------------------------------------------

void requester::complete(const pair_setting &pair, const work_request &work, fate end)
{
    if (end.syndrome == 0 && !work.signalled)
        return;
    completion_entry e;
    e.user_index = pair.user_index;
    e.queue_pair = pair.number;
    e.work_opcode = work.opcode;
    e.work_index = work.index;
    if (end.syndrome != 0) {
        e.opcode = cqe_opcode::requester_error;
        e.end = end;
    } else if (work.awaits_response()) {
        e.byte_count = static_cast<std::uint32_t>(work.length);
    }
    host_.complete(pair.send_completions, e);
}

// Requests without packets at the front are done when their turn comes.
void requester::finish_empty(const pair_setting &pair)
{
    while (!messages_.empty() && messages_.front().packets == 0) {
        complete(pair, messages_.front().work, {});
        messages_.pop_front();
        known_ -= known_ != 0 ? 1 : 0;
    }
}

void requester::finish(const pair_setting &pair, std::uint32_t completed)
{
    for (; completed != 0 && !messages_.empty(); completed--) {
        finish_empty(pair);
        if (messages_.empty())
            return;
        complete(pair, messages_.front().work, {});
        messages_.pop_front();
        known_ -= known_ != 0 ? 1 : 0;
    }
    finish_empty(pair);
}

// The oldest request ends with this error, and with it the queue pair.
void requester::fail(const pair_setting &pair, fate end)
{
    finish_empty(pair);
    if (!messages_.empty()) {
        host_.count_error(pair.counter_set, end);
        complete(pair, messages_.front().work, end);
        messages_.pop_front();
        known_ -= known_ != 0 ? 1 : 0;
    }
    host_.disarm(pair.number);
    host_.broken(pair.number);
}

void requester::flush(const pair_setting &pair)
{
    fetch(pair);
    for (; !messages_.empty(); messages_.pop_front()) {
        host_.count_error(pair.counter_set, cqe_fate::flushed);
        complete(pair, messages_.front().work, cqe_fate::flushed);
    }
    known_ = 0;
    obstacle_.reset();
}

// ---- answers --------------------------------------------------------------------------------

void requester::take(std::uint64_t now_ns, const pair_setting &pair, const packet &p)
{
    if (!engine_ || !pair.awaits_answers())
        return;
    const std::uint32_t una = engine_->state().una;
    // An answer to something that was answered before, or that was never sent.
    if (psn_ahead(p.psn, una) < 0 || psn_ahead(p.psn, high_psn_) >= 0)
        return;
    adopt_config(pair);
    const opcode_facts *facts = facts_of(p.op);
    if (facts->family != packet_family::acknowledge) {
        fate end;
        if (!read_data(pair, p, end)) {
            fail(pair, end);
            return;
        }
        act(now_ns, pair, engine_->response(now_ns, p.psn), retry_event::implied_nak);
        pump(now_ns, pair);
        return;
    }
    const unsigned value = p.syndrome & aeth::value_mask;
    switch (p.syndrome & aeth::kind_mask) {
    case 0: act(now_ns, pair, engine_->ack(now_ns, p.psn), retry_event::implied_nak); break;
    case aeth::receiver_not_ready: {
        const retry::outcome o = engine_->rnr_nak(now_ns, p.psn, value);
        if (o.timer == retry::outcome::arm_rnr)
            send_psn_ = engine_->state().una;
        act(now_ns, pair, o, retry_event::rnr_nak);
        break;
    }
    case aeth::kind_mask &aeth::sequence_error:
        if (value <= static_cast<unsigned>(retry::nak_code::remote_operation))
            act(now_ns, pair, engine_->nak(now_ns, p.psn, static_cast<retry::nak_code>(value)),
                retry_event::nak);
        break;
    default: return; // reserved
    }
    pump(now_ns, pair);
}

// Data of a response that is in turn goes into memory. False: it cannot; end says why.
bool requester::read_data(const pair_setting &pair, const packet &p, fate &end)
{
    const std::uint32_t una = engine_->state().una;
    const auto found =
        std::find_if(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(known_),
                     [](const message &m) { return m.packets != 0 && m.work.awaits_response(); });
    if (found == messages_.begin() + static_cast<std::ptrdiff_t>(known_))
        return true;
    const message &m = *found;
    const std::uint32_t wanted = psn_ahead(una, m.psn) > 0 ? una : m.psn;
    if (p.psn != wanted)
        return true; // the engine knows what a gap means
    const auto index = static_cast<std::uint32_t>(psn_ahead(p.psn, m.psn));
    const std::uint64_t offset = std::uint64_t{index} * pair.mtu;
    const bool atomic = p.op == packet_opcode::atomic_acknowledge;
    std::array<std::uint8_t, 8> old{};
    if (atomic) // in the byte order of the guest's processor
        for (std::size_t i = 0; i < old.size(); i++)
            old[i] = static_cast<std::uint8_t>(p.swap_or_add >> 8U * i);
    const view data = atomic ? view{old} : view{p.payload};
    const std::uint64_t expected =
        atomic ? old.size() : std::min<std::uint64_t>(pair.mtu, m.work.length - offset);
    if (atomic != m.work.atomic() || data.size() != expected) {
        end = cqe_fate::bad_response;
        return false;
    }
    if (!scatter(host_.keys(), pair.domain, m.work.segments, offset, data)) {
        end = cqe_fate::local_protection;
        return false;
    }
    return true;
}

void requester::note(std::uint64_t now_ns, const pair_setting &pair, retry_event::kind what,
                     std::uint64_t wait_ns, std::uint8_t status)
{
    const retry::engine_state &s = engine_->state();
    const retry::engine_config &c = engine_->config();
    host_.note(
        {what, status, c.model, c.qp, pair.number, s.una, s.since_ns, now_ns, wait_ns, expiries_});
}

} // namespace adp::hca
