// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// "KEY = VALUE" of a description or of the control socket: what a function is and what it holds.
#pragma once

#include "result.h"

#include <string_view>

namespace adp::hca {

class nic;
class hca_function;

// EINVAL: no such key, or a value that it cannot have; the reason names both. add: "+=", which only
// counters have.
result<void> apply_setting(nic &device, hca_function &f, std::string_view key,
                           std::string_view value, bool add);

} // namespace adp::hca
