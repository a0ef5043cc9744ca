// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include "device.h"

namespace adp {

// Adds what sysfs does not show and RDMA netlink knows: devices of a container whose sysfs lacks
// them, and the netdevs of ports that have no addresses (representors). Asks only when something
// lacks.
void complete_by_netlink(std::vector<device_info> &devices);
void complete_by_netlink(device_info &device);

} // namespace adp
