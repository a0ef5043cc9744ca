// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The provider of NVIDIA's mlx5 devices: three ways to one register.
#pragma once

#include "provider.h"

namespace adp::mlx5 {

provider *instance();

} // namespace adp::mlx5
