// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "event_queues.h"
#include "text/format.h"

#include <algorithm>
#include <cstring>

namespace adp::hca {

namespace {

constexpr std::size_t entry_bytes = 64;
constexpr std::size_t entry_data = 32;
constexpr std::size_t entry_data_bytes = 28;
constexpr std::size_t at_signature = 62;
constexpr std::size_t at_owner = 63;

// CREATE_EQ: the context at 0x10, the types at 0x58, the pages at 0x110.
constexpr std::size_t at_context = 0x10;
constexpr std::size_t at_types = 0x58;
constexpr std::size_t at_pages = 0x110;
constexpr bit_field page_offset{0x08 * 8 + 20, 6};
constexpr bit_field log_eq_size{0x0c * 8 + 3, 5};
constexpr bit_field intr{0x14 * 8 + 20, 12};
constexpr bit_field log_page_size{0x18 * 8 + 3, 5};

} // namespace

void event_queues::create(std::uint32_t number, view in)
{
    const view context = in.subspan(at_context);
    queue q;
    q.log_size = get_bits(context, log_eq_size);
    q.vector = get_bits(context, intr);
    for (std::size_t i = 0; i < q.types.size(); i++)
        q.types[i] = get64(in, at_types + 8 * i);
    q.buffer = queue_buffer::parse(in, at_pages, get_bits(context, page_offset),
                                   get_bits(context, log_page_size));
    log_(adp::format("EQ {}: 2^{} entries, vector {}, types {:#x}", number, q.log_size, q.vector,
                     q.types[0]));
    queues_.insert_or_assign(number, std::move(q));
}

event_queues::queue_map::const_iterator event_queues::taker(std::uint8_t type) const
{
    return std::find_if(queues_.begin(), queues_.end(), [type](const auto &one) {
        return (one.second.types[type / 64U] >> (type % 64U) & 1U) != 0;
    });
}

bool event_queues::push(std::uint8_t type, std::uint8_t subtype, view data)
{
    const auto found = taker(type);
    if (found == queues_.end()) {
        log_(adp::format("event {:#x}: no EQ takes it", type));
        return false;
    }
    push_to(found->first, type, subtype, data);
    return true;
}

void event_queues::push_to(std::uint32_t number, std::uint8_t type, std::uint8_t subtype, view data)
{
    const auto found = queues_.find(number);
    if (found == queues_.end())
        return;
    put(found->second, type, subtype, data);
}

void event_queues::put(queue &q, std::uint8_t type, std::uint8_t subtype, view data) const
{
    const std::uint64_t index = q.produced & ((std::uint64_t{1} << q.log_size) - 1);
    std::uint8_t *guest = q.buffer.writable(memory_, index * entry_bytes, entry_bytes);
    if (guest == nullptr) {
        log_(adp::format("event {:#x}: entry {} is not in mapped memory", type, index));
        return;
    }
    std::array<std::uint8_t, entry_bytes> entry{};
    entry[1] = type;
    entry[3] = subtype;
    std::copy_n(data.begin(), std::min(data.size(), entry_data_bytes), entry.begin() + entry_data);
    std::uint8_t sum = 0xff;
    for (std::size_t i = 0; i < at_signature; i++)
        sum = static_cast<std::uint8_t>(sum ^ entry[i]);
    entry[at_signature] = sum;
    std::memcpy(guest, entry.data(), at_owner);
    // The owner bit changes with each round; the driver looks at it.
    const auto owner = static_cast<std::uint8_t>(std::uint64_t{q.produced} >> q.log_size & 1U);
    __atomic_store_n(guest + at_owner, owner, __ATOMIC_RELEASE);
    q.produced++;
    interrupt_(q.vector);
}

void event_queues::consumed(std::uint32_t doorbell, bool arm)
{
    const auto found = queues_.find(doorbell >> 24U);
    if (found == queues_.end())
        return;
    const std::uint32_t seen = doorbell & number_mask;
    if (arm && seen != (found->second.produced & number_mask))
        interrupt_(found->second.vector);
}

} // namespace adp::hca
