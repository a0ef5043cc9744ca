// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "port.h"

#include <algorithm>

namespace adp::hca {

std::array<std::uint8_t, 6> port::mac() const
{
    // EUI-48 out of EUI-64.
    std::array<std::uint8_t, 8> whole{};
    put64(whole, 0, guid);
    return {whole[0], whole[1], whole[2], whole[5], whole[6], whole[7]};
}

void port::reset()
{
    constexpr std::size_t at_mtu = 0x26;
    constexpr std::size_t at_system_image_guid = 0x28;
    constexpr std::size_t at_port_guid = 0x30;
    constexpr std::size_t at_node_guid = 0x38;
    constexpr std::size_t at_permanent_address = 0xf6;
    std::fill(nic_vport.begin(), nic_vport.end(), std::uint8_t{0});
    put16(nic_vport, at_mtu, 1500);
    put64(nic_vport, at_system_image_guid, guid);
    put64(nic_vport, at_port_guid, guid + 1);
    put64(nic_vport, at_node_guid, guid);
    const auto address = mac();
    std::copy(address.begin(), address.end(), nic_vport.begin() + at_permanent_address);
}

} // namespace adp::hca
