// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The reply to QUERY_Q_COUNTER as counters with a name and a meaning. Pure.
#pragma once

#include "counter/counter.h"

#include <cstdint>
#include <span>
#include <vector>

namespace adp::mlx5 {

// In the driver's order. general: the device's current capabilities, which say what it counts; the
// others are not_exposed with their gate.
std::vector<counter::value> q_counters(std::span<const std::uint8_t> reply,
                                       std::span<const std::uint8_t> general);

} // namespace adp::mlx5
