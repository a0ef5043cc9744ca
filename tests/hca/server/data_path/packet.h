// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One packet of the reliable connected transport or of that for datagrams: what its headers say (IBTA
// volume 1, 5.2 and 9.2).
// Numbers of opcodes and syndromes are those of the wire.
#pragma once

#include "bytes.h"

#include <array>

namespace adp::hca {

// Packet sequence numbers have 24 bits and go round.
inline constexpr std::uint32_t psn_bits = 0xffffff;

constexpr std::uint32_t next_psn(std::uint32_t psn, std::uint32_t by = 1)
{
    return (psn + by) & psn_bits;
}

// How far a is ahead of b; negative: behind.
constexpr std::int32_t psn_ahead(std::uint32_t a, std::uint32_t b)
{
    return static_cast<std::int32_t>((a - b) << 8U) >> 8U;
}

enum class packet_opcode : std::uint8_t {
    send_first,
    send_middle,
    send_last,
    send_last_immediate,
    send_only,
    send_only_immediate,
    write_first,
    write_middle,
    write_last,
    write_last_immediate,
    write_only,
    write_only_immediate,
    read_request,
    read_response_first,
    read_response_middle,
    read_response_last,
    read_response_only,
    acknowledge,
    atomic_acknowledge,
    compare_swap,
    fetch_add,

    datagram = 0x64,
    datagram_immediate,
};

enum class packet_family : std::uint8_t {
    send,
    write,
    read,
    read_response,
    acknowledge,
    atomic,
    datagram
};

// What an opcode says, and which headers follow it.
struct opcode_facts {
    packet_family family;
    bool request;
    bool first; // begins a message
    bool last;  // ends it
    bool immediate;
    bool reth; // address, key, length
    bool aeth; // syndrome, message sequence number
};

// nullptr: no opcode of these transports.
const opcode_facts *facts_of(packet_opcode op);

// Packets of a family by their place in a message.
packet_opcode send_opcode(bool first, bool last, bool immediate);
packet_opcode write_opcode(bool first, bool last, bool immediate);
packet_opcode read_response_opcode(bool first, bool last);

// Syndrome of the AETH.
namespace aeth {
inline constexpr std::uint8_t kind_mask = 0xe0;
inline constexpr std::uint8_t value_mask = 0x1f;
inline constexpr std::uint8_t positive =
    0x1f; // without credits: there is no end-to-end flow control
inline constexpr std::uint8_t receiver_not_ready = 0x20; // and a timer code
inline constexpr std::uint8_t sequence_error = 0x60;
inline constexpr std::uint8_t invalid_request = 0x61;
inline constexpr std::uint8_t remote_access = 0x62;
inline constexpr std::uint8_t remote_operation = 0x63;
} // namespace aeth

// An end of the path: a GID, or a LID where there is no global header.
struct path_end {
    std::array<std::uint8_t, 16> gid{};
    std::uint16_t lid = 0;
    bool global = false;

    friend bool operator==(const path_end &a, const path_end &b)
    {
        return a.global == b.global && (a.global ? a.gid == b.gid : a.lid == b.lid);
    }
};

inline bool has_gid(const path_end &end)
{
    return end.gid != decltype(end.gid){};
}

// Where packets go, and what they say about the way they came.
struct route {
    path_end to;
    std::uint32_t remote_number = 0; // of the queue pair there
    unsigned source_index = 0;       // in the function's table of GIDs
    std::uint16_t udp_sport = 0;
};

struct packet {
    path_end from, to;
    std::uint16_t udp_sport = 0;

    packet_opcode op = packet_opcode::acknowledge;
    bool solicited = false;
    bool ack_request = false;
    std::uint32_t queue_pair = 0; // at the other end
    std::uint32_t psn = 0;

    std::uint64_t address = 0; // RETH, AtomicETH
    std::uint32_t key = 0;
    std::uint32_t length = 0;      // RETH
    std::uint64_t swap_or_add = 0; // AtomicETH; the old value in AtomicAckETH
    std::uint64_t compare = 0;     // AtomicETH
    std::uint32_t immediate = 0;   // ImmDt
    std::uint8_t syndrome = 0;     // AETH
    std::uint32_t message_number = 0;
    std::uint32_t q_key = 0; // DETH
    std::uint32_t source_pair = 0;
    bytes payload;
};

} // namespace adp::hca
