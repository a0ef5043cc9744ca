// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "send_ring.h"

#include "qp_context.h"

namespace adp::hca {

namespace {

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

std::optional<send_ring> send_ring::plain(view in)
{
    if (in.size() < at_pages)
        return std::nullopt;
    const view context = in.subspan(at_sq_context);
    send_ring ring;
    ring.completions = get_bits(context, sq_cqn);
    ring.user_index = get_bits(context, sq_user_index);
    ring.doorbell_record = get64(context, wq_doorbell_record);
    ring.blocks =
        (std::uint64_t{1} << (get_bits(context, wq_log_size) + get_bits(context, wq_log_stride))) /
        block_bytes;
    ring.buffer = queue_buffer::parse(in, at_pages, get_bits(context, wq_page_offset),
                                      get_bits(context, wq_log_page_size));
    if (ring.blocks == 0)
        return std::nullopt;
    return ring;
}

std::optional<send_ring> send_ring::of_pair(view in)
{
    if (in.size() <= at_pages)
        return std::nullopt;
    const view context = in.subspan(qpc::at_create);
    if (get_bits(context, qpc::no_sq) != 0)
        return std::nullopt;
    send_ring ring;
    ring.completions = get_bits(context, qpc::cqn_snd);
    ring.user_index = get_bits(context, qpc::user_index);
    ring.doorbell_record = get64(context, qpc::at_doorbell_record);
    ring.blocks = std::uint64_t{1} << get_bits(context, qpc::log_sq_size);
    ring.buffer = queue_buffer::parse(in, at_pages, get_bits(context, qpc::page_offset),
                                      get_bits(context, qpc::log_page_size));
    // The receive queue comes first, where the pair has its own.
    if (get_bits(context, qpc::rq_type) == 0)
        ring.buffer.offset += std::uint64_t{16} << (get_bits(context, qpc::log_rq_size) +
                                                    get_bits(context, qpc::log_rq_stride));
    return ring;
}

std::optional<std::uint16_t> send_ring::produced(const client_memory &memory) const
{
    const std::uint8_t *record = memory.readable(doorbell_record, 8);
    if (record == nullptr)
        return std::nullopt;
    return get16({record, 8}, 6);
}

} // namespace adp::hca
