// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the kernel's driver answers to the verbs command that asks for a device's properties. It is
// asked here because an rdma-core that is older than a flag drops it.
#pragma once

#include <cstdint>
#include <optional>

struct ibv_context;

namespace adp::mlx5 {

// rdma/mlx5-abi.h of Linux 6.13 and newer: MLX5_IB_QUERY_DEV_RESP_FLAGS_OOO_DP.
inline constexpr std::uint32_t flag_ooo_dp = 1U << 4;

// Nothing where the kernel does not answer (one without the ioctl interface, before 4.20).
std::optional<std::uint32_t> query_device_flags(ibv_context *context);

} // namespace adp::mlx5
