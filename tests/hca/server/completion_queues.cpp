// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "completion_queues.h"
#include "text/format.h"

#include <algorithm>
#include <cstring>

namespace adp::hca {

namespace {

// CREATE_CQ: the context at 0x10, the pages at 0x110.
constexpr std::size_t at_context = 0x10;
constexpr std::size_t context_bytes = 0x40;
constexpr std::size_t at_pages = 0x110;
constexpr bit_field entry_size{8, 3}; // 1: 128 bytes, the entry in the second half
constexpr bit_field page_offset{0x08 * 8 + 20, 6};
constexpr bit_field log_cq_size{0x0c * 8 + 3, 5};
constexpr bit_field event_queue{0x14 * 8 + 24, 8};
constexpr bit_field log_page_size{0x18 * 8 + 3, 5};

constexpr std::size_t at_owner = 63;
constexpr std::uint8_t owner_bit = 1;
constexpr std::uint8_t solicited_bit = 2;
constexpr unsigned requester_error = 13;
constexpr unsigned responder_error = 14;

} // namespace

void completion_queues::create(std::uint32_t number, view in)
{
    const view context = in.subspan(at_context, context_bytes);
    queue q;
    q.context.assign(context.begin(), context.end());
    q.log_size = get_bits(context, log_cq_size);
    q.stride = get_bits(context, entry_size) == 1 ? 128 : 64;
    q.events_to = get_bits(context, event_queue);
    q.buffer = queue_buffer::parse(in, at_pages, get_bits(context, page_offset),
                                   get_bits(context, log_page_size));
    queues_.insert_or_assign(number, std::move(q));
}

view completion_queues::context(std::uint32_t number) const
{
    const auto found = queues_.find(number);
    return found == queues_.end() ? view{} : view{found->second.context};
}

void completion_queues::tell(std::uint32_t number, queue &q)
{
    q.armed = false;
    std::array<std::uint8_t, 28> data{};
    put32(data, 24, number);
    events_.push_to(q.events_to, event::completion, 0, data);
}

void completion_queues::push(std::uint32_t number, entry e)
{
    const auto found = queues_.find(number);
    if (found == queues_.end())
        return;
    queue &q = found->second;
    const std::uint64_t index = q.produced & ((std::uint64_t{1} << q.log_size) - 1);
    std::uint8_t *guest =
        q.buffer.writable(memory_, index * q.stride + (q.stride - entry_bytes), entry_bytes);
    if (guest == nullptr) {
        log_(adp::format("CQ {:#x}: entry {} is not in mapped memory", number, index));
        return;
    }
    const auto round = static_cast<std::uint8_t>(std::uint64_t{q.produced} >> q.log_size & 1U);
    e[at_owner] = static_cast<std::uint8_t>((e[at_owner] & ~owner_bit) | round);
    std::memcpy(guest, e.data(), at_owner);
    __atomic_store_n(guest + at_owner, e[at_owner], __ATOMIC_RELEASE);
    q.produced = (q.produced + 1) & number_mask;
    const unsigned kind = e[at_owner] >> 4U;
    const bool solicited =
        kind == requester_error || kind == responder_error || (e[at_owner] & solicited_bit) != 0;
    if (solicited)
        q.solicited = q.produced;
    if (q.armed && (solicited || !q.solicited_only))
        tell(number, q);
}

void completion_queues::arm(std::uint32_t first, std::uint32_t second)
{
    const auto found = queues_.find(second & number_mask);
    if (found == queues_.end())
        return;
    queue &q = found->second;
    q.armed = true;
    q.solicited_only = (first >> 24U & 1U) != 0;
    const std::uint32_t seen = first & number_mask;
    // Entries that are there already raise an event at once: the kernel's network driver relies on
    // it. Indices have 24 bits and go round.
    const bool unread = q.solicited_only ? static_cast<std::int32_t>((q.solicited - seen) << 8U) > 0
                                         : q.produced != seen;
    if (unread)
        tell(found->first, q);
}

} // namespace adp::hca
