// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The settings by which applications decide over source ports, with what is surprising about them.
#pragma once

#include "flow/rule.h"

#include <span>
#include <string_view>

namespace adp::flow {

struct knob {
    std::string_view stack; // "ucx", "nccl", ...
    std::string_view name;  // as the stack spells it
    std::string_view value; // default
    std::string_view text;  // what it does to ports
    std::string_view trap;  // what goes wrong with it, or ""
    std::string_view source;
    confidence trust;
};

std::span<const knob> knobs();
const knob *find_knob(std::string_view name); // nullptr: none

} // namespace adp::flow
