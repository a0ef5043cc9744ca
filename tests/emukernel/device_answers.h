// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the emulated mlx5 driver says of a device: limits and properties that no test changes.
#pragma once

#include "topology.h"

#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <vector>

namespace adp::emukernel {

ib_uverbs_ex_query_device_resp device_answer(const ib_device &device);
ib_uverbs_query_port_resp port_answer(const ib_port &port);
mlx5_ib_alloc_ucontext_resp context_answer(const ib_device &device);

// Shown in sysfs and by netlink.
struct counter {
    const char *name;
    std::uint64_t value;
};
const std::vector<counter> &hardware_counters();

} // namespace adp::emukernel
