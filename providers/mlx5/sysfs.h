// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Where the kernel shows the device nodes of an mlx5 function, and what may stand in the way.
// All of it honours ADP_SYSFS_ROOT.
#pragma once

#include "provider.h"

#include <string>

namespace adp::mlx5 {

// A subfunction stands below its parent's PCI function; what is reached by that address is the
// parent's register, not its own.
bool is_subfunction(const function_ref &fn);

// The tree is not this machine's: its device nodes are not ours to open.
bool foreign_sysfs();

std::string fwctl_node(const std::string &pci);    // "fwctl0", or empty: none
std::string uverbs_node(const std::string &ibdev); // "uverbs0", or empty: none
// mlx5_core offers the function to the fwctl driver (Linux 6.15 and newer), bound or not.
bool offers_fwctl(const std::string &pci);

// "integrity" or "confidentiality" while the kernel is locked down, else empty.
std::string lockdown();

} // namespace adp::mlx5
