// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The status byte of an mlx5 command and what it means.
//
// Source: kernel include/linux/mlx5/device.h and drivers/net/ethernet/mellanox/mlx5/core/cmd.c
// (cmd_status_to_err), rdma-core; NOT_READY from newer kernels and mstflint.
#pragma once

#include <cstdint>

namespace adp::reg {

struct fw_status_info {
    std::uint8_t status;
    const char *name; // "BAD_PARAM_ERR"
    const char *text; // "bad parameter"
    int err;          // errno that kernels map it to
};

// nullptr: not a known status.
const fw_status_info *find_status(std::uint8_t status);

// "bad parameter", or "unknown status".
const char *status_text(std::uint32_t status);

} // namespace adp::reg
