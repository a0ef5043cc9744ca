// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A folder of counters in sysfs, one file a counter: ports/N/hw_counters, hw_counters of a device,
// ports/N/counters. Each file stands for itself: one that cannot be read hides no other.
#pragma once

#include "counter/counter.h"
#include "result.h"

#include <string>
#include <string_view>
#include <vector>

namespace adp {

// In the order of their names. ENOENT: there is no such folder (a driver without these counters, or
// a container). The folder's settings (lifespan) are left out.
result<std::vector<counter::value>>
read_counter_folder(const std::string &path, std::string_view driver, counter::family family);

// The text of one file; exported for its tests.
counter::value counter_of_text(std::string_view driver, std::string_view name,
                               std::string_view text, counter::family family);

} // namespace adp
