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

void complete(device_info &d, nl::rdma &rdma, std::uint32_t index)
{
    d.netlink_index = index;
    if (!lacks_something(d))
        return;
    const auto ports = rdma.ports(index);
    if (!ports)
        return;
    for (const nl::port &p : *ports) {
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

void complete_by_netlink(device_info &device)
{
    if (!lacks_something(device))
        return;
    auto rdma = nl::rdma::open();
    if (!rdma)
        return;
    const auto listed = rdma->devices();
    if (!listed)
        return;
    for (const nl::device &n : *listed)
        if (n.name == device.name)
            complete(device, *rdma, n.index);
}

void complete_by_netlink(std::vector<device_info> &devices)
{
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
        complete(*known, *rdma, n.index);
    }
    std::sort(devices.begin(), devices.end(),
              [](const device_info &a, const device_info &b) { return a.name < b.name; });
}

} // namespace adp
