// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The queue pair context (QPC) of mlx5 devices: what is configured, what is left of it, and what
// follows from it.
//
// Places: rdma-core providers/mlx5/mlx5_ifc.h (qpc, ads) and, for the extended retry count, its
// tests/mlx5_prm_structs.py; bit 0 is the most significant of the first byte.
#pragma once

#include "register/hca_cap.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace adp::qp {

using reg::cap_field;

inline constexpr std::size_t context_bytes = 0x740 / 8;

// QUERY_QP: the command's own bytes, and what precedes the context in its answer.
inline constexpr std::size_t query_in_bytes = 16;
inline constexpr std::size_t query_context_at = 0x18;
inline constexpr std::size_t query_out_bytes = 0x110; // without the list of pages

namespace qpc {
inline constexpr cap_field state{"state", 0x000, 4};
inline constexpr cap_field lag_tx_port_affinity{"lag_tx_port_affinity", 0x004, 4};
inline constexpr cap_field st{"st", 0x008, 8};
inline constexpr cap_field counter_set_id{"counter_set_id", 0x060, 8};
inline constexpr cap_field remote_qpn{"remote_qpn", 0x0a8, 24};
inline constexpr cap_field ack_timeout{"ack_timeout", 0x100, 5};
inline constexpr cap_field src_addr_index{"src_addr_index", 0x108, 8};
inline constexpr cap_field flow_label{"flow_label", 0x12c, 20};
inline constexpr cap_field rgid_rip{"rgid_rip", 0x140, 32}; // the first of four dwords
inline constexpr cap_field udp_sport{"udp_sport", 0x1d0, 16};
inline constexpr cap_field vhca_port_num{"vhca_port_num", 0x1e8, 8};
inline constexpr cap_field retry_count{"retry_count", 0x38d, 3};
inline constexpr cap_field rnr_retry{"rnr_retry", 0x390, 3};
inline constexpr cap_field extended_retry_count_valid{"extended_retry_count_valid", 0x393, 1};
inline constexpr cap_field cur_rnr_retry{"cur_rnr_retry", 0x395, 3};
inline constexpr cap_field cur_retry_count{"cur_retry_count", 0x398, 3};
inline constexpr cap_field next_send_psn{"next_send_psn", 0x3c8, 24};
inline constexpr cap_field extended_retry_count{"extended_retry_count", 0x428, 8};
inline constexpr cap_field extended_cur_retry_count{"extended_cur_retry_count", 0x438, 8};
inline constexpr cap_field last_acked_psn{"last_acked_psn", 0x448, 24};
inline constexpr cap_field min_rnr_nak{"min_rnr_nak", 0x4a3, 5};
} // namespace qpc

// Numbers of enum ibv_qp_state and enum ibv_qp_type, so that they need no table to be compared.
enum class qp_state : std::uint8_t { reset, init, rtr, rts, sqd, sqe, err, unknown };
enum class qp_type : std::uint8_t {
    unknown = 0,
    rc = 2,
    uc = 3,
    ud = 4,
    raw_packet = 8,
    xrc_ini = 9,
    xrc_tgt = 10,
    driver = 0xff,
};
const char *to_string(qp_state state); // "RTS"
const char *to_string(qp_type type);   // "RC"

struct context {
    qp_state state = qp_state::unknown;
    qp_type type = qp_type::unknown; // XRC: xrc_ini, whichever end it is
    std::uint8_t lag_tx_port_affinity = 0;
    std::uint8_t counter_set_id = 0;
    std::uint8_t ack_timeout = 0;
    std::uint8_t src_addr_index = 0;
    std::uint8_t retry_count = 0;
    std::uint8_t rnr_retry = 0;
    std::uint8_t cur_retry_count = 0;
    std::uint8_t cur_rnr_retry = 0;
    std::uint8_t min_rnr_nak = 0;
    std::uint16_t udp_sport = 0;
    std::uint32_t remote_qpn = 0;
    std::uint32_t flow_label = 0;
    std::uint32_t next_send_psn = 0;
    std::uint32_t last_acked_psn = 0;
    std::optional<std::uint8_t> extended_retry_count; // where its valid bit is set
    std::optional<std::uint8_t> extended_cur_retry_count;
    std::array<std::uint8_t, 16> remote_gid{};
};

// At least context_bytes; nothing where there are fewer.
std::optional<context> decode(std::span<const std::uint8_t> bytes);

// What is under way. Inferred: the device keeps the next PSN that it will send and the last one that
// was acknowledged; what lies between is outstanding, and the timer runs for the oldest of it.
struct progress {
    std::uint32_t outstanding = 0; // packets
    bool timer_armed = false;
    std::uint32_t timer_psn = 0; // where it is armed
};
// Nothing where there is no such state: another type than RC and XRC, or not connected to send.
std::optional<progress> progress_of(const context &c);

// Nominal, 4.096 us * 2^code; 0: the timer is off.
std::uint64_t timeout_ns(std::uint32_t code);

} // namespace adp::qp
