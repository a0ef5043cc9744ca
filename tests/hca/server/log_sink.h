// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <functional>
#include <string_view>

namespace adp::hca {

// Takes one line of the server's log, without its end.
using log_sink = std::function<void(std::string_view)>;

} // namespace adp::hca
