// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/responder.h"

#include "data_path/receive.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t remembered_atomics = 16; // log_rra_max of the contexts here is at most 4
constexpr std::size_t most_waiting = 256;      // responses in line; a peer that asks for more loses

constexpr std::uint32_t longest_message = 1U << 31U;

std::uint32_t packets_of(std::uint32_t length, std::uint32_t mtu)
{
    const std::uint64_t packets = (std::uint64_t{length} + mtu - 1) / mtu;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, packets));
}

std::uint8_t event_of(std::uint8_t syndrome)
{
    switch (syndrome) {
    case aeth::invalid_request: return event::invalid_request;
    case aeth::remote_access: return event::access_violation;
    default: return event::queue_failed;
    }
}

// Order of bytes of the guest's processor.
std::uint64_t little_endian(view bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8U | bytes[i];
    return value;
}

} // namespace

void responder::start(const pair_setting &pair)
{
    expected_psn_ = pair.first_receive_psn;
    nak_sent_ = rnr_sent_ = false;
    within_ = within::nothing;
}

void responder::reset()
{
    expected_psn_ = message_number_ = 0;
    nak_sent_ = rnr_sent_ = false;
    within_ = within::nothing;
    receive_.reset();
    atomics_.clear();
    waiting_.clear();
    if (queue_)
        queue_->reset();
}

// ---- requests -------------------------------------------------------------------------------

void responder::take(std::uint64_t now_ns, const pair_setting &pair, const packet &p)
{
    const opcode_facts &facts = *facts_of(p.op);
    const std::int32_t ahead = psn_ahead(p.psn, expected_psn_);
    if (ahead > 0) {
        if (rnr_sent_)
            return;
        host_.count(pair.counter_set, "out_of_sequence", 1);
        if (!nak_sent_) {
            nak_sent_ = true;
            answer(now_ns, pair, expected_psn_, aeth::sequence_error);
        }
        return;
    }
    if (ahead < 0) {
        duplicate(now_ns, pair, p, facts);
        return;
    }
    nak_sent_ = rnr_sent_ = false;
    if (!in_order(facts)) {
        refuse(now_ns, pair, p.psn, aeth::invalid_request, "resp_remote_invalid_request");
        return;
    }
    std::uint32_t packets = 1;
    switch (facts.family) {
    case packet_family::send:
        if (!take_send(now_ns, pair, p, facts))
            return;
        break;
    case packet_family::write:
        if (!take_write(now_ns, pair, p, facts))
            return;
        break;
    case packet_family::atomic:
        if (!take_atomic(now_ns, pair, p))
            return;
        break;
    default:
        if (!take_read(now_ns, pair, p))
            return;
        packets = packets_of(p.length, pair.mtu);
        break;
    }
    expected_psn_ = next_psn(expected_psn_, packets);
    if (facts.last)
        message_number_ = next_psn(message_number_);
    if (facts.family == packet_family::read)
        answer_read(now_ns, pair, p);
    else if (facts.family == packet_family::atomic)
        answer_atomic(now_ns, pair, p.psn);
    else if (p.ack_request)
        answer(now_ns, pair, p.psn, aeth::positive);
}

// It was done before: its answer may have been lost.
void responder::duplicate(std::uint64_t now_ns, const pair_setting &pair, const packet &p,
                          const opcode_facts &facts)
{
    host_.count(pair.counter_set, "duplicate_request", 1);
    if (facts.family == packet_family::read)
        answer_read(now_ns, pair, p);
    else if (facts.family == packet_family::atomic)
        answer_atomic(now_ns, pair, p.psn);
    else
        answer(now_ns, pair, (expected_psn_ - 1) & psn_bits, aeth::positive);
}

// First, middle and last packets of one message follow each other.
bool responder::in_order(const opcode_facts &facts) const
{
    if (facts.first)
        return within_ == within::nothing;
    return within_ == (facts.family == packet_family::send ? within::send : within::write);
}

// False: there is none; the packet has been refused.
bool responder::take_receive(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn)
{
    receive_request next;
    const receive_state state = next_receive(host_, pair, queue_, next);
    if (state == receive_state::taken) {
        receive_ = std::move(next);
        return true;
    }
    if (state == receive_state::broken) {
        refuse(now_ns, pair, psn, aeth::remote_operation, "resp_local_qp_error");
        return false;
    }
    host_.count(pair.counter_set, "out_of_buffer", 1);
    rnr_sent_ = true;
    answer(now_ns, pair, psn,
           static_cast<std::uint8_t>(aeth::receiver_not_ready | pair.min_rnr_timer));
    return false;
}

