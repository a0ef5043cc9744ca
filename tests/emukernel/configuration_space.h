// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The PCI configuration space of an emulated function, as it stands when nobody has touched it.
#pragma once

#include "topology.h"

#include <string>

namespace adp::emukernel {

inline constexpr std::size_t configuration_bytes = 256;
inline constexpr unsigned vendor_capability = 0xc0; // where the vendor-specific capability lies
inline constexpr unsigned vendor_capability_bytes = 0x18;

std::string configuration_space(const pci_function &function);

} // namespace adp::emukernel
