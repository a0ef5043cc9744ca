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

void requester::fetch(const pair_setting &pair)
{
    if (!ring_)
        return;
    while (auto work = take_work(*ring_, host_.memory())) {
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
                fail(pair, obstacle_->end);
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

} // namespace adp::hca
