// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Queue pairs of an application into its own counter set, and back.
#pragma once

#include "provider.h"

namespace adp {

result<void> move_qp(own_counter_set &set, ibv_qp *pair, bool back);

} // namespace adp
