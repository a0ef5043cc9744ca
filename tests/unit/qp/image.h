// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A queue pair context put together byte by byte, from the places that facts name (bit / 8 and what
// stands in that byte), not with the tables under test.
#pragma once

#include <cstdint>
#include <vector>

namespace image {

using bytes = std::vector<std::uint8_t>;

inline void put24(bytes &b, std::size_t at, std::uint32_t value)
{
    b[at] = static_cast<std::uint8_t>(value >> 16);
    b[at + 1] = static_cast<std::uint8_t>(value >> 8);
    b[at + 2] = static_cast<std::uint8_t>(value);
}

// RC, RTS, port 55555, timeout 14, retry_cnt 7 (5 left), rnr_retry 6 (2 left), min_rnr_timer 12,
// next PSN 0x000102, last acknowledged 0xfffffe: three are under way.
inline bytes context()
{
    bytes b(232);
    b[0x00] = 0x32;           // state 3, bond member 2
    b[0x01] = 0x00;           // RC
    b[0x0c] = 0x21;           // counter set
    put24(b, 0x15, 0x0abcde); // remote QPN
    b[0x20] = 14 << 3;        // ack timeout
    b[0x21] = 3;              // source address index
    b[0x25] = 0x0a;           // flow label 0xa1234
    b[0x26] = 0x12;
    b[0x27] = 0x34;
    for (std::size_t i = 0; i < 4; i++)
        b[0x28 + 12 + i] = static_cast<std::uint8_t>(10 + i); // 10.11.12.13
    b[0x28 + 10] = b[0x28 + 11] = 0xff;
    b[0x3a] = 0xd9; // source port 55555
    b[0x3b] = 0x03;
    b[0x71] = 7;                   // retry_count, the low three bits
    b[0x72] = 6 << 5 | 0 << 4 | 2; // rnr_retry, no extended count, cur_rnr_retry
    b[0x73] = 5 << 5;              // cur_retry_count
    put24(b, 0x79, 0x000002);      // next_send_psn
    put24(b, 0x89, 0xfffffe);      // last_acked_psn
    b[0x94] = 12;                  // min_rnr_nak
    return b;
}

} // namespace image
