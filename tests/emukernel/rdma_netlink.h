// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// NETLINK_RDMA: what libibverbs and iproute2's `rdma dev`, `link`, `system`, `statistic` ask.
// Counters are in rdma_counters.cpp.
#pragma once

#include "config.h"
#include "counter_state.h"
#include "firmware_gate.h"
#include "netlink_message.h"
#include "topology.h"

#include <span>
#include <vector>

namespace adp::emukernel {

class rdma_netlink {
  public:
    using datagrams = std::vector<std::vector<std::uint8_t>>;
    struct request; // rdma_netlink_request.h

    rdma_netlink(const config &settings, const topology &machine, firmware_gate &firmware,
                 const journal &log)
        : settings_{&settings}, machine_{&machine}, firmware_{&firmware}, log_{&log}, counters_{
                                                                                          settings}
    {
    }
    // One request in, the answers out.
    datagrams answer(std::span<const std::uint8_t> request) const;

  private:
    int device(request &r, const ib_device &d) const;
    int port(request &r, const ib_device &d) const;
    int character_device(request &r, const ib_device &d) const;
    int statistics(request &r, const ib_device &d) const;
    int counter_sets(request &r, const ib_device &d) const;
    int counter_names(request &r, const ib_device &d) const;
    int change_statistics(request &r, const ib_device &d) const;
    int unbind(request &r, const ib_device &d) const;
    // Null: nothing is counted there.
    const port_description *counted_port(request &r, const ib_device &d,
                                         std::uint32_t &number) const;
    static void put_set(request &r, netlink_message &m, const ib_device &d, const bound_set &s);
    int system(request &r) const;
    int queue_pairs(request &r, const ib_device &d) const; // rdma_netlink_qp.cpp
    int connection_list(request &r, const ib_device &d) const;
    int raw_queue_pair(request &r, const ib_device &d) const;
    int dispatch(request &r) const;
    bool present(request &r, const ib_device &d) const;

    const config *settings_;
    const topology *machine_;
    firmware_gate *firmware_;
    const journal *log_;
    counter_state counters_;
};

} // namespace adp::emukernel
