// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Finding and opening the fwctl node of a function, and saying why there is none.
#include "fwctl.h"

#include "file.h"
#include "sysfs.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

namespace adp::mlx5 {

namespace {

bool kernel_before(unsigned major, unsigned minor, std::string &release)
{
    utsname uts{};
    unsigned have_major = 0;
    unsigned have_minor = 0;
    if (::uname(&uts) != 0)
        return false;
    release = uts.release;
    if (std::sscanf(uts.release, "%u.%u", &have_major, &have_minor) != 2)
        return false;
    return have_major < major || (have_major == major && have_minor < minor);
}

// Why there is no node: the kernel, the module, or the function.
error no_node(const function_ref &fn)
{
    if (is_subfunction(fn))
        return {EOPNOTSUPP,
                "a subfunction has no fwctl node",
                "name the PCI function it belongs to: the register is that function's",
                {}};
    if (fn.pci.empty())
        return {EOPNOTSUPP, "no fwctl node: the device has no PCI address", "", {}};
    const std::string root = os::sysfs_root();
    if (foreign_sysfs())
        return {ENOENT, "no fwctl node for " + fn.pci + " in " + root, "", {}};
    const bool driver =
        !os::list_directory(root + "/module/mlx5_fwctl").empty() ||
        !os::list_directory(root + "/bus/auxiliary/drivers/mlx5_fwctl.mlx5_fwctl").empty();
    const bool offered = offers_fwctl(fn.pci);
    std::string release;
    if (!driver && !offered && kernel_before(6, 15, release))
        return {EOPNOTSUPP,
                "no fwctl node: kernel " + release + " is too old, fwctl came with 6.15",
                "a newer kernel, or another path",
                {}};
    if (!offered)
        return {EOPNOTSUPP,
                "no fwctl node: mlx5_core does not offer " + fn.pci + " to fwctl",
                "the firmware gives this function no user contexts: a restricted host?",
                {}};
    if (!driver)
        return {ENOENT,
                "no fwctl node: module mlx5_fwctl is not loaded",
                "modprobe mlx5_fwctl (in a kernel with CONFIG_FWCTL_MLX5)",
                {}};
    return {
        EOPNOTSUPP, "no fwctl node: mlx5_fwctl does not serve " + fn.pci, "see the kernel log", {}};
}

error cannot_open(int code, const std::string &node)
{
    error e = os::failure(code, node);
    switch (code) {
    case EACCES: e.remedy = "run as root, or let udev give the node to a group"; break;
    case EPERM: e.remedy = "allow the node in the container's device list"; break;
    case ENOENT: e.remedy = "give the container the node /dev/fwctl"; break;
    case ENXIO:
    case ENODEV:
        e.code = ENODEV;
        e.remedy = "the device was removed or its driver restarted";
        break;
    case EINVAL: // the firmware's status, as the kernel maps it (CREATE_UCTX)
        e.code = EOPNOTSUPP;
        e.remedy = "the firmware gives this function no user context: a restricted host?";
        break;
    default: break;
    }
    return e;
}

int system_ioctl(int fd, unsigned long request, void *argument)
{
    return ::ioctl(fd, request, argument);
}

} // namespace

result<std::unique_ptr<path>> open_fwctl(const function_ref &fn, const open_options &options)
{
    const std::string name = is_subfunction(fn) ? std::string{} : fwctl_node(fn.pci);
    if (name.empty())
        return no_node(fn);
    const std::string node = "/dev/fwctl/" + name;
    if (foreign_sysfs())
        return error{
            EOPNOTSUPP, node + " not opened: ADP_SYSFS_ROOT names another machine's tree", "", {}};
    unique_fd fd{::open(node.c_str(), O_RDWR | O_CLOEXEC)};
    if (!fd)
        return cannot_open(errno, node);
    return make_fwctl_path(fn, options, std::move(fd), node, system_ioctl);
}

} // namespace adp::mlx5
