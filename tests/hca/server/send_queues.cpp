// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "send_queues.h"

#include "qp_context.h"

#include <algorithm>
#include <fmt/format.h>

namespace adp::hca {

namespace {

constexpr std::size_t block_bytes = 64; // a work request is some of these
constexpr std::size_t at_pages = 0x110; // in CREATE_QP and CREATE_SQ

// CREATE_SQ: the context, and in it the work queue's.
constexpr std::size_t at_sq_context = 0x20;
constexpr bit_field sq_user_index{0x04 * 8 + 8, 24};
constexpr bit_field sq_cqn{0x08 * 8 + 8, 24};
constexpr bit_field wq_page_offset{0x34 * 8 + 11, 5};
constexpr std::size_t wq_doorbell_record = 0x40;
constexpr bit_field wq_log_stride{0x50 * 8 + 12, 4};
constexpr bit_field wq_log_page_size{0x50 * 8 + 19, 5};
constexpr bit_field wq_log_size{0x53 * 8 + 3, 5};

} // namespace

void send_queues::create_plain(std::uint32_t number, view in)
{
    if (in.size() < at_pages)
        return;
    const view context = in.subspan(at_sq_context);
    queue q;
    q.completions = get_bits(context, sq_cqn);
    q.user_index = get_bits(context, sq_user_index);
    q.doorbell_record = get64(context, wq_doorbell_record);
    q.entries =
        (std::uint64_t{1} << (get_bits(context, wq_log_size) + get_bits(context, wq_log_stride))) /
        block_bytes;
    q.buffer = queue_buffer::parse(in, at_pages, get_bits(context, wq_page_offset),
                                   get_bits(context, wq_log_page_size));
    if (q.entries != 0)
        queues_.insert_or_assign(number, std::move(q));
}

void send_queues::create_for_pair(std::uint32_t number, view in)
{
    if (in.size() <= at_pages)
        return;
    const view context = in.subspan(qpc::at_create);
    if (get_bits(context, qpc::no_sq) != 0)
        return;
    queue q;
    q.completions = get_bits(context, qpc::cqn_snd);
    q.user_index = get_bits(context, qpc::user_index);
    q.doorbell_record = get64(context, qpc::at_doorbell_record);
    q.entries = std::uint64_t{1} << get_bits(context, qpc::log_sq_size);
    q.buffer = queue_buffer::parse(in, at_pages, get_bits(context, qpc::page_offset),
                                   get_bits(context, qpc::log_page_size));
    // The receive queue comes first, where the pair has its own.
    if (get_bits(context, qpc::rq_type) == 0)
        q.buffer.offset += std::uint64_t{16} << (get_bits(context, qpc::log_rq_size) +
                                                 get_bits(context, qpc::log_rq_stride));
    q.of_pair = true;
    queues_.insert_or_assign(number, std::move(q));
}

void send_queues::reset(std::uint32_t number)
{
    if (const auto found = queues_.find(number); found != queues_.end())
        found->second.consumed = 0;
}

void send_queues::ring(std::uint32_t number)
{
    const auto found = queues_.find(number);
    if (found == queues_.end())
        return;
    queue &q = found->second;
    const std::uint8_t *record = memory_.readable(q.doorbell_record, 8);
    if (record == nullptr)
        return;
    const std::uint16_t produced = get16({record, 8}, 6);
    // A record that lies claims more than the queue holds.
    for (std::uint64_t guard = 0; q.consumed != produced && guard < q.entries; guard++)
        if (!execute(number, q))
            return;
    q.consumed = produced;
}

bool send_queues::execute(std::uint32_t number, queue &q)
{
    const std::uint8_t *guest = q.buffer.readable(
        memory_, (q.consumed & (q.entries - 1)) * block_bytes, qpc::control_segment_bytes);
    if (guest == nullptr) {
        log_(fmt::format("queue {:#x}: work request {} is not in mapped memory", number,
                         q.consumed));
        return false;
    }
    const view segment{guest, qpc::control_segment_bytes};
    const std::uint32_t head = get32(segment, 0);
    const unsigned sixteenths = get32(segment, 4) & 0x3f;
    const unsigned wanted = segment[11] >> 2U & 3U; // 2: a completion; 3: and an event
    const fate f = q.of_pair ? judge_(number) : fate{};

    completion_queues::entry e{};
    put32(e, 32, q.user_index);
    put32(e, 56, (head & 0xff) << 24U | number);
    put16(e, 60, head >> 8U);
    if (f.syndrome != 0) {
        constexpr std::uint8_t requester_error = 13;
        e[54] = f.vendor;
        e[55] = f.syndrome;
        e[63] = requester_error << 4U;
    }
    if (f.syndrome != 0 || wanted >= 2)
        completions_.push(q.completions, e);
    const unsigned blocks = std::max(1U, (sixteenths + 3) / 4);
    q.consumed = static_cast<std::uint16_t>(q.consumed + blocks);
    return true;
}

} // namespace adp::hca
