// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Where the supervised program lives: a mount namespace that shows the emulated /sys and device
// nodes, and a filter that passes its device ioctls to the supervisor.
#pragma once

#include "kernel.h"

namespace adp::emukernel {

// In the child: enters the sandbox, sends the listener's descriptor over the socket, runs the
// program. Does not return.
[[noreturn]] void enter_and_run(const kernel &machine, int socket, char **arguments);

// In the parent: the listener, or -1.
int receive_listener(int socket);

} // namespace adp::emukernel
