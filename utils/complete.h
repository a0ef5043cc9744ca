// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <string>
#include <vector>

namespace adp::cli {

// What can stand in place of the last of these words (the ones typed after "adp"), a line each. A
// line "FILE" asks the shell for file names. Fed from the grammar's table.
std::string complete(const std::vector<std::string> &words);

} // namespace adp::cli
