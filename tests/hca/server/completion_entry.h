// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Entries of completion queues (struct mlx5_cqe64 of include/linux/mlx5/device.h).
#pragma once

#include "completion_queues.h"

namespace adp::hca {

// How a work request ends: syndrome of its completion entry, 0 for success; the vendor's beside it.
struct fate {
    std::uint8_t syndrome = 0;
    std::uint8_t vendor = 0;
};

// Syndromes (enum mlx5_cqe_syndrome). The vendor's are those that public logs show, as far as there
// are any; the others are ours.
namespace cqe_fate {
inline constexpr fate local_length{0x01, 0x69};
inline constexpr fate local_operation{0x02, 0x68};
inline constexpr fate local_protection{0x04, 0x51};
inline constexpr fate flushed{0x05, 0xf9};
inline constexpr fate bad_response{0x10, 0x67};
inline constexpr fate receive_length{0x01, 0x32};
inline constexpr fate receive_protection{0x04, 0x32};
} // namespace cqe_fate

namespace cqe_opcode {
inline constexpr std::uint8_t request = 0;
inline constexpr std::uint8_t write_immediate = 1;
inline constexpr std::uint8_t send = 2;
inline constexpr std::uint8_t send_immediate = 3;
inline constexpr std::uint8_t requester_error = 13;
inline constexpr std::uint8_t responder_error = 14;
} // namespace cqe_opcode

struct completion_entry {
    std::uint8_t opcode = cqe_opcode::request;
    std::uint32_t user_index = 0;
    std::uint32_t queue_pair = 0;
    std::uint8_t work_opcode = 0; // of a send queue's work request
    std::uint16_t work_index = 0;
    std::uint32_t immediate = 0;
    std::uint32_t byte_count = 0;
    bool solicited = false;
    std::uint16_t source_lid = 0; // of a datagram
    std::uint32_t source = 0;     // kind of its network header, and its queue pair
    fate end;                     // of an error

    completion_queues::entry encode() const
    {
        completion_queues::entry e{};
        put16(e, 22, source_lid);
        put32(e, 24, source);
        put32(e, 32, user_index);
        put32(e, 36, immediate);
        put32(e, 44, byte_count);
        e[54] = end.vendor;
        e[55] = end.syndrome;
        put32(e, 56, std::uint32_t{work_opcode} << 24U | queue_pair);
        put16(e, 60, work_index);
        e[63] = static_cast<std::uint8_t>(std::uint32_t{opcode} << 4U | (solicited ? 2U : 0U));
        return e;
    }
};

} // namespace adp::hca
