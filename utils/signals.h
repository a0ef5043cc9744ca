// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The signals by which people and init systems end a program.
#pragma once

#include <csignal>
#include <vector>

namespace adp::cli {

// SIGINT, SIGTERM and, unless this program was started to ignore it (nohup), SIGHUP. That SIGINT is
// ignored means little: a shell does that to all that a script starts in the background, and a watch
// there is to be ended by it.
std::vector<int> ending_signals();
// The same as a set.
sigset_t ending_signal_set();

} // namespace adp::cli
