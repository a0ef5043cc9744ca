// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Places in a queue pair's context (mlx5_ifc_qpc_bits of rdma-core's providers/mlx5/mlx5_ifc.h and
// the kernel's mlx5_ifc.h).
#pragma once

#include "bytes.h"

namespace adp::hca::qpc {

inline constexpr std::size_t context_bytes = 0xe8;
inline constexpr std::size_t at_create =
    0x18; // of the context in CREATE_QP, all modify commands, QUERY_QP
inline constexpr std::size_t at_doorbell_record = 0xa0;
inline constexpr std::size_t control_segment_bytes = 16;

inline constexpr bit_field state{0x000, 4};
inline constexpr bit_field lag_tx_port_affinity{0x004, 4};
inline constexpr bit_field st{0x008, 8};
inline constexpr bit_field pm_state{0x013, 2};
inline constexpr bit_field pd{0x028, 24};
inline constexpr bit_field mtu{0x040, 3};
inline constexpr bit_field log_msg_max{0x043, 5};
inline constexpr bit_field log_rq_size{0x049, 4};
inline constexpr bit_field log_rq_stride{0x04d, 3};
inline constexpr bit_field no_sq{0x050, 1};
inline constexpr bit_field log_sq_size{0x051, 4};
inline constexpr bit_field counter_set_id{0x060, 8};
inline constexpr bit_field user_index{0x088, 24};
inline constexpr bit_field log_page_size{0x0a3, 5};
inline constexpr bit_field remote_qpn{0x0a8, 24};

// The primary address path.
inline constexpr bit_field pkey_index{0x0d0, 16};
inline constexpr bit_field grh{0x0e8, 1};
inline constexpr bit_field mlid{0x0e9, 7};
inline constexpr bit_field rlid{0x0f0, 16};
inline constexpr bit_field ack_timeout{0x100, 5};
inline constexpr bit_field src_addr_index{0x108, 8};
inline constexpr bit_field stat_rate_hop_limit{0x110, 16};
inline constexpr bit_field tclass_flow_label{0x120, 32};
inline constexpr bit_field udp_sport{0x1d0, 16};
inline constexpr bit_field vhca_port_num{0x1e8, 8};

inline constexpr bit_field log_ack_req_freq{0x380, 4};
inline constexpr bit_field log_sra_max{0x388, 3};
inline constexpr bit_field retry_count{0x38d, 3};
inline constexpr bit_field rnr_retry{0x390, 3};
inline constexpr bit_field cur_rnr_retry{0x395, 3};
inline constexpr bit_field cur_retry_count{0x398, 3};
inline constexpr bit_field next_send_psn{0x3c8, 24};
inline constexpr bit_field cqn_snd{0x3e8, 24};
inline constexpr bit_field deth_sqpn{0x408, 24};
inline constexpr bit_field last_acked_psn{0x448, 24};
inline constexpr bit_field log_rra_max{0x488, 3};
inline constexpr bit_field atomic_mode{0x48c, 4};
inline constexpr bit_field rre{0x490, 1};
inline constexpr bit_field rwe{0x491, 1};
inline constexpr bit_field rae{0x492, 1};
inline constexpr bit_field page_offset{0x494, 6};
inline constexpr bit_field min_rnr_nak{0x4a3, 5};
inline constexpr bit_field next_rcv_psn{0x4a8, 24};
inline constexpr bit_field cqn_rcv{0x4e8, 24};
inline constexpr bit_field q_key{0x540, 32};
inline constexpr bit_field rq_type{0x565, 3};
inline constexpr bit_field srqn{0x568, 24};

} // namespace adp::hca::qpc
