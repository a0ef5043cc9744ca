// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "command_queue.h"
#include "text/format.h"

#include <algorithm>
#include <cstring>

namespace adp::hca {

namespace {

// Places in an entry.
constexpr std::size_t at_type = 0;
constexpr std::size_t at_input_length = 4;
constexpr std::size_t at_input_mailbox = 8;
constexpr std::size_t at_input = 16;
constexpr std::size_t at_output = 32;
constexpr std::size_t at_output_mailbox = 48;
constexpr std::size_t at_output_length = 56;
constexpr std::size_t at_token = 60;
constexpr std::size_t at_signature = 61;
constexpr std::size_t at_ownership = 63; // bit 0: the hardware's; bits 7:1: delivery status
constexpr std::uint8_t entry_type = 7;
constexpr std::size_t inline_bytes = 16;

// A mailbox block: 512 bytes of data, then the address of the next, its own number, the token of
// its command and two signatures. It is aligned to 1024 bytes by the driver; 512 is asked for.
constexpr std::size_t block_bytes = 576;
constexpr std::size_t block_data = 512;
constexpr std::size_t at_next = 560;
constexpr std::size_t at_block_number = 568;
constexpr std::size_t at_block_token = 573;
constexpr std::size_t at_control_signature = 574;
constexpr std::size_t at_block_signature = 575;
constexpr std::uint64_t block_alignment = 0x1ff;

// Delivery status of an entry.
namespace delivery {
constexpr std::uint8_t ok = 0x0;
constexpr std::uint8_t signature = 0x1;
constexpr std::uint8_t token = 0x2;
constexpr std::uint8_t block_number = 0x3;
constexpr std::uint8_t output_pointer = 0x4;
constexpr std::uint8_t input_pointer = 0x5;
constexpr std::uint8_t input_length = 0x7;
constexpr std::uint8_t output_length = 0x8;
constexpr std::uint8_t type = 0x10;
} // namespace delivery

std::uint8_t xor_of(view data)
{
    std::uint8_t sum = 0;
    for (const std::uint8_t byte : data)
        sum = static_cast<std::uint8_t>(sum ^ byte);
    return sum;
}

std::uint8_t signature_of(view data)
{
    return static_cast<std::uint8_t>(~xor_of(data));
}

} // namespace

void command_queue::doorbell(std::uint32_t slots)
{
    for (unsigned slot = 0; slot < 1U << log_entries; slot++)
        if ((slots >> slot & 1U) != 0)
            take(slot);
}

void command_queue::take(unsigned slot)
{
    entry e;
    e.slot = slot;
    const std::uint8_t *guest =
        memory_.readable(address_ + (std::uint64_t{slot} << log_entry_bytes), e.image.size());
    if (guest == nullptr) {
        around_.log(adp::format("command queue {:#x}: not in mapped memory", address_));
        return;
    }
    std::memcpy(e.image.data(), guest, e.image.size());
    if ((e.image[at_ownership] & 1U) == 0 || waiting_.contains(slot)) {
        around_.log(adp::format("command slot {}: rung, but nothing is in it", slot));
        return;
    }
    const std::uint32_t in_length = get32(e.image, at_input_length);
    const std::uint32_t out_length = get32(e.image, at_output_length);
    if (e.image[at_type] != entry_type)
        e.delivery = delivery::type;
    else if (xor_of(e.image) != 0xff)
        e.delivery = delivery::signature;
    else if (in_length < 8 || in_length > max_mailbox)
        e.delivery = delivery::input_length;
    else if (out_length < 8 || out_length > max_mailbox)
        e.delivery = delivery::output_length;
    bytes in;
    if (e.delivery == delivery::ok)
        e.delivery = gather(e, in);
    if (e.delivery != delivery::ok) {
        around_.log(adp::format("command slot {}: delivery status {:#x}", slot, e.delivery));
        finish(e);
        return;
    }
    // Commands shorter than the inline part exist; what is missing is zeros.
    in.resize(std::max<std::size_t>(in_length, inline_bytes));
    e.out.resize(std::max<std::size_t>(out_length, inline_bytes));
    around_.begin();
    const verdict v = around_.execute(in, e.out);
    if (!v.answered)
        return;
    if (v.delay_ms == 0) {
        finish(e);
        return;
    }
    e.due = clock::now() + std::chrono::milliseconds{v.delay_ms};
    waiting_.insert_or_assign(slot, std::move(e));
}

std::uint8_t command_queue::gather(const entry &e, bytes &in) const
{
    const std::size_t wanted = get32(e.image, at_input_length);
    const view head = view{e.image}.subspan(at_input, inline_bytes);
    in.assign(head.begin(), head.end());
    std::uint64_t next = get64(e.image, at_input_mailbox);
    for (std::uint32_t number = 0; in.size() < wanted; number++) {
        const std::uint8_t *guest =
            (next & block_alignment) != 0 ? nullptr : memory_.readable(next, block_bytes);
        if (guest == nullptr)
            return delivery::input_pointer;
        const view block{guest, block_bytes};
        if (get32(block, at_block_number) != number)
            return delivery::block_number;
        if (block[at_block_token] != e.image[at_token])
            return delivery::token;
        const std::size_t length = std::min(block_data, wanted - in.size());
        in.insert(in.end(), guest, guest + length);
        next = get64(block, at_next);
    }
    return delivery::ok;
}

std::uint8_t command_queue::scatter(const entry &e) const
{
    std::uint64_t next = get64(e.image, at_output_mailbox);
    for (std::size_t done = inline_bytes; done < e.out.size();) {
        std::uint8_t *guest =
            (next & block_alignment) != 0 ? nullptr : memory_.writable(next, block_bytes);
        if (guest == nullptr)
            return delivery::output_pointer;
        const room block{guest, block_bytes};
        const std::size_t length = std::min(block_data, e.out.size() - done);
        std::copy_n(e.out.begin() + static_cast<std::ptrdiff_t>(done), length, block.begin());
        done += length;
        next = get64(block, at_next);
        block[at_block_token] = e.image[at_token];
        block[at_control_signature] =
            signature_of(block.subspan(block_data, at_control_signature - block_data));
        block[at_block_signature] = signature_of(block.first(at_block_signature));
    }
    return delivery::ok;
}

void command_queue::finish(entry &e)
{
    std::uint8_t *guest =
        memory_.writable(address_ + (std::uint64_t{e.slot} << log_entry_bytes), e.image.size());
    if (guest == nullptr)
        return;
    if (e.delivery == delivery::ok) {
        e.delivery = scatter(e);
        std::copy_n(e.out.begin(), inline_bytes, e.image.begin() + at_output);
    }
    e.image[at_ownership] = static_cast<std::uint8_t>(e.delivery << 1U);
    e.image[at_signature] = 0;
    e.image[at_signature] = signature_of(e.image);
    // The driver looks at the last byte: it must be there last.
    std::memcpy(guest, e.image.data(), at_ownership);
    __atomic_store_n(guest + at_ownership, e.image[at_ownership], __ATOMIC_RELEASE);
    around_.finished(e.slot);
}

std::optional<command_queue::clock::time_point> command_queue::due() const
{
    std::optional<clock::time_point> first;
    for (const auto &[slot, e] : waiting_)
        if (!first || e.due < *first)
            first = e.due;
    return first;
}

void command_queue::run_due(clock::time_point now)
{
    for (auto i = waiting_.begin(); i != waiting_.end();) {
        if (i->second.due > now) {
            ++i;
            continue;
        }
        entry e = std::move(i->second);
        i = waiting_.erase(i);
        finish(e);
    }
}

} // namespace adp::hca
