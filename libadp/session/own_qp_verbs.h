// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The verbs about an application's own queue pair: what libibverbs says, what its device's provider
// adds, and what the driver's rules give where neither knows.
#pragma once

#include "own_qp.h"
#include "provider.h"

#include <adp/adp.h>

namespace adp {

result<adp_qp_attr> query_qp_attr(ibv_qp *pair);

// Every gate is looked at before anything is changed, and named.
result<void> modify_qp_udp_sport(ibv_qp *pair, std::uint16_t sport, bool force);

} // namespace adp
