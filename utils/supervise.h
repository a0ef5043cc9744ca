// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Firmware that does not answer holds the process that asked it in the kernel, deaf to every signal,
// until the kernel gives up: 65 s for a command of mlx5. So another process stands before it, which
// says what is waited for and can be interrupted.
#pragma once

#include <string_view>

namespace adp::cli {

// Before a device is asked: from here on this is a child of the process that was started, which
// waits, passes signals on and ends as this one does. Once; where it cannot be done nobody waits.
void begin_supervision();

// What is asked of a device, for whom it is told when that takes long; "": it has answered.
void asking(std::string_view what);

} // namespace adp::cli
