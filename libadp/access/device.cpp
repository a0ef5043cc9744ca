// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "device.h"

#include "device_netlink.h"
#include "file.h"
#include "text/pci_address.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

namespace adp {

namespace {

std::string real_path(const std::string &path)
{
    const std::unique_ptr<char, void (*)(void *)> real{::realpath(path.c_str(), nullptr),
                                                       std::free};
    return real ? std::string{real.get()} : std::string{};
}

// The PCI function that a device belongs to: the last PCI address on its path. A subfunction (an
// auxiliary device) hangs below its parent function.
std::string pci_of(const std::string &device_path)
{
    std::string found;
    std::size_t at = 0;
    while (at < device_path.size()) {
        const std::size_t end = std::min(device_path.find('/', at), device_path.size());
        const std::string part = device_path.substr(at, end - at);
        if (is_pci_address(part))
            found = part;
        at = end + 1;
    }
    return found;
}

std::vector<port_info> ports_of(const std::string &ib)
{
    std::vector<port_info> ports;
    for (const std::string &name : os::list_directory(ib + "/ports")) {
        port_info port;
        port.number = static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
        const std::string dir = ib + "/ports/" + name;
        port.netdev = os::read_line(dir + "/gid_attrs/ndevs/0");
        const std::string link = os::read_line(dir + "/link_layer");
        if (link == "Ethernet")
            port.link = link_layer::ethernet;
        else if (link == "InfiniBand")
            port.link = link_layer::infiniband;
        if (port.number != 0)
            ports.push_back(port);
    }
    std::sort(ports.begin(), ports.end(),
              [](const port_info &a, const port_info &b) { return a.number < b.number; });
    return ports;
}

// A RoCE bond is one RDMA device over several functions: the others are the functions of the
// bond's lower netdevs that use the same driver and have no RDMA device of their own.
std::vector<std::string> bond_members(const std::string &root,
                                      const std::vector<std::string> &netdevs,
                                      const std::string &driver, const std::string &own)
{
    std::vector<std::string> members;
    for (const std::string &netdev : netdevs) {
        const std::string master = os::link_name(root + "/class/net/" + netdev + "/master");
        if (master.empty() ||
            os::list_directory(root + "/class/net/" + master + "/bonding").empty())
            continue;
        for (const std::string &entry : os::list_directory(root + "/class/net/" + master)) {
            if (entry.rfind("lower_", 0) != 0)
                continue;
            const std::string lower = real_path(root + "/class/net/" + entry.substr(6) + "/device");
            const std::string pci = pci_of(lower);
            if (pci.empty() || pci == own || os::link_name(lower + "/driver") != driver ||
                !os::list_directory(lower + "/infiniband").empty())
                continue;
            members.push_back(pci);
        }
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
}

function_kind kind_of(const std::string &device, const std::string &driver)
{
    if (driver.find(".sf") != std::string::npos || device.find(".sf.") != std::string::npos)
        return function_kind::sf;
    return os::link_name(device + "/physfn").empty() ? function_kind::pf : function_kind::vf;
}

// In switchdev mode the netdev of the uplink is a switch port: it has a switch id and a port name
// such as "p0".
tristate switchdev_of(const std::string &device, const std::vector<std::string> &netdevs)
{
    tristate answer = tristate::unknown;
    for (const std::string &netdev : netdevs) {
        const std::string dir = device + "/net/" + netdev;
        const std::string port = os::read_line(dir + "/phys_port_name");
        if (!os::read_line(dir + "/phys_switch_id").empty() && !port.empty() && port[0] == 'p')
            return tristate::yes;
        answer = tristate::no;
    }
    return answer;
}

// The device behind an RDMA device.
struct parent {
    std::string path; // empty: there is none
    std::string pci;
};
// Most links lead to a PCI function and need not be followed step by step.
parent parent_of(const std::string &ib)
{
    const std::string link = ib + "/device";
    std::string name = os::link_name(link);
    if (is_pci_address(name))
        return {link, std::move(name)};
    std::string path = real_path(link);
    std::string pci = pci_of(path);
    return {std::move(path), std::move(pci)};
}

device_info describe(const std::string &root, const std::string &name)
{
    const std::string ib = root + "/class/infiniband/" + name;
    const auto [device, pci] = parent_of(ib);
    device_info info;
    info.name = name;
    info.fw_ver = os::read_line(ib + "/fw_ver");
    info.board_id = os::read_line(ib + "/board_id");
    info.ports = ports_of(ib);
    if (device.empty())
        return info; // a software device such as rxe: netlink alone knows its driver
    info.driver = os::link_name(device + "/driver");
    info.kind = kind_of(device, info.driver);
    const std::vector<std::string> netdevs = os::list_directory(device + "/net");
    info.switchdev = switchdev_of(device, netdevs);
    if (!pci.empty()) {
        info.pci = bond_members(root, netdevs, info.driver, pci);
        info.pci.insert(info.pci.begin(), pci);
    }
    return info;
}

// A PCI function of a driver whose RDMA part is not loaded has registers all the same.
result<device_info> find_function(const std::string &pci)
{
    const std::string dir = os::sysfs_root() + "/bus/pci/devices/" + pci;
    const std::string driver = os::link_name(dir + "/driver");
    if (driver.empty())
        return error{ENODEV, "no PCI function " + pci + " with a driver", "", {}};
    device_info info;
    info.name = pci;
    info.driver = driver;
    info.pci = {pci};
    info.kind = kind_of(dir, driver);
    return info;
}

bool may_be_name(std::string_view name)
{
    return !name.empty() && name.size() <= 63 && name.find('/') == std::string_view::npos &&
           name.find("..") == std::string_view::npos &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > 32 && c < 127; });
}

std::string names_of(const std::vector<device_info> &devices)
{
    std::string names;
    for (const device_info &d : devices)
        names += (names.empty() ? "" : ", ") + d.name;
    return names;
}

} // namespace

