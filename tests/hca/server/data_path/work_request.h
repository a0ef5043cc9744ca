// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A work request of a send queue, as libmlx5 and the kernel write it (struct mlx5_wqe_ctrl_seg and
// its neighbours).
#pragma once

#include "data_path/memory_keys.h"
#include "data_path/packet.h"
#include "send_ring.h"

namespace adp::hca {

// A stretch of memory, of a list of such.
struct memory_segment {
    std::uint32_t length;
    std::uint32_t key;
    std::uint64_t address;
};
using segment_list = std::vector<memory_segment>;

std::uint64_t length_of(const segment_list &list);
// Moves bytes between a packet and the place offset within the list. False: the list is shorter, or
// a key does not allow it.
bool gather(const memory_keys &keys, std::uint32_t domain, const segment_list &from,
            std::uint64_t offset, room to);
bool scatter(const memory_keys &keys, std::uint32_t domain, const segment_list &to,
             std::uint64_t offset, view from);

struct work_request {
    enum kind : std::uint8_t { nothing, send, write, read, compare_swap, fetch_add };
    kind what = nothing;
    bool malformed = false; // does not end where it should, or an opcode that is not carried out
    std::uint16_t index = 0;
    std::uint8_t opcode = 0; // as written
    bool signalled = false;
    bool solicited = false;
    bool fence = false;
    bool with_immediate = false;
    std::uint32_t immediate = 0;
    std::uint64_t remote_address = 0;
    std::uint32_t remote_key = 0;
    std::uint64_t swap_or_add = 0;
    std::uint64_t compare = 0;
    segment_list segments;
    route where; // of a datagram
    std::uint32_t q_key = 0;
    bytes inlined; // the data itself
    bool is_inline = false;
    std::uint64_t length = 0;

    bool atomic() const { return what == compare_swap || what == fetch_add; }
    bool awaits_response() const { return what == read || atomic(); }

    // wqe: all of it, or what of it lies in the queue. datagram: the queue pair is for them, its sends
    // have an address vector and it knows nothing but sends.
    static work_request parse(view wqe, bool datagram = false);

    // The blocks of 64 bytes that a request takes, by its control segment.
    static unsigned blocks(view control);
};

// The next request that was posted; nothing: there is none. One that is malformed stands for all that is
// posted where the doorbell record and the queue do not fit together.
std::optional<work_request> take_work(send_ring &ring, const client_memory &memory,
                                      bool datagram = false);

} // namespace adp::hca
