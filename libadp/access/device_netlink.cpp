// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "device_netlink.h"

#include "rdma_netlink.h"

#include <algorithm>

namespace adp {

namespace {

bool lacks_something(const device_info &d)
{
    return d.ports.empty() || std::any_of(d.ports.begin(), d.ports.end(), [](const port_info &p) {
               return p.netdev.empty() && p.link == link_layer::ethernet;
           });
}

void complete(device_info &d, const std::vector<nl::port> &ports)
{
    for (const nl::port &p : ports) {
        auto known = std::find_if(d.ports.begin(), d.ports.end(),
                                  [&p](const port_info &i) { return i.number == p.number; });
        if (known == d.ports.end())
            d.ports.push_back({p.number, p.netdev, link_layer::unknown});
        else if (known->netdev.empty())
            known->netdev = p.netdev;
    }
    std::sort(d.ports.begin(), d.ports.end(),
              [](const port_info &a, const port_info &b) { return a.number < b.number; });
}

} // namespace

void complete_by_netlink(std::vector<device_info> &devices)
{
    if (!devices.empty() && std::none_of(devices.begin(), devices.end(), lacks_something))
        return;
    auto rdma = nl::rdma::open();
    if (!rdma)
        return; // no RDMA in this kernel; sysfs was right
    const auto listed = rdma->devices();
    if (!listed)
        return;
    for (const nl::device &n : *listed) {
        auto known = std::find_if(devices.begin(), devices.end(),
                                  [&n](const device_info &d) { return d.name == n.name; });
        if (known == devices.end()) {
            device_info added;
            added.name = n.name;
            added.fw_ver = n.fw_ver;
            known = devices.insert(devices.end(), std::move(added));
        }
        if (!lacks_something(*known))
            continue;
        if (const auto ports = rdma->ports(n.index))
            complete(*known, *ports);
    }
    std::sort(devices.begin(), devices.end(),
              [](const device_info &a, const device_info &b) { return a.name < b.name; });
}

} // namespace adp
