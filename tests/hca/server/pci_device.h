// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What one emulated PCI function offers to the transport.
#pragma once

#include "bytes.h"

namespace adp::hca {

struct region {
    std::uint64_t size = 0; // 0: there is none
    bool readable = false;
    bool writable = false;
};

// Regions by the numbers of VFIO: 0 to 5 the BARs, 7 the configuration space.
inline constexpr unsigned bar0_region = 0;
inline constexpr unsigned configuration_region = 7;

class pci_device {
  public:
    pci_device() = default;
    virtual ~pci_device() = default;
    pci_device(const pci_device &) = delete;
    pci_device &operator=(const pci_device &) = delete;

    virtual region region_of(unsigned index) const = 0;
    virtual unsigned vectors() const = 0;
    // Within the region, whatever it is for.
    virtual void read(unsigned index, std::uint64_t offset, room to) = 0;
    virtual void write(unsigned index, std::uint64_t offset, view from) = 0;
    virtual void reset() = 0;
};

} // namespace adp::hca
