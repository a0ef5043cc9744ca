// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Names that people look for among RDMA counters and that live elsewhere.
#include "counter/collect.h"

namespace adp::counter {

namespace {

struct place_of {
    std::string_view begin;
    std::string_view end;
    std::string_view text;
};
constexpr place_of places[] = {
    {"rx_vport_rdma_", "",
     "a statistic of the netdev (ethtool -S), no RDMA counter: RDMA traffic that the function "
     "received. "
     "It needs the netdev in this network namespace, and some functions do not have it"},
    {"tx_vport_rdma_", "",
     "a statistic of the netdev (ethtool -S), no RDMA counter: RDMA traffic that the function "
     "sent. It "
     "needs the netdev in this network namespace, and some functions do not have it"},
    {"rx_prio", "_pause", "a statistic of the netdev (ethtool -S): PFC pause frames received"},
    {"tx_prio", "_pause", "a statistic of the netdev (ethtool -S): PFC pause frames sent"},
    {"rx_prio", "", "a statistic of the netdev (ethtool -S), by priority"},
    {"tx_prio", "", "a statistic of the netdev (ethtool -S), by priority"},
    {"", "_phy", "a statistic of the netdev (ethtool -S), of the physical port"},
};

} // namespace

std::string_view elsewhere(std::string_view name)
{
    if (const std::string_view counter = counter_of_metric(name); !counter.empty())
        return "a metric of node_exporter";
    for (const place_of &p : places)
        if (name.size() >= p.begin.size() + p.end.size() &&
            name.substr(0, p.begin.size()) == p.begin &&
            name.substr(name.size() - p.end.size()) == p.end)
            return p.text;
    return {};
}

} // namespace adp::counter
