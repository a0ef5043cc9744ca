// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The simulated devices as libadp lists them beside the machine's.
#pragma once

#include "result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace adp::sim {

struct simulated_device {
    std::string name;   // "sim0"
    std::string driver; // "sim"
    std::string fw_ver;
    std::string board_id;
    std::string netdev;           // "" where there is none
    std::vector<std::string> pci; // its functions; several for a bond
    std::uint32_t ports = 1;
    bool ethernet = true;
};

// sim_state as in store::open(). In the order of the state.
result<std::vector<simulated_device>> list_devices(const std::string &sim_state);

} // namespace adp::sim
