// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The port of a function and what its vport context says.
#pragma once

#include "bytes.h"

#include <array>
#include <map>

namespace adp::hca {

inline constexpr std::size_t nic_vport_context_bytes = 0x100;

struct port {
    std::uint64_t guid = 0x0c42a10300a1b2c0;
    unsigned state = 4;      // active
    unsigned phys_state = 5; // link up
    unsigned lid = 1;
    std::array<std::uint8_t, 64> node_description{};
    std::map<std::uint16_t, std::uint64_t> congestion; // by place
    std::uint64_t icrc_encapsulated = 0;

    // What the driver may change of the vport context.
    bytes nic_vport = bytes(nic_vport_context_bytes);

    // The context as a driver leaves it behind is forgotten.
    void reset();

    std::array<std::uint8_t, 6> mac() const;
};

} // namespace adp::hca