bool device_there(const std::string &name)
{
    const std::string path = os::sysfs_root() + "/class/infiniband/" + name;
    // A link in sysfs, a folder where it was copied.
    return !os::link_name(path).empty() || !os::list_directory(path).empty();
}

result<std::vector<device_info>> list_devices()
{
    const std::string root = os::sysfs_root();
    if (auto there = os::check_sysfs_root(); !there)
        return std::move(there).err();
    const auto names = os::try_list_directory(root + "/class/infiniband");
    if (!names)
        return names.err();
    std::vector<device_info> devices;
    for (const std::string &name : *names)
        devices.push_back(describe(root, name));
    if (root == "/sys")
        complete_by_netlink(devices);
    return devices;
}

result<device_info> find_device(const std::vector<device_info> &devices, std::string_view name)
{
    if (!may_be_name(name))
        return error{EINVAL, "not a device name", "a name such as mlx5_0, or a PCI address", {}};
    const std::string pci = pci_address(name);
    for (const device_info &d : devices) {
        // A subfunction has the address of its parent, which is another device.
        if (d.name == name || (d.kind != function_kind::sf &&
                               std::find(d.pci.begin(), d.pci.end(), pci) != d.pci.end()))
            return d;
        for (const port_info &p : d.ports)
            if (!p.netdev.empty() && p.netdev == name)
                return d;
    }
    if (!pci.empty())
        return find_function(pci);
    return error{ENODEV,
                 "no such RDMA device",
                 devices.empty() ? "this machine shows none" : "there are: " + names_of(devices),
                 {}};
}

result<device_info> find_device(std::string_view name)
{
    const std::string root = os::sysfs_root();
    const std::string own{name};
    if (!may_be_name(name) || !device_there(own)) {
        const auto devices = list_devices();
        return devices ? find_device(*devices, name) : devices.err();
    }
    device_info found = describe(root, own);
    if (root == "/sys")
        complete_by_netlink(found);
    return found;
}

} // namespace adp
