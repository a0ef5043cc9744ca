// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Generic netlink, of which only devlink is there: the list of ports, for libadp and for iproute2's
// `devlink port`. There is a devlink when EMUKERNEL_COUNTERS describes one of a device.
#pragma once

#include "config.h"
#include "counter_state.h"
#include "journal.h"
#include "netlink_message.h"
#include "topology.h"

#include <cstdint>
#include <span>
#include <vector>

namespace adp::emukernel {

class devlink {
  public:
    using datagrams = std::vector<std::vector<std::uint8_t>>;

    devlink(const config &settings, const topology &machine, const journal &log)
        : settings_{&settings}, machine_{&machine}, log_{&log}, counters_{settings}
    {
    }
    // One request in, the answers out.
    datagrams answer(std::span<const std::uint8_t> request) const;

  private:
    struct request;
    int family(request &r, std::span<const std::uint8_t> message) const;
    int ports(request &r) const;
    int dispatch(request &r, std::span<const std::uint8_t> message) const;

    const config *settings_;
    const topology *machine_;
    const journal *log_;
    counter_state counters_;
};

} // namespace adp::emukernel
