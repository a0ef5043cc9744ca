// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sim_state.h"

#include "store.h"

#include <algorithm>

namespace adp::sim {

namespace {

simulated_device describe(const model &m)
{
    simulated_device d;
    d.name = m.ibdev;
    d.driver = "sim";
    d.fw_ver = m.fw_ver;
    d.board_id = m.board_id;
    d.ports = std::max(capability_of(m.caps, reg::cap::num_ports), std::uint32_t{1});
    d.ethernet = capability_of(m.caps, reg::cap::port_type) == 1;
    d.netdev = m.netdev;
    return d;
}

} // namespace

result<std::vector<simulated_device>> list_devices(const std::string &sim_state)
{
    auto opened = store::open(sim_state);
    if (!opened)
        return std::move(opened).err();
    auto models = (*opened)->devices();
    if (!models)
        return std::move(models).err();
    std::vector<simulated_device> list;
    for (const model &m : *models) {
        if (m.gone)
            continue;
        auto known = std::find_if(list.begin(), list.end(),
                                  [&m](const simulated_device &d) { return d.name == m.ibdev; });
        if (known == list.end())
            known = list.insert(list.end(), describe(m));
        known->pci.push_back(m.pci);
    }
    return list;
}

} // namespace adp::sim
