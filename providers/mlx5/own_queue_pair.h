// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// An application's own queue pair: its context by DEVX, and mlx5dv_modify_qp_udp_sport() with the
// gates that libmlx5 and firmware answer with one and the same errno checked first.
#pragma once

#include "mailbox.h"
#include "provider.h"
#include "verbs.h"

namespace adp::mlx5 {

// One page of current capabilities, asked for in the application's context.
result<mailbox> capabilities(const verbs_api &api, ibv_context *context, std::uint16_t page);

// What a failure of a DEVX command in an application's context says of that context.
error no_devx(error e);

result<qp::context> query_qp(ibv_qp *pair);
ooo_gates query_ooo(ibv_qp *pair);
result<void> modify_qp_udp_sport(ibv_qp *pair, std::uint16_t sport, bool force);

} // namespace adp::mlx5
