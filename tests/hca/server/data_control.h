// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The words of the control language about the data path.
#pragma once

#include "result.h"

#include <optional>
#include <string>
#include <string_view>

namespace adp::hca {

class nic;
class hca_function;

// Nothing: not a setting of the data path. See settings.h.
std::optional<result<void>> apply_data_setting(nic &device, hca_function &f, std::string_view key,
                                               std::string_view value);

// The commands; EINVAL when the device moves no data.
result<std::string> outage_line(hca_function &f, std::string_view rest);
result<std::string> trace_line(hca_function &f, std::string_view rest);
result<std::string> failures_line(hca_function &f, std::string_view rest);
result<std::string> packets_line(hca_function &f, std::string_view rest);
result<std::string> capture_line(hca_function &f, std::string_view rest);

} // namespace adp::hca
