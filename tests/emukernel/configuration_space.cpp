// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "configuration_space.h"

namespace adp::emukernel {

std::string configuration_space(const pci_function &function)
{
    std::string space(configuration_bytes, '\0');
    const auto put = [&space](std::size_t at, unsigned value) { // 16 bits, little-endian
        space[at] = static_cast<char>(value & 0xffU);
        space[at + 1] = static_cast<char>(value >> 8U & 0xffU);
    };
    put(0x00, 0x15b3);
    put(0x02, function.device_id);
    put(0x04, 0x0406); // memory, bus master, no INTx
    put(0x06, 0x0010); // has capabilities
    put(0x0a, 0x0200); // Ethernet controller
    put(0x10, 0x000c); // BAR 0: memory, 64 bits, prefetchable
    put(0x2c, 0x15b3);
    put(0x2e, 0x0041);
    put(0x34, 0x60);
    put(0x60, 0xc010); // PCI Express, next: the vendor's
    put(0x62, 0x0002);
    put(vendor_capability, 0x0009);                      // vendor-specific, last
    put(vendor_capability + 2, vendor_capability_bytes); // type 0: functional
    return space;
}

} // namespace adp::emukernel
