// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/requester.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::uint64_t longest_message = std::uint64_t{1} << 30U;
constexpr std::uint32_t ack_every = 16; // packets of a long message

retry::request_kind kind_of(const work_request &work)
{
    switch (work.what) {
    case work_request::write: return retry::request_kind::write;
    case work_request::read: return retry::request_kind::read;
    case work_request::compare_swap:
    case work_request::fetch_add: return retry::request_kind::atomic;
    default: return retry::request_kind::send;
    }
}

std::uint32_t packets_of(const work_request &work, std::uint32_t mtu)
{
    if (work.what == work_request::nothing)
        return 0;
    if (work.atomic())
        return 1;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (work.length + mtu - 1) / mtu));
}

} // namespace

void requester::start(const pair_setting &pair, std::uint64_t seed)
{
    config_ = host_.retry_config(pair.retry);
    engine_.emplace(*config_, replay_, seed, pair.first_send_psn);
    send_psn_ = high_psn_ = pair.first_send_psn;
}

void requester::reset()
{
    messages_.clear();
    known_ = 0;
    engine_.reset();
    config_.reset();
    obstacle_.reset();
    armed_wait_ns_ = 0;
    since_ns_ = retry::never;
    expiries_ = 0;
    if (ring_)
        ring_->consumed = 0;
}

std::optional<requester::live_state> requester::live() const
{
    if (!engine_)
        return std::nullopt;
    const retry::engine_state &s = engine_->state();
    const unsigned budget = engine_->config().qp.retry_cnt;
    return live_state{send_psn_, (s.una - 1) & psn_bits,
                      budget - std::min(budget, engine_->units_spent()), s.rnr_left};
}

// The register, the chosen model or the attributes may have changed: before each event.
void requester::adopt_config(const pair_setting &pair)
{
    pair_host::config now = host_.retry_config(pair.retry);
    if (now == config_)
        return;
    engine_->use(*now);
    if (&engine_->config() == now.get()) // else a reading says that it keeps what it began with
        config_ = std::move(now);
}

// ---- work requests --------------------------------------------------------------------------

std::optional<work_request> requester::fetch_one()
{
    const auto produced = ring_->produced(host_.memory());
    if (!produced || *produced == ring_->consumed)
        return std::nullopt;
    const auto posted = static_cast<std::uint16_t>(*produced - ring_->consumed);
    work_request broken;
    broken.malformed = true;
    const std::uint8_t *control = ring_->at(host_.memory(), ring_->consumed, 16);
    // The record and the queue do not fit together: one request that fails stands for all of it.
    if (control == nullptr || posted > ring_->blocks) {
        ring_->consumed = *produced;
        return broken;
    }
    const unsigned blocks = work_request::blocks({control, 16});
    if (blocks > posted) {
        ring_->consumed = *produced;
        return broken;
    }
    bytes wqe;
    for (unsigned i = 0; i < blocks; i++) {
        const std::uint8_t *block =
            ring_->at(host_.memory(), std::uint64_t{ring_->consumed} + i, send_ring::block_bytes);
        if (block != nullptr)
            wqe.insert(wqe.end(), block, block + send_ring::block_bytes);
    }
    ring_->consumed = static_cast<std::uint16_t>(ring_->consumed + blocks);
    return work_request::parse(wqe);
}

void requester::fetch(const pair_setting &pair)
{
    if (!ring_)
        return;
    while (auto work = fetch_one()) {
        // One that is malformed takes its turn as if it were a packet, to end in order.
        const std::uint32_t packets = work->malformed ? 1 : packets_of(*work, pair.mtu);
        messages_.push_back({std::move(*work), 0, packets});
    }
}

// Why a request cannot be sent; no syndrome: it can.
fate requester::judge(const message &m, const pair_setting &pair) const
{
    const work_request &work = m.work;
    if (work.malformed)
        return cqe_fate::local_operation;
    if (work.length > longest_message)
        return cqe_fate::local_length;
    const auto right =
        work.awaits_response() ? memory_right::local_write : memory_right::local_read;
    const bool reachable =
        std::all_of(work.segments.begin(), work.segments.end(), [&](const memory_segment &one) {
            return host_.keys().allows({pair.domain, one.key, one.address, right}, one.length);
        });
    return reachable ? fate{} : cqe_fate::local_protection;
}

// ---- sending --------------------------------------------------------------------------------

void requester::ring(std::uint64_t now_ns, const pair_setting &pair)
{
    if (!engine_ || pair.state != qp_state::rts)
        return;
    adopt_config(pair);
    fetch(pair);
    pump(now_ns, pair);
}

