// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The provider of simulated devices: one access path, "sim", to the model of the firmware.
#pragma once

#include "provider.h"

namespace adp::sim {

// The only instance.
provider *sim_provider();

} // namespace adp::sim
