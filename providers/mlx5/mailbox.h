// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// mlx5 command mailboxes: the 16 bytes before every command and every reply, and what a reply's
// status means. The layout is in FORMAT.md. Pure.
#pragma once

#include "provider.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::mlx5 {

enum class opcode : std::uint16_t {
    query_hca_cap = 0x100,
    rts2rts_qp = 0x505,
    query_qp = 0x50b,
    alloc_q_counter = 0x771,
    dealloc_q_counter = 0x772,
    query_q_counter = 0x773,
    access_reg = 0x805,
    access_register_user = 0xb0c, // what DEVX lets through in its place
};

// A command in words of its own: for messages, and for error.fw.
struct command {
    opcode op{};
    std::uint16_t register_id = 0; // 0: not about a register
};
std::string describe(const command &c); // "ACCESS_REG of register 0x402c"

using mailbox = std::vector<std::uint8_t>;
inline constexpr std::size_t header_bytes = 16; // of the command as of the reply

mailbox register_mailbox(const command &c, reg_method method, std::span<const std::uint8_t> data);
// Current values of one type of capability.
mailbox capability_mailbox(std::uint16_t type);
inline constexpr std::size_t capability_bytes = 4096;
mailbox query_qp_mailbox(std::uint32_t qpn);
mailbox alloc_q_counter_mailbox();
// The values of a set; never with `clear`.
mailbox query_q_counter_mailbox(std::uint32_t set);
inline constexpr std::size_t q_counter_bytes = 0x100; // of its reply
// Another counter set for a queue pair in RTS, nothing else.
mailbox counter_set_mailbox(std::uint32_t qpn, std::uint32_t set);

// No status of the firmware: it refused, and the way to us swallowed the number.
inline constexpr std::uint8_t status_not_told = 0xff;

// "firmware refused ACCESS_REG of register 0x402c: status 0x03 (bad parameter), syndrome 0x..."
error refusal(const command &c, std::uint8_t status, std::uint32_t syndrome);

// Judges a reply: EREMOTEIO when the firmware refused, EPROTO when it is shorter than expected.
result<void> check_reply(const command &c, std::span<const std::uint8_t> reply,
                         std::size_t expected);

} // namespace adp::mlx5
