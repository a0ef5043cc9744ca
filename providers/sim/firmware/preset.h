// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Simulated devices that need no state file, by name.
#pragma once

#include "model.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace adp::sim {

struct preset {
    std::string_view name;
    std::string_view text; // one line for people
    std::vector<model> (*make)();
};

// The first is the default.
std::span<const preset> presets();

std::optional<std::vector<model>> make_preset(std::string_view name);

} // namespace adp::sim
