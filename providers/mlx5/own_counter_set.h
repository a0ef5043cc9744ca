// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A counter set of an application's own by DEVX: ALLOC_Q_COUNTER, queue pairs moved to it by
// RTS2RTS_QP, QUERY_Q_COUNTER. The kernel lets nobody query a set but through the very object that
// made it (drivers/infiniband/hw/mlx5/devx.c), so this reaches no set of the kernel or of others.
#pragma once

#include "provider.h"

namespace adp::mlx5 {

result<std::unique_ptr<own_counter_set>> create_counter_set(ibv_context *context);

} // namespace adp::mlx5
