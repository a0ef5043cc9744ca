// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/work_request.h"

#include <algorithm>
#include <cstring>

namespace adp::hca {

namespace {

// Opcodes (enum in include/linux/mlx5/device.h).
constexpr std::uint8_t op_nop = 0x00;
constexpr std::uint8_t op_write = 0x08;
constexpr std::uint8_t op_write_immediate = 0x09;
constexpr std::uint8_t op_send = 0x0a;
constexpr std::uint8_t op_send_immediate = 0x0b;
constexpr std::uint8_t op_read = 0x10;
constexpr std::uint8_t op_compare_swap = 0x11;
constexpr std::uint8_t op_fetch_add = 0x12;

constexpr std::size_t unit = 16; // segments are so many bytes, or some of it
constexpr std::size_t at_flags = 11;
constexpr std::size_t at_immediate = 12;
constexpr std::uint32_t inline_bit = 1U << 31U;
constexpr std::uint32_t inline_length = 0x3ff;
constexpr std::size_t atomic_bytes = 8;

// The address vector of a datagram (struct mlx5_av of include/linux/mlx5/qp.h).
constexpr std::size_t address_bytes = 48;
constexpr std::size_t at_remote_gid = 32;
constexpr std::uint32_t extended_address = 1U << 31U;
constexpr std::uint32_t global_address = 1U << 30U;

// Cuts the first bytes off; false: there are fewer.
bool cut(view &rest, std::size_t length, view &part)
{
    if (rest.size() < length)
        return false;
    part = rest.first(length);
    rest = rest.subspan(length);
    return true;
}

bool parse_remote(work_request &r, view &rest)
{
    view segment;
    if (!cut(rest, unit, segment))
        return false;
    r.remote_address = get64(segment, 0);
    r.remote_key = get32(segment, 8);
    if (!r.atomic())
        return true;
    if (!cut(rest, unit, segment))
        return false;
    r.swap_or_add = get64(segment, 0);
    r.compare = get64(segment, 8);
    return true;
}

bool parse_address(work_request &r, view &rest)
{
    view vector;
    if (!cut(rest, address_bytes, vector))
        return false;
    const std::uint32_t number = get32(vector, 8);
    const std::uint32_t flow = get32(vector, 28);
    r.q_key = get32(vector, 0);
    r.where.remote_number = number & number_mask;
    // On Ethernet the bit is reserved: all packets are global there.
    std::copy_n(vector.begin() + at_remote_gid, r.where.to.gid.size(), r.where.to.gid.begin());
    r.where.to.global = (flow & global_address) != 0 || has_gid(r.where.to);
    if (r.where.to.global) {
        r.where.udp_sport = get16(vector, 14);
        r.where.source_index = flow >> 20U & 0xffU;
    } else {
        r.where.to.lid = get16(vector, 14);
    }
    return (number & extended_address) != 0; // a short one is 16 bytes, for other queue pairs
}

bool parse_data(work_request &r, view rest)
{
    while (rest.size() >= unit) {
        const std::uint32_t head = get32(rest, 0);
        if ((head & inline_bit) != 0) {
            const std::size_t length = head & inline_length;
            const std::size_t taken = (4 + length + unit - 1) / unit * unit;
            if (rest.size() < 4 + length)
                return false;
            r.is_inline = true;
            r.inlined.insert(r.inlined.end(), rest.begin() + 4,
                             rest.begin() + 4 + static_cast<std::ptrdiff_t>(length));
            rest = rest.subspan(std::min(taken, rest.size()));
            continue;
        }
        if (head != 0)
            r.segments.push_back({head, get32(rest, 4), get64(rest, 8)});
        rest = rest.subspan(unit);
    }
    r.length = r.is_inline ? r.inlined.size() : length_of(r.segments);
    return !r.is_inline || r.segments.empty();
}

work_request::kind kind_of(std::uint8_t opcode, bool &known)
{
    known = true;
    switch (opcode) {
    case op_nop: return work_request::nothing;
    case op_write:
    case op_write_immediate: return work_request::write;
    case op_send:
    case op_send_immediate: return work_request::send;
    case op_read: return work_request::read;
    case op_compare_swap: return work_request::compare_swap;
    case op_fetch_add: return work_request::fetch_add;
    default: known = false; return work_request::nothing;
    }
}

// Calls part(segment's place, offset in the packet, length) for each stretch.
template <typename F>
bool walk(const segment_list &list, std::uint64_t offset, std::size_t length, F part)
{
    std::size_t done = 0;
    for (const memory_segment &one : list) {
        if (done == length)
            break;
        if (offset >= one.length) {
            offset -= one.length;
            continue;
        }
        const auto n =
            static_cast<std::size_t>(std::min<std::uint64_t>(length - done, one.length - offset));
        if (!part(one, one.address + offset, done, n))
            return false;
        done += n;
        offset = 0;
    }
    return done == length;
}

} // namespace

std::uint64_t length_of(const segment_list &list)
{
    std::uint64_t sum = 0;
    for (const memory_segment &one : list)
        sum += one.length;
    return sum;
}

bool gather(const memory_keys &keys, std::uint32_t domain, const segment_list &from,
            std::uint64_t offset, room to)
{
    return walk(
        from, offset, to.size(),
        [&](const memory_segment &one, std::uint64_t at, std::size_t done, std::size_t n) {
            return keys.read({domain, one.key, at, memory_right::local_read}, to.subspan(done, n));
        });
}

bool scatter(const memory_keys &keys, std::uint32_t domain, const segment_list &to,
             std::uint64_t offset, view from)
{
    return walk(to, offset, from.size(),
                [&](const memory_segment &one, std::uint64_t at, std::size_t done, std::size_t n) {
                    return keys.write({domain, one.key, at, memory_right::local_write},
                                      from.subspan(done, n));
                });
}

unsigned work_request::blocks(view control)
{
    const unsigned units = std::max(1U, get32(control, 4) & 0x3fU);
    return (units + 3) / 4;
}

work_request work_request::parse(view wqe, bool datagram)
{
    work_request r;
    const std::uint32_t head = get32(wqe, 0);
    const std::size_t length = std::max(1U, get32(wqe, 4) & 0x3fU) * unit;
    r.index = static_cast<std::uint16_t>(head >> 8U);
    r.opcode = static_cast<std::uint8_t>(head);
    const std::uint8_t flags = get8(wqe, at_flags);
    r.solicited = (flags & 2U) != 0;
    r.signalled = (flags >> 2U & 3U) >= 2;
    r.fence = flags >> 5U >= 2; // 0: none; 1: orders only what the device does for itself
    r.immediate = get32(wqe, at_immediate);
    r.with_immediate = r.opcode == op_send_immediate || r.opcode == op_write_immediate;
    bool known = false;
    r.what = kind_of(r.opcode, known);
    if (!known || wqe.size() < length || (datagram && r.what != send && r.what != nothing)) {
        r.malformed = true;
        return r;
    }
    view rest = wqe.first(length).subspan(unit);
    if (r.what == nothing)
        return r;
    if (datagram ? !parse_address(r, rest) : r.what != send && !parse_remote(r, rest))
        r.malformed = true;
    else
        r.malformed = !parse_data(r, rest);
    if (r.atomic() && r.length != atomic_bytes)
        r.malformed = true;
    return r;
}

std::optional<work_request> take_work(send_ring &ring, const client_memory &memory, bool datagram)
{
    const auto produced = ring.produced(memory);
    if (!produced || *produced == ring.consumed)
        return std::nullopt;
    const auto posted = static_cast<std::uint16_t>(*produced - ring.consumed);
    const std::uint8_t *control = ring.at(memory, ring.consumed, unit);
    const unsigned blocks = control != nullptr ? work_request::blocks({control, unit}) : 0;
    if (control == nullptr || posted > ring.blocks || blocks > posted) {
        ring.consumed = *produced;
        work_request broken;
        broken.malformed = true;
        return broken;
    }
    bytes wqe;
    wqe.reserve(blocks * send_ring::block_bytes);
    for (unsigned i = 0; i < blocks; i++) {
        const std::uint8_t *block =
            ring.at(memory, std::uint64_t{ring.consumed} + i, send_ring::block_bytes);
        if (block != nullptr)
            wqe.insert(wqe.end(), block, block + send_ring::block_bytes);
    }
    ring.consumed = static_cast<std::uint16_t>(ring.consumed + blocks);
    return work_request::parse(wqe, datagram);
}

} // namespace adp::hca
