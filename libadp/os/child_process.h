// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Runs another program to its end and keeps what it said. Made for a library: no shell, no signal
// handler, and no descriptor of ours or of the application reaches the program. (Not "spawn.h":
// that is the C library's.)
#pragma once

#include "result.h"

#include <chrono>
#include <string>
#include <vector>

namespace adp::os {

struct spawn_options {
    std::chrono::milliseconds timeout{30000};
    std::size_t max_output = 1U << 20; // bytes kept; what follows is read and dropped
};

struct spawn_result {
    int exit_status = -1;   // -1: it did not exit by itself, or the application reaped it
    int signal = 0;         // the signal that ended it
    bool timed_out = false; // killed by us
    bool truncated = false; // there was more output than was kept
    std::string output;     // stdout and stderr, as they came
};

// Runs argv[0] (a path) with stdin from /dev/null, LC_ALL=C and a process group of its own, and
// waits for it. When the time is over, or the program ends and leaves children behind, the whole
// group is killed. Fails only when the program could not be started: ENOENT, EACCES, ...
//
// An application that ignores SIGCHLD, or waits for any child, takes the exit status away: it is
// then -1, with signal 0 and timed_out false.
result<spawn_result> run_program(const std::vector<std::string> &argv,
                                 const spawn_options &options = {});

// The path of a program, from PATH; empty when there is none. Relative folders in PATH are passed
// over. With more privilege than the caller (AT_SECURE) the system's folders alone are looked at.
std::string find_program(const std::string &name);

} // namespace adp::os
