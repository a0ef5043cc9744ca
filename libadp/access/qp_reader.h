// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The queue pairs of a device, everybody's, by RDMA netlink; with what the kernel's own connection
// manager knows of their other ends and, where it is allowed, their contexts.
#pragma once

#include "device.h"
#include "flow/address.h"
#include "qp/context.h"
#include "result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adp {

// Of a connection by RDMA-CM.
struct cm_ends {
    flow::address source, destination;
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
};

struct host_qp {
    std::uint32_t port = 0; // 0: the kernel does not say
    std::uint32_t lqpn = 0;
    std::optional<std::uint32_t> rqpn;
    std::uint8_t type = 0;  // enum ib_qp_type
    std::uint8_t state = 0; // enum ib_qp_state
    std::optional<std::uint32_t> pid;
    std::string owner; // the process's name, "[name]" of a part of the kernel, or empty
    std::optional<cm_ends> ends;
    std::optional<qp::context> context;
    std::string local_gid;      // of the context's path; empty: none, or not known
    std::string context_reason; // why there is none
};

struct qp_filter {
    std::optional<std::uint32_t> lqpn;
    std::optional<std::uint32_t> pid;
};

result<std::vector<host_qp>> read_queue_pairs(const device_info &device, const qp_filter &filter);

} // namespace adp
