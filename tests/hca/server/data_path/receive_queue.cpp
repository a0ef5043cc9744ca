// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/receive_queue.h"

#include "qp_context.h"

namespace adp::hca {

namespace {

constexpr std::size_t at_pages = 0x110; // in CREATE_QP and CREATE_RMP
// CREATE_RMP: the work queue's context (mlx5_ifc_wq_bits).
constexpr std::size_t at_queue = 0x50;
constexpr bit_field wq_page_offset{0x04 * 8 + 11, 5};
constexpr std::size_t wq_doorbell_record = 0x10;
constexpr bit_field wq_log_stride{0x20 * 8 + 12, 4};
constexpr bit_field wq_log_page_size{0x20 * 8 + 19, 5};
constexpr bit_field wq_log_size{0x23 * 8 + 3, 5};

constexpr std::size_t segment_bytes = 16;
constexpr std::size_t list_head_bytes = 16;  // struct mlx5_wqe_srq_next_seg
constexpr std::uint32_t end_of_list = 0x100; // an lkey: no segments follow
constexpr unsigned greatest_log_size = 16;   // indices have 16 bits

} // namespace

std::optional<receive_queue> receive_queue::of_pair(view in)
{
    if (in.size() <= at_pages)
        return std::nullopt;
    const view context = in.subspan(qpc::at_create);
    if (get_bits(context, qpc::rq_type) != 0)
        return std::nullopt;
    receive_queue q;
    q.doorbell_record_ = get64(context, qpc::at_doorbell_record);
    q.entries_ = 1U << get_bits(context, qpc::log_rq_size);
    q.stride_ = 16U << get_bits(context, qpc::log_rq_stride);
    q.buffer_ = queue_buffer::parse(in, at_pages, get_bits(context, qpc::page_offset),
                                    get_bits(context, qpc::log_page_size));
    return q;
}

std::optional<receive_queue> receive_queue::shared(view in)
{
    if (in.size() <= at_pages)
        return std::nullopt;
    const view context = in.subspan(at_queue);
    const std::uint32_t log_size = get_bits(context, wq_log_size);
    if (log_size > greatest_log_size)
        return std::nullopt;
    receive_queue q;
    q.linked_ = true;
    q.doorbell_record_ = get64(context, wq_doorbell_record);
    q.entries_ = 1U << log_size;
    q.stride_ = 1U << get_bits(context, wq_log_stride);
    q.buffer_ = queue_buffer::parse(in, at_pages, get_bits(context, wq_page_offset),
                                    get_bits(context, wq_log_page_size));
    return q;
}

void receive_queue::reset()
{
    consumed_ = 0;
    next_ = 0;
}

receive_state receive_queue::take(const client_memory &memory, receive_request &to)
{
    const std::uint8_t *record = memory.readable(doorbell_record_, 4);
    if (record == nullptr)
        return receive_state::broken;
    const auto posted = static_cast<std::uint16_t>(get32({record, 4}, 0));
    if (posted == consumed_)
        return receive_state::empty;
    if (static_cast<std::uint16_t>(posted - consumed_) > entries_) {
        consumed_ = posted;
        return receive_state::broken;
    }
    const std::uint16_t index =
        linked_ ? next_ : static_cast<std::uint16_t>(consumed_ & (entries_ - 1));
    const std::uint8_t *guest = buffer_.readable(memory, std::uint64_t{index} * stride_, stride_);
    if (guest == nullptr)
        return receive_state::broken;
    const view entry{guest, stride_};
    // A completion names the counter of the queue's own, the place in a shared one.
    to = {linked_ ? index : consumed_, {}, 0};
    for (std::size_t at = linked_ ? list_head_bytes : 0; at + segment_bytes <= stride_;
         at += segment_bytes) {
        const memory_segment one{get32(entry, at), get32(entry, at + 4), get64(entry, at + 8)};
        if (one.length == 0 && one.key == end_of_list)
            break;
        if (one.length != 0)
            to.segments.push_back(one);
    }
    if (linked_)
        next_ = static_cast<std::uint16_t>(get16(entry, 2) & (entries_ - 1));
    consumed_++;
    return receive_state::taken;
}

} // namespace adp::hca
