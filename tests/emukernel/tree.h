// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// /sys, /dev and the little of /proc that the emulated machine shows, as files below a directory.
#pragma once

#include "config.h"
#include "topology.h"

#include <string>

namespace adp::emukernel {

// Writes the tree, in place of one made for another topology; several processes may come at once.
// False: the directory cannot be written.
bool make_tree(const config &settings, const topology &machine);

// The function's driver is gone: its class entries and device nodes disappear, the PCI device stays.
void remove_function(const config &settings, const topology &machine, const std::string &pci);

} // namespace adp::emukernel
