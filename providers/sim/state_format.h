// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Simulated devices as JSON text; FORMAT.md describes it for people.
#pragma once

#include "model.h"

#include "result.h"

#include <string>
#include <string_view>
#include <vector>

namespace adp::sim {

inline constexpr std::string_view state_format_name = "adp-sim-state";
inline constexpr unsigned state_format_version = 1;

struct parsed_state {
    std::vector<model> devices;
    bool embedded = false; // stood under "sim_state" in another document, a report for example
};

// name: of the file, for messages. EINVAL: not such text; the reason names the file and the place.
result<parsed_state> parse_state(const std::string &text, const std::string &name);

std::string format_state(const std::vector<model> &devices);

} // namespace adp::sim
