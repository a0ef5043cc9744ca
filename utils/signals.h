// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The signals by which people and init systems end a program.
#pragma once

#include <csignal>
#include <vector>

namespace adp::cli {

// SIGINT, SIGTERM and SIGHUP but those that this program was started to ignore (nohup, or in the
// background of a script): they stay ignored.
std::vector<int> ending_signals();
// The same as a set.
sigset_t ending_signal_set();

} // namespace adp::cli
