// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The path over DEVX: raw commands through the uverbs node, by rdma-core's libmlx5.
//
// The kernel lets the command ACCESS_REGISTER_USER (0xb0c) through, not ACCESS_REG (0x805).
// Whether any firmware answers it for ROCE_ACCL is not publicly known: caveat() says so.
#pragma once

#include "provider.h"

namespace adp::mlx5 {

// Opens a DEVX context of its own, or borrows function_ref.verbs.
result<std::unique_ptr<path>> open_devx(const function_ref &fn);

} // namespace adp::mlx5