bool responder::take_send(std::uint64_t now_ns, const pair_setting &pair, const packet &p,
                          const opcode_facts &facts)
{
    if (facts.first && !take_receive(now_ns, pair, p.psn))
        return false;
    receive_request &r = *receive_;
    if (p.payload.size() > length_of(r.segments) - r.filled)
        return refuse(now_ns, pair, p.psn, aeth::invalid_request, "resp_local_length_error",
                      cqe_fate::receive_length);
    if (!scatter(host_.keys(), pair.domain, r.segments, r.filled, p.payload))
        return refuse(now_ns, pair, p.psn, aeth::remote_operation, "resp_local_protection",
                      cqe_fate::receive_protection);
    r.filled += p.payload.size();
    within_ = facts.last ? within::nothing : within::send;
    if (facts.last)
        complete(pair, facts.immediate ? cqe_opcode::send_immediate : cqe_opcode::send, p,
                 static_cast<std::uint32_t>(r.filled));
    return true;
}

bool responder::take_write(std::uint64_t now_ns, const pair_setting &pair, const packet &p,
                           const opcode_facts &facts)
{
    // A receive is needed before anything is written.
    if (facts.immediate && !take_receive(now_ns, pair, p.psn))
        return false;
    if (facts.first) {
        host_.count(pair.counter_set, "rx_write_requests", 1);
        write_address_ = p.address;
        write_key_ = p.key;
        write_left_ = write_length_ = p.length;
    }
    if (p.payload.size() > write_left_ || (facts.last && p.payload.size() != write_left_))
        return refuse(now_ns, pair, p.psn, aeth::invalid_request, "resp_remote_invalid_request");
    if (!pair.remote_write ||
        !host_.keys().write({pair.domain, write_key_, write_address_, memory_right::remote_write},
                            p.payload))
        return refuse(now_ns, pair, p.psn, aeth::remote_access, "resp_remote_access_errors");
    write_address_ += p.payload.size();
    write_left_ -= static_cast<std::uint32_t>(p.payload.size());
    within_ = facts.last ? within::nothing : within::write;
    if (facts.immediate)
        complete(pair, cqe_opcode::write_immediate, p, write_length_);
    return true;
}

bool responder::take_atomic(std::uint64_t now_ns, const pair_setting &pair, const packet &p)
{
    host_.count(pair.counter_set, "rx_atomic_requests", 1);
    const memory_keys::access where{pair.domain, p.key, p.address, memory_right::remote_atomic};
    std::array<std::uint8_t, 8> data{};
    if (!pair.remote_atomic || p.address % data.size() != 0 || !host_.keys().read(where, data))
        return refuse(now_ns, pair, p.psn, aeth::remote_access, "resp_remote_access_errors");
    const std::uint64_t old = little_endian(data);
    std::uint64_t now = old;
    if (p.op == packet_opcode::fetch_add)
        now = old + p.swap_or_add;
    else if (old == p.compare)
        now = p.swap_or_add;
    for (std::size_t i = 0; i < data.size(); i++)
        data[i] = static_cast<std::uint8_t>(now >> 8U * i);
    if (!host_.keys().write(where, data))
        return refuse(now_ns, pair, p.psn, aeth::remote_access, "resp_remote_access_errors");
    atomics_.push_back({p.psn, old});
    if (atomics_.size() > remembered_atomics)
        atomics_.pop_front();
    return true;
}

bool responder::take_read(std::uint64_t now_ns, const pair_setting &pair, const packet &p)
{
    host_.count(pair.counter_set, "rx_read_requests", 1);
    if (p.length > longest_message)
        return refuse(now_ns, pair, p.psn, aeth::invalid_request, "resp_remote_invalid_request");
    if (!pair.remote_read)
        return refuse(now_ns, pair, p.psn, aeth::remote_access, "resp_remote_access_errors");
    return true;
}

// ---- answers --------------------------------------------------------------------------------

// They leave in order: an acknowledgement waits behind the responses before it.
void responder::put_in_line(std::uint64_t now_ns, const pair_setting &pair, response r)
{
    if (waiting_.size() >= most_waiting)
        return;
    r.head.message_number = message_number_;
    waiting_.push_back(std::move(r));
    work(now_ns, pair);
}

