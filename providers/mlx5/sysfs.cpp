// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sysfs.h"

#include "file.h"

namespace adp::mlx5 {

namespace {

bool starts_with(const std::string &text, const char *prefix)
{
    return text.rfind(prefix, 0) == 0;
}

} // namespace

bool is_subfunction(const function_ref &fn)
{
    return fn.driver.find(".sf") != std::string::npos;
}

bool foreign_sysfs()
{
    return os::sysfs_root() != "/sys";
}

std::string fwctl_node(const std::string &pci)
{
    if (pci.empty())
        return {};
    // The node's parent is the PCI function itself (drivers/fwctl/mlx5/main.c).
    const std::string root = os::sysfs_root();
    for (const std::string &name : os::list_directory(root + "/bus/pci/devices/" + pci + "/fwctl"))
        if (starts_with(name, "fwctl"))
            return name;
    const std::string nodes = root + "/class/fwctl";
    for (const std::string &name : os::list_directory(nodes))
        if (starts_with(name, "fwctl") && os::link_name(nodes + "/" + name + "/device") == pci)
            return name;
    return {};
}

std::string uverbs_node(const std::string &ibdev)
{
    if (ibdev.empty())
        return {};
    const std::string nodes = os::sysfs_root() + "/class/infiniband_verbs";
    for (const std::string &name : os::list_directory(nodes))
        if (starts_with(name, "uverbs") && os::read_line(nodes + "/" + name + "/ibdev") == ibdev)
            return name;
    return {};
}

bool offers_fwctl(const std::string &pci)
{
    for (const std::string &name : os::list_directory(os::sysfs_root() + "/bus/pci/devices/" + pci))
        if (starts_with(name, "mlx5_core.fwctl."))
            return true;
    return false;
}

std::string lockdown()
{
    // "none [integrity] confidentiality"
    const std::string line = os::read_line(os::sysfs_root() + "/kernel/security/lockdown");
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return {};
    std::string now = line.substr(open + 1, close - open - 1);
    return now == "none" ? std::string{} : now;
}

} // namespace adp::mlx5
