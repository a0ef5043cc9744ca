// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the kernel's devlink says of a port in switchdev mode, for JSON and for people.
#pragma once

#include "record.h"

#include <adp/adp.h>

#include <string>
#include <utility>
#include <vector>

namespace adp::cli {

struct switch_port {
    std::string name; // "pci/0000:01:00.0/1"; empty: not known
    // Under devlink's own words, those that the port has.
    std::vector<std::pair<const char *, json>> words;
    std::string reason; // why it is not known; empty: not asked
};

switch_port switch_port_of(const adp_counters_info &info);

// The key "devlink".
void identify_switch_port(record &element, const switch_port &p);

// For people; empty: nothing to say.
std::string switch_port_line(const switch_port &p);

} // namespace adp::cli
