// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// An application's own queue pair: its context by DEVX, and mlx5dv_modify_qp_udp_sport() with the
// gates that libmlx5 and firmware answer with one and the same errno checked first.
#pragma once

#include "provider.h"

namespace adp::mlx5 {

result<qp::context> query_qp(ibv_qp *pair);
ooo_gates query_ooo(ibv_qp *pair);
result<void> modify_qp_udp_sport(ibv_qp *pair, std::uint16_t sport, bool force);

} // namespace adp::mlx5
