// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a setting of a queue pair hides, whatever model is believed.
#pragma once

#include "retry/types.h"

#include <vector>

namespace adp::retry {

std::vector<note> traps(const qp_setting &qp);

} // namespace adp::retry
