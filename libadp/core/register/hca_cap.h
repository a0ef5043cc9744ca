// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The capability bits that libadp asks for, in the answer to QUERY_HCA_CAP, general device type
// (type 0, current values). Offsets count bits from the start of the capability structure, bit 0
// being the most significant of the first byte, as in the vendor's structures.
//
// Sources: rdma-core providers/mlx5/mlx5_ifc.h and tests/mlx5_prm_structs.py, DPDK mlx5_prm.h, the
// kernel's mlx5_ifc.h; each offset was summed up from at least one and agrees where several have it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace adp::reg {

struct cap_field {
    std::string_view name;
    std::uint16_t bit;
    std::uint8_t width;
};

inline constexpr std::size_t hca_cap_bytes = 4096;

namespace cap {
inline constexpr cap_field access_register_user{"access_register_user", 0x0d2, 1};
inline constexpr cap_field roce_accl{"roce_accl", 0x149, 1};
inline constexpr cap_field rts2rts_qp_udp_sport{"rts2rts_qp_udp_sport", 0x151, 1};
inline constexpr cap_field rts2rts_qp_counters_set_id{"rts2rts_qp_counters_set_id", 0x169, 1};
inline constexpr cap_field out_of_seq_cnt{"out_of_seq_cnt", 0x180, 1};
inline constexpr cap_field retransmission_q_counters{"retransmission_q_counters", 0x182, 1};
inline constexpr cap_field enhanced_error_q_counters{"enhanced_error_q_counters", 0x1b1, 1};
inline constexpr cap_field port_type{"port_type", 0x1b6, 2}; // 0 InfiniBand, 1 Ethernet
inline constexpr cap_field num_ports{"num_ports", 0x1b8, 8};
inline constexpr cap_field roce{"roce", 0x21d, 1};
inline constexpr cap_field dp_ordering_ooo_all_ud{"dp_ordering_ooo_all_ud", 0x330, 1};
inline constexpr cap_field dp_ordering_ooo_all_uc{"dp_ordering_ooo_all_uc", 0x331, 1};
inline constexpr cap_field dp_ordering_ooo_all_xrc{"dp_ordering_ooo_all_xrc", 0x332, 1};
inline constexpr cap_field dp_ordering_ooo_all_rc{"dp_ordering_ooo_all_rc", 0x334, 1};
inline constexpr cap_field q_counter_aggregation{"q_counter_aggregation", 0x339, 1};
inline constexpr cap_field q_counter_other_vport{"q_counter_other_vport", 0x33a, 1};
inline constexpr cap_field log_max_uctx{"log_max_uctx", 0x463, 5};
inline constexpr cap_field uctx_cap{"uctx_cap", 0x6a0, 32};
} // namespace cap

// Of the page of RoCE (type 4).
namespace roce_cap {
inline constexpr std::uint16_t page = 4;
inline constexpr cap_field r_roce_max_src_udp_port{"r_roce_max_src_udp_port", 0x0c0, 16};
inline constexpr cap_field r_roce_min_src_udp_port{"r_roce_min_src_udp_port", 0x0d0, 16};
} // namespace roce_cap

// 0 for what lies beyond the structure.
std::uint32_t get(std::span<const std::uint8_t> capability, const cap_field &f);
void put(std::span<std::uint8_t> capability, const cap_field &f, std::uint32_t value);

} // namespace adp::reg
