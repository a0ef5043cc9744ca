// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which function a port of a switch stands for, by the name that the kernel gave its netdev
// (phys_port_name) and by what devlink lists. Pure.
#pragma once

#include "devlink.h"

#include <string>
#include <string_view>

namespace adp {

struct port_function {
    std::string name;           // "pf0vf1", "c1pf0", "uplink"; empty: not known, or they disagree
    std::string reason;         // why there is none, or why it is not the phys_port_name
    bool uplink = false;        // both say so, or the one that speaks
    bool may_be_uplink = false; // one says so, against the other
};

// phys_port_name: empty where there is none. listed: null where devlink does not say anything.
port_function judge_function(std::string_view netdev, std::string_view phys_port_name,
                             const nl::devlink_port *listed);

} // namespace adp