// Sends what may be sent: what is to be repeated first, then the next requests.
void requester::pump(std::uint64_t now_ns, const pair_setting &pair)
{
    while (pair.state == qp_state::rts && engine_ &&
           engine_->state().timer != retry::engine_state::rnr) {
        finish_empty(pair);
        const std::uint32_t una = engine_->state().una;
        if (obstacle_ && send_psn_ == obstacle_->psn) {
            if (una == obstacle_->psn)
                fail(now_ns, pair, obstacle_->end);
            return;
        }
        if (static_cast<std::size_t>(psn_ahead(send_psn_, una)) >= window)
            return;
        const bool more =
            send_psn_ != engine_->next_psn() ? send_packet(now_ns, pair) : begin_next(now_ns, pair);
        if (!more)
            return;
    }
}

// The next request becomes known to the engine, which starts its timer. False: none may begin.
bool requester::begin_next(std::uint64_t now_ns, const pair_setting &pair)
{
    while (known_ < messages_.size() && messages_[known_].packets == 0)
        known_++;
    if (known_ == messages_.size())
        return false;
    message &m = messages_[known_];
    const auto reads = static_cast<std::size_t>(
        std::count_if(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(known_),
                      [](const message &one) { return one.work.awaits_response(); }));
    if ((m.work.awaits_response() && reads >= pair.reads_out) || (m.work.fence && reads != 0))
        return false;
    if (const fate end = judge(m, pair); end.syndrome != 0) {
        obstacle_ = obstacle{send_psn_, end};
        return true;
    }
    const retry::outcome o = engine_->post(now_ns, kind_of(m.work), m.packets);
    if (!o.accepted)
        return false;
    m.psn = o.psn;
    known_++;
    act(now_ns, pair, o, std::nullopt);
    return true;
}

requester::message *requester::message_at(std::uint32_t psn)
{
    for (std::size_t i = 0; i < known_; i++) {
        message &m = messages_[i];
        const std::int32_t ahead = psn_ahead(psn, m.psn);
        if (m.packets != 0 && ahead >= 0 && static_cast<std::uint32_t>(ahead) < m.packets)
            return &m;
    }
    return nullptr;
}

// The packet of send_psn_. False: it cannot be sent.
bool requester::send_packet(std::uint64_t now_ns, const pair_setting &pair)
{
    const message *m = message_at(send_psn_);
    if (m == nullptr)
        return false;
    const work_request &work = m->work;
    const auto index = static_cast<std::uint32_t>(psn_ahead(send_psn_, m->psn));
    const std::uint64_t offset = std::uint64_t{index} * pair.mtu;
    const bool first = index == 0;
    const bool last = index + 1 == m->packets;
    packet p;
    p.psn = send_psn_;
    p.solicited = work.solicited && last;
    p.ack_request = last || send_psn_ % ack_every == ack_every - 1;
    p.address = work.remote_address;
    p.key = work.remote_key;
    p.length = static_cast<std::uint32_t>(work.length);
    p.immediate = work.immediate;
    p.swap_or_add = work.swap_or_add;
    p.compare = work.compare;
    std::uint32_t step = 1;
    switch (work.what) {
    case work_request::send:
    case work_request::write: {
        p.op = work.what == work_request::send ? send_opcode(first, last, work.with_immediate)
                                               : write_opcode(first, last, work.with_immediate);
        const auto n =
            static_cast<std::size_t>(std::min<std::uint64_t>(pair.mtu, work.length - offset));
        p.payload.resize(n);
        if (work.is_inline) {
            std::copy_n(work.inlined.begin() + static_cast<std::ptrdiff_t>(offset), n,
                        p.payload.begin());
        } else if (!gather(host_.keys(), pair.domain, work.segments, offset, p.payload)) {
            obstacle_ = obstacle{send_psn_, cqe_fate::local_protection};
            return true;
        }
        break;
    }
    case work_request::read:
        // Repeated from the middle it asks for the rest.
        p.op = packet_opcode::read_request;
        p.address += offset;
        p.length -= static_cast<std::uint32_t>(offset);
        step = m->packets - index;
        break;
    case work_request::compare_swap: p.op = packet_opcode::compare_swap; break;
    case work_request::fetch_add: p.op = packet_opcode::fetch_add; break;
    case work_request::nothing: return false;
    }
    send_psn_ = next_psn(send_psn_, step);
    if (psn_ahead(send_psn_, high_psn_) > 0)
        high_psn_ = send_psn_;
    host_.send(now_ns, pair, std::move(p));
    return true;
}

// ---- what the engine says -------------------------------------------------------------------

void requester::expired(std::uint64_t now_ns, const pair_setting &pair)
{
    if (!engine_ || pair.state != qp_state::rts)
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
    fail(now_ns, pair, {o.syndrome, o.vendor});
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
void requester::fail(std::uint64_t now_ns, const pair_setting &pair, fate end)
{
    finish_empty(pair);
    if (!messages_.empty()) {
        host_.count_error(pair.counter_set, end);
        complete(pair, messages_.front().work, end);
        messages_.pop_front();
        known_ -= known_ != 0 ? 1 : 0;
    }
    host_.disarm(pair.number);
    host_.broken(now_ns, pair.number);
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
    if (!engine_ || pair.state != qp_state::rts)
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
            fail(now_ns, pair, end);
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
