// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Addresses of PCI functions, as the kernel writes them and as people do.
#pragma once

#include <string>
#include <string_view>

namespace adp {

// As the kernel writes it: "1A:00.0" -> "0000:1a:00.0". A domain has four digits or, behind a bridge
// with domains of its own (VMD), up to eight. Empty when the text is no PCI address.
std::string pci_address(std::string_view text);

// Whether it is written so already.
bool is_pci_address(std::string_view text);

} // namespace adp
