// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tree.h"

#include "configuration_space.h"
#include "counter_state.h"
#include "device_answers.h"
#include "text/format.h"
#include "tree_writer.h"
#include "unique_fd.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <system_error>

namespace adp::emukernel {

namespace fs = std::filesystem;

namespace {

std::string guid_text(std::uint64_t guid)
{
    return adp::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48, guid >> 32 & 0xffff,
                       guid >> 16 & 0xffff, guid & 0xffff);
}

std::string dev_text(const config &settings, std::uint32_t major, std::uint32_t minor)
{
    return settings.bind_mounts ? "1:5" : adp::format("{}:{}", major, minor);
}

// Where an RDMA device hangs: below its first function, or among the virtual devices.
std::string device_directory(const topology &machine, const ib_device &d)
{
    if (d.pci.empty())
        return "/sys/devices/virtual";
    return "/sys" + machine.function(d.pci.front())->directory();
}

void write_function(tree_writer &w, const pci_function &f)
{
    const std::string dir = "/sys" + f.pci_directory();
    w.file(dir + "/vendor", "0x15b3");
    w.file(dir + "/device", adp::format("0x{:04x}", f.device_id));
    w.file(dir + "/subsystem_vendor", "0x15b3");
    w.file(dir + "/subsystem_device", "0x0041");
    w.file(dir + "/class", "0x020000");
    w.file(dir + "/revision", "0x00");
    w.file(dir + "/numa_node", "0");
    w.file(dir + "/modalias",
           adp::format("pci:v000015B3d0000{:04X}sv000015B3sd00000041bc02sc00i00", f.device_id));
    w.file(dir + "/uevent", adp::format("DRIVER=mlx5_core\nPCI_CLASS=20000\nPCI_ID=15B3:{:04X}\n"
                                        "PCI_SLOT_NAME={}",
                                        f.device_id, f.address));
    w.binary(dir + "/config", configuration_space(f));
    w.link(dir + "/driver", "/sys/bus/pci/drivers/mlx5_core");
    w.link(dir + "/subsystem", "/sys/bus/pci");
    w.link("/sys/bus/pci/devices/" + f.address, dir);
    w.link("/sys/bus/pci/drivers/mlx5_core/" + f.address, dir);
    if (f.kind != function_kind::sf)
        return;
    const std::string sf = "/sys" + f.directory();
    w.file(sf + "/sfnum", f.auxiliary.substr(f.auxiliary.rfind('.') + 1));
    w.link(sf + "/driver", "/sys/bus/auxiliary/drivers/mlx5_core.sf");
    w.link(sf + "/subsystem", "/sys/bus/auxiliary");
    w.link("/sys/bus/auxiliary/devices/" + f.auxiliary, sf);
    w.link("/sys/bus/auxiliary/drivers/mlx5_core.sf/" + f.auxiliary, sf);
}

void link_virtual_functions(tree_writer &w, const topology &machine)
{
    for (const pci_function &pf : machine.functions) {
        unsigned count = 0;
        for (const pci_function &vf : machine.functions) {
            if (vf.physfn != pf.address)
                continue;
            w.link("/sys" + vf.directory() + "/physfn", "/sys" + pf.directory());
            w.link(adp::format("/sys{}/virtfn{}", pf.directory(), count), "/sys" + vf.directory());
            ++count;
        }
        if (count > 0)
            w.file("/sys" + pf.directory() + "/sriov_numvfs", std::to_string(count));
    }
}

// hw_counters and counters of a port, where the description has it.
void write_described_counters(tree_writer &w, const port_description &p, const std::string &dir)
{
    for (const auto &[name, text] : p.pma)
        w.file(dir + "/counters/" + name, text);
    if (!p.folder)
        return;
    w.directory(dir + "/hw_counters");
    for (const auto &[name, value] : p.counters)
        w.file(dir + "/hw_counters/" + name, std::to_string(value));
    w.file(dir + "/hw_counters/lifespan", "12");
}

void write_port(tree_writer &w, const config &settings, const ib_device &d, const ib_port &p,
                const std::string &dir, const device_description &described)
{
    const auto known = described.ports.find(p.number);
    const bool down = known != described.ports.end() && known->second.state == 1;
    w.file(dir + "/state", down ? "1: DOWN" : "4: ACTIVE");
    w.file(dir + "/phys_state", down ? "3: Disabled" : "5: LinkUp");
    w.file(dir + "/link_layer", p.infiniband ? "InfiniBand" : "Ethernet");
    w.file(dir + "/rate", "400 Gb/sec (4X NDR)");
    w.file(dir + "/lid", p.infiniband ? adp::format("0x{:x}", p.number) : "0x0");
    w.file(dir + "/sm_lid", p.infiniband ? "0x1" : "0x0");
    w.file(dir + "/lid_mask_count", "0");
    w.file(dir + "/sm_sl", "0");
    w.file(dir + "/cap_mask", "0x04010000");
    w.file(dir + "/pkeys/0", "0xffff");
    w.file(dir + "/gids/0", "fe80:0000:0000:0000:" + guid_text(d.guid + p.number - 1));
    w.directory(dir + "/gid_attrs/ndevs");
    if (!p.infiniband) {
        w.file(dir + "/gids/1",
               adp::format("0000:0000:0000:0000:0000:ffff:0a00:{:04x}", d.index * 16 + p.number));
        for (const char *entry : {"0", "1"}) {
            w.file(dir + "/gid_attrs/types/" + entry,
                   settings.gid_type.empty() ? "RoCE v2" : settings.gid_type);
            w.file(dir + "/gid_attrs/ndevs/" + entry, p.netdev);
        }
    }
    if (known != described.ports.end()) {
        write_described_counters(w, known->second, dir);
        return;
    }
    if (d.pci.empty() || described.described)
        return;
    for (const counter &c : hardware_counters())
        w.file(dir + "/hw_counters/" + c.name, std::to_string(c.value));
}

void write_ib_device(tree_writer &w, const config &settings, const topology &machine,
                     const ib_device &d)
{
    const std::string parent = device_directory(machine, d);
    const std::string ib = parent + "/infiniband/" + d.name;
    w.file(ib + "/node_type", "1: CA");
    w.file(ib + "/node_guid", guid_text(d.guid));
    w.file(ib + "/sys_image_guid", guid_text(d.guid));
    w.file(ib + "/node_desc", d.name);
    w.file(ib + "/fw_ver", d.fw_ver);
    if (d.pci.empty()) {
        w.file(ib + "/parent", d.ports.front().netdev);
    } else {
        w.file(ib + "/hca_type", adp::format("MT{}", d.device_id)); // the PCI device id, decimal
        w.file(ib + "/board_id", "MT_0000000838");
        w.file(ib + "/hw_rev", "0");
        w.link(ib + "/device", parent);
    }
    w.link(ib + "/subsystem", "/sys/class/infiniband");
    const device_description described = counter_state{settings}.describe(d.name);
    for (const auto &[name, value] : described.device)
        w.file(ib + "/hw_counters/" + name, std::to_string(value));
    for (const ib_port &p : d.ports)
        write_port(w, settings, d, p, adp::format("{}/ports/{}", ib, p.number), described);
    w.link("/sys/class/infiniband/" + d.name, ib);
    if (settings.no_uverbs)
        return;
    const std::string node = adp::format("uverbs{}", d.minor - uverbs_first_minor);
    const std::string verbs = parent + "/infiniband_verbs/" + node;
    w.file(verbs + "/dev", dev_text(settings, uverbs_major, d.minor));
    w.file(verbs + "/ibdev", d.name);
    w.file(verbs + "/abi_version", std::to_string(d.uverbs_abi()));
    if (!d.pci.empty())
        w.link(verbs + "/device", parent);
    w.link("/sys/class/infiniband_verbs/" + node, verbs);
    w.file("/dev/infiniband/" + node, "", 0666);
}

void write_net_device(tree_writer &w, const topology &machine, const net_device &n)
{
    const pci_function *function = machine.function(n.pci);
    const std::string parent =
        function == nullptr ? "/sys/devices/virtual" : "/sys" + function->directory();
    const std::string dir = parent + "/net/" + n.name;
    w.file(dir + "/ifindex", std::to_string(n.index));
    w.file(dir + "/address", n.mac);
    w.file(dir + "/mtu", "9000");
    w.file(dir + "/operstate", "up");
    w.file(dir + "/type", "1");
    w.file(dir + "/dev_port", "0");
    w.file(dir + "/dev_id", "0x0");
    w.link(dir + "/subsystem", "/sys/class/net");
    if (function != nullptr) {
        w.link(dir + "/device", parent);
        if (function->switchdev || !n.phys_port_name.empty()) {
            w.file(dir + "/phys_switch_id", "4efa00d23fb8");
            w.file(dir + "/phys_port_name", n.phys_port_name.empty() ? "p0" : n.phys_port_name);
        }
    }
    w.link("/sys/class/net/" + n.name, dir);
    const std::string virtual_net = "/sys/devices/virtual/net/";
    if (!n.master.empty()) {
        w.link(dir + "/master", virtual_net + n.master);
        w.link(dir + "/upper_" + n.master, virtual_net + n.master);
        w.file(dir + "/bonding_slave/state", "active");
    }
    std::string slaves;
    for (const net_device &lower : machine.net_devices) {
        if (lower.master != n.name)
            continue;
        slaves += (slaves.empty() ? "" : " ") + lower.name;
        w.link(dir + "/lower_" + lower.name,
               "/sys" + machine.function(lower.pci)->directory() + "/net/" + lower.name);
    }
    if (n.lower.empty())
        return;
    w.file(dir + "/bonding/slaves", slaves);
    w.file(dir + "/bonding/mode", "802.3ad 4");
    w.file(dir + "/bonding/xmit_hash_policy", "layer3+4 1");
}

void write_fwctl(tree_writer &w, const config &settings, const topology &machine,
                 const fwctl_device &f)
{
    const std::string parent = "/sys" + machine.function(f.pci)->directory();
    const std::string dir = parent + "/fwctl/" + f.name;
    w.file(dir + "/dev", dev_text(settings, fwctl_major, f.minor));
    w.link(dir + "/device", parent);
    w.link(dir + "/subsystem", "/sys/class/fwctl");
    w.link("/sys/class/fwctl/" + f.name, dir);
    w.file("/dev/fwctl/" + f.name, "", 0600);
}

bool write_all(const config &settings, const topology &machine)
{
    tree_writer w{settings.root};
    for (const char *dir :
         {"/sys/class/infiniband", "/sys/class/net", "/sys/bus/pci/devices",
          "/sys/bus/pci/drivers/mlx5_core", "/sys/bus/auxiliary/devices", "/sys/module/mlx5_core",
          "/sys/module/mlx5_ib", "/dev", "/run/adp", "/var/lib/adp"})
        w.directory(dir);
    for (const pci_function &f : machine.functions)
        write_function(w, f);
    link_virtual_functions(w, machine);
    if (!settings.no_uverbs) {
        w.file("/sys/class/infiniband_verbs/abi_version", "6");
        w.directory("/sys/module/ib_uverbs");
    }
    for (const ib_device &d : machine.ib_devices)
        write_ib_device(w, settings, machine, d);
    write_net_device(w, machine, {"lo", 1, "00:00:00:00:00:00", "", "", "", {}});
    for (const net_device &n : machine.net_devices)
        write_net_device(w, machine, n);
    if (!settings.no_fwctl) {
        w.directory("/sys/class/fwctl");
        w.directory("/sys/module/mlx5_fwctl");
    }
    for (const fwctl_device &f : machine.fwctl_devices)
        write_fwctl(w, settings, machine, f);
    if (!settings.lockdown.empty())
        w.file("/sys/kernel/security/lockdown", settings.lockdown);
    w.file("/proc/sys/kernel/tainted", "0", 0666);
    return w.ok();
}

// What the tree depends on: another description, another tree.
std::string description(const config &settings, const topology &machine)
{
    std::string text = adp::format("fwctl {} uverbs {} mounts {} lockdown {} gids {}\n",
                                   !settings.no_fwctl, !settings.no_uverbs, settings.bind_mounts,
                                   settings.lockdown, settings.gid_type);
    text += counter_state{settings}.text() + "\n";
    for (const pci_function &f : machine.functions)
        text += adp::format("{} {:x} {} {}\n", f.directory(), f.device_id, f.physfn, f.switchdev);
    for (const ib_device &d : machine.ib_devices) {
        text += adp::format("{} {}", d.name, d.fw_ver);
        for (const std::string &pci : d.pci)
            text += " " + pci;
        for (const ib_port &p : d.ports)
            text += adp::format(" {} {} {}", p.number, p.infiniband, p.netdev);
        text += '\n';
    }
    for (const net_device &n : machine.net_devices)
        text += adp::format("{} {} {}\n", n.name, n.pci, n.master);
    return text;
}

std::string read_all(const std::string &path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace

bool make_tree(const config &settings, const topology &machine)
{
    const unique_fd lock{
        ::open((settings.root + "/tree.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0)
        return false;
    const std::string stamp = settings.root + "/tree.description";
    const std::string wanted = description(settings, machine);
    if (read_all(stamp) == wanted)
        return true;
    std::error_code ignored;
    for (const char *dir : {"/sys", "/dev", "/proc", "/run"})
        fs::remove_all(settings.root + dir, ignored);
    if (!write_all(settings, machine))
        return false;
    std::ofstream{stamp} << wanted;
    return true;
}

void remove_function(const config &settings, const topology &machine, const std::string &pci)
{
    std::error_code ignored;
    const auto remove = [&](const std::string &path) { fs::remove(settings.root + path, ignored); };
    for (const ib_device &d : machine.ib_devices) {
        if (std::find(d.pci.begin(), d.pci.end(), pci) == d.pci.end())
            continue;
        const std::string node = adp::format("uverbs{}", d.minor - uverbs_first_minor);
        remove("/sys/class/infiniband/" + d.name);
        remove("/sys/class/infiniband_verbs/" + node);
        remove("/dev/infiniband/" + node);
        fs::remove_all(settings.root + device_directory(machine, d) + "/infiniband", ignored);
    }
    for (const fwctl_device &f : machine.fwctl_devices) {
        if (f.pci != pci)
            continue;
        remove("/sys/class/fwctl/" + f.name);
        remove("/dev/fwctl/" + f.name);
    }
    for (const net_device &n : machine.net_devices)
        if (n.pci == pci)
            remove("/sys/class/net/" + n.name);
    if (const pci_function *f = machine.function(pci))
        remove("/sys" + f->directory() + "/driver");
}

} // namespace adp::emukernel
