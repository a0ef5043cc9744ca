// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "topology.h"

#include "counter_state.h"
#include "text/format.h"

#include <algorithm>
#include <rdma/ib_user_ioctl_verbs.h>

namespace adp::emukernel {

namespace {

constexpr std::uint16_t virtual_function_id = 0x101e; // of every current ConnectX

// The word that the list gives an address, or nothing.
std::string kind_word(const std::string &kinds, const std::string &pci)
{
    const std::size_t at = kinds.find(pci + "=");
    if (at == std::string::npos)
        return {};
    const std::size_t from = at + pci.size() + 1;
    return kinds.substr(from, kinds.find(',', from) - from);
}

// "sim0" is the name of the simulated device for users of the library; a kernel says "mlx5_0", and
// "mlx5_bond_0" where one device stands for several functions.
std::string kernel_name(const std::string &ibdev, bool bonded)
{
    if (ibdev.rfind("sim", 0) != 0)
        return ibdev;
    return (bonded ? "mlx5_bond_" : "mlx5_") + ibdev.substr(3);
}

pci_function describe(const function_state &f, const std::string &kinds)
{
    pci_function p;
    p.address = f.pci;
    p.device_id = f.device_id;
    p.hardware_id = f.hardware_id;
    const std::string word = kind_word(kinds, f.pci);
    p.switchdev = word == "switchdev";
    if (word == "vf") {
        p.kind = function_kind::vf;
        p.physfn = f.pci.substr(0, f.pci.size() - 1) + "0";
        p.device_id = virtual_function_id;
    } else if (word == "sf") {
        p.kind = function_kind::sf;
        p.auxiliary = "mlx5_core.sf.4";
    }
    return p;
}

// The physical function of a VF: function 0 of its slot, also where no state describes it; for a VF
// that is function 0 itself (as the first of another bus is) the first physical one.
void connect_virtual_functions(topology &t)
{
    const std::vector<pci_function> known = t.functions;
    for (pci_function &f : t.functions) {
        if (f.physfn != f.address)
            continue;
        const auto pf = std::find_if(known.begin(), known.end(), [](const pci_function &p) {
            return p.kind == function_kind::pf;
        });
        f.physfn = pf == known.end() ? "" : pf->address;
    }
    for (const pci_function &f : known) {
        if (f.physfn.empty() || f.physfn == f.address || t.function(f.physfn) != nullptr)
            continue;
        pci_function parent;
        parent.address = f.physfn;
        parent.device_id = 0x1021;
        parent.hardware_id = f.hardware_id;
        parent.bare = true;
        t.functions.push_back(parent);
    }
}

void add_netdev(topology &t, const std::string &name, const std::string &pci)
{
    net_device n;
    n.index = static_cast<std::uint32_t>(t.net_devices.size()) + 2; // 1 is lo
    n.name = name.rfind("sim", 0) == 0 ? adp::format("eth{}", n.index - 2) : name;
    n.mac = adp::format("b8:3f:d2:fa:4e:{:02x}", n.index);
    n.pci = pci;
    t.net_devices.push_back(n);
}

// One RDMA device over several functions is a bond of their network devices.
void add_bond(topology &t, ib_device &d)
{
    const std::string name =
        adp::format("bond{}", std::count_if(t.net_devices.begin(), t.net_devices.end(),
                                            [](const net_device &n) { return !n.lower.empty(); }));
    net_device bond;
    for (net_device &n : t.net_devices) {
        if (std::find(d.pci.begin(), d.pci.end(), n.pci) == d.pci.end())
            continue;
        n.master = name;
        bond.lower.push_back(n.name);
    }
    if (bond.lower.empty())
        return;
    bond.name = name;
    bond.index = static_cast<std::uint32_t>(t.net_devices.size()) + 2;
    bond.mac = "b8:3f:d2:fa:4e:b0";
    t.net_devices.push_back(bond);
    for (ib_port &p : d.ports)
        p.netdev = name;
}

void add_ib_device(topology &t, const function_state &f, bool bonded)
{
    const std::string name = kernel_name(f.ibdev, bonded);
    if (!f.netdev.empty())
        add_netdev(t, f.netdev, f.pci);
    const auto known = std::find_if(t.ib_devices.begin(), t.ib_devices.end(),
                                    [&](const ib_device &d) { return d.name == name; });
    if (known != t.ib_devices.end()) {
        known->pci.push_back(f.pci);
        return;
    }
    ib_device d;
    d.name = name;
    d.index = static_cast<std::uint32_t>(t.ib_devices.size());
    d.guid = 0xb83fd20300fa4e00ULL + d.index * 16U;
    d.fw_ver = f.fw_ver;
    d.device_id = f.device_id;
    d.driver = RDMA_DRIVER_MLX5;
    d.pci = {f.pci};
    for (std::uint32_t n = 1; n <= f.ports; ++n)
        d.ports.push_back({n, f.infiniband, ""});
    if (!f.netdev.empty())
        d.ports.front().netdev = t.net_devices.back().name;
    t.ib_devices.push_back(d);
}

// Ports that the counters' description has beyond those of the state, and netdevs that it names.
void add_described_ports(topology &t, const counter_state &counters)
{
    for (ib_device &d : t.ib_devices) {
        for (const auto &[number, port] : counters.describe(d.name).ports) {
            while (d.ports.size() < number)
                d.ports.push_back({static_cast<std::uint32_t>(d.ports.size() + 1),
                                   d.ports.front().infiniband, ""});
            if (!port.netdev)
                continue;
            const std::string &netdev = *port.netdev;
            d.ports[number - 1].netdev = netdev;
            const bool known =
                std::any_of(t.net_devices.begin(), t.net_devices.end(),
                            [&netdev](const net_device &n) { return n.name == netdev; });
            if (!known && !netdev.empty())
                add_netdev(t, netdev, d.pci.empty() ? "" : d.pci.front());
        }
        for (const auto &[number, port] : counters.describe(d.name).ports)
            for (net_device &n : t.net_devices)
                if (port.netdev && n.name == *port.netdev && !n.name.empty())
                    n.phys_port_name = port.phys_port_name;
    }
}

void add_software_device(topology &t)
{
    add_netdev(t, "veth0", "");
    ib_device d;
    d.name = "rxe0";
    d.index = static_cast<std::uint32_t>(t.ib_devices.size());
    d.guid = 0x505400fffe120001ULL;
    d.driver = RDMA_DRIVER_RXE;
    d.ports = {{1, false, "veth0"}};
    t.ib_devices.push_back(d);
}

} // namespace

std::string pci_function::pci_directory() const
{
    return "/devices/pci" + address.substr(0, 5) + "00/" + address;
}

std::string pci_function::directory() const
{
    return auxiliary.empty() ? pci_directory() : pci_directory() + "/" + auxiliary;
}

std::uint32_t ib_device::uverbs_abi() const
{
    return driver == RDMA_DRIVER_RXE ? 2 : 1;
}

const pci_function *topology::function(const std::string &pci) const
{
    for (const pci_function &f : functions)
        if (f.address == pci)
            return &f;
    return nullptr;
}

const ib_device *topology::ib_device_of(std::uint32_t index) const
{
    return index < ib_devices.size() ? &ib_devices[index] : nullptr;
}

topology make_topology(const std::vector<function_state> &functions, const config &settings)
{
    topology t;
    for (const function_state &f : functions) {
        t.functions.push_back(describe(f, settings.kinds));
        const auto same_device = [&](const function_state &other) {
            return other.ibdev == f.ibdev;
        };
        add_ib_device(t, f, std::count_if(functions.begin(), functions.end(), same_device) > 1);
    }
    connect_virtual_functions(t);
    for (ib_device &d : t.ib_devices)
        if (d.pci.size() > 1)
            add_bond(t, d);
    if (settings.software_device)
        add_software_device(t);
    add_described_ports(t, counter_state{settings});
    for (ib_device &d : t.ib_devices)
        d.minor = uverbs_first_minor + d.index;
    if (settings.no_fwctl)
        return t;
    for (const pci_function &f : t.functions) { // no subfunction has a fwctl device
        if (f.kind == function_kind::sf || f.bare)
            continue;
        const auto n = static_cast<std::uint32_t>(t.fwctl_devices.size());
        t.fwctl_devices.push_back({adp::format("fwctl{}", n), f.address, n});
    }
    return t;
}

} // namespace adp::emukernel
