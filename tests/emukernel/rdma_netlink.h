// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// NETLINK_RDMA: what libibverbs and iproute2's `rdma dev`, `link`, `system`, `statistic` ask.
#pragma once

#include "config.h"
#include "firmware_gate.h"
#include "netlink_message.h"
#include "topology.h"

#include <span>
#include <vector>

namespace adp::emukernel {

class rdma_netlink {
  public:
    using datagrams = std::vector<std::vector<std::uint8_t>>;

    rdma_netlink(const config &settings, const topology &machine, firmware_gate &firmware,
                 const journal &log)
        : settings_{&settings}, machine_{&machine}, firmware_{&firmware}, log_{&log}
    {
    }
    // One request in, the answers out.
    datagrams answer(std::span<const std::uint8_t> request) const;

  private:
    struct request;
    int device(request &r, const ib_device &d) const;
    int port(request &r, const ib_device &d) const;
    int character_device(request &r, const ib_device &d) const;
    int statistics(request &r, const ib_device &d) const;
    int system(request &r) const;
    int queue_pairs(request &r, const ib_device &d) const; // rdma_netlink_qp.cpp
    int connection_list(request &r, const ib_device &d) const;
    int raw_queue_pair(request &r, const ib_device &d) const;
    int dispatch(request &r) const;
    bool present(const ib_device &d) const;

    const config *settings_;
    const topology *machine_;
    firmware_gate *firmware_;
    const journal *log_;
};

} // namespace adp::emukernel