void responder::answer(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn,
                       std::uint8_t syndrome)
{
    packet p;
    p.op = packet_opcode::acknowledge;
    p.psn = psn;
    p.syndrome = syndrome;
    put_in_line(now_ns, pair, {std::move(p), 0, 0});
}

void responder::answer_read(std::uint64_t now_ns, const pair_setting &pair, const packet &p)
{
    packet head;
    head.psn = p.psn;
    head.address = p.address;
    head.key = p.key;
    head.length = p.length;
    put_in_line(now_ns, pair, {std::move(head), packets_of(p.length, pair.mtu), 0});
}

// The value from before the operation, also to one that is repeated.
void responder::answer_atomic(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn)
{
    const auto found = std::find_if(atomics_.begin(), atomics_.end(),
                                    [psn](const atomic_result &one) { return one.psn == psn; });
    if (found == atomics_.end())
        return;
    packet p;
    p.op = packet_opcode::atomic_acknowledge;
    p.psn = psn;
    p.swap_or_add = found->value;
    p.syndrome = aeth::positive;
    put_in_line(now_ns, pair, {std::move(p), 0, 0});
}

bool responder::send_read_packet(std::uint64_t now_ns, const pair_setting &pair, response &r)
{
    const std::uint64_t offset = std::uint64_t{r.sent} * pair.mtu;
    packet p;
    p.op = read_response_opcode(r.sent == 0, r.sent + 1 == r.packets);
    p.psn = next_psn(r.head.psn, r.sent);
    p.syndrome = aeth::positive;
    p.message_number = r.head.message_number;
    p.payload.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(pair.mtu, r.head.length - offset)));
    const memory_keys::access where{pair.domain, r.head.key, r.head.address + offset,
                                    memory_right::remote_read};
    if (!pair.remote_read || !host_.keys().read(where, p.payload)) {
        const std::uint32_t psn = p.psn;
        waiting_.clear();
        return refuse(now_ns, pair, psn, aeth::remote_access, "resp_remote_access_errors");
    }
    r.sent++;
    host_.send(now_ns, pair, std::move(p));
    return true;
}

bool responder::work(std::uint64_t now_ns, const pair_setting &pair)
{
    while (!waiting_.empty() && !host_.crowded()) {
        response &r = waiting_.front();
        if (r.packets == 0) {
            packet p = std::move(r.head);
            waiting_.pop_front();
            host_.send(now_ns, pair, std::move(p));
            continue;
        }
        if (!send_read_packet(now_ns, pair, r))
            return false;
        if (r.sent == r.packets)
            waiting_.pop_front();
    }
    return !waiting_.empty();
}

bool responder::refuse(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn,
                       std::uint8_t syndrome, std::string_view counter, fate receive_end)
{
    host_.count(pair.counter_set, counter, 1);
    answer(now_ns, pair, psn, syndrome);
    if (receive_end.syndrome != 0)
        complete_with_error(pair, receive_end);
    else // no completion says it (IBTA volume 1, 11.6.3.2)
        host_.tell(event_of(syndrome), pair.number);
    host_.broken(pair.number);
    return false;
}

// ---- completions ----------------------------------------------------------------------------

void responder::complete(const pair_setting &pair, std::uint8_t opcode, const packet &p,
                         std::uint32_t length)
{
    completion_entry e;
    e.opcode = opcode;
    e.user_index = pair.user_index;
    e.queue_pair = pair.number;
    e.work_index = receive_->index;
    e.immediate = p.immediate;
    e.byte_count = length;
    e.solicited = p.solicited;
    receive_.reset();
    host_.complete(pair.receive_completions, e);
}

void responder::complete_with_error(const pair_setting &pair, fate end)
{
    const std::uint16_t index = receive_->index;
    receive_.reset();
    fail_receive(host_, pair, index, end);
}

// Responses in line are due all the same: a refusal is behind them.
void responder::flush(const pair_setting &pair)
{
    if (receive_)
        complete_with_error(pair, cqe_fate::flushed);
    if (!queue_)
        return; // receives of a shared queue are the others' too
    receive_request next;
    while (queue_->take(host_.memory(), next) == receive_state::taken) {
        receive_ = std::move(next);
        complete_with_error(pair, cqe_fate::flushed);
    }
}

} // namespace adp::hca
