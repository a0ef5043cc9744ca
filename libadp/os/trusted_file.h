// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Files that tell a privileged program what to do: nobody but root and this user (and their own
// groups) may have written them.
#pragma once

#include "result.h"

#include <string>
#include <vector>

namespace adp::os {

// As read_file(). EPERM, with the remedy, when somebody else than root and this user owns the file or the
// folder that it really lies in, or everybody or another group may write to one of them (to a sticky folder
// everybody may: what others put there is theirs).
result<std::string> read_trusted_file(const std::string &path, std::size_t max = 1U << 20);

// Names in such a folder, sorted. ENOENT where there is none.
result<std::vector<std::string>> list_trusted_directory(const std::string &path);

} // namespace adp::os
