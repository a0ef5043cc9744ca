// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "config.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace adp::emukernel {

namespace {

std::string text(const char *name)
{
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Set, and not to 0.
bool flag(const char *name)
{
    const std::string value = text(name);
    return !value.empty() && value != "0";
}

// "13" counts for every kind of node, "fwctl=13" for one.
int open_errno(const std::string &list, std::string_view kind)
{
    std::size_t at = 0;
    while (at < list.size()) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string part = list.substr(at, end - at);
        const std::size_t eq = part.find('=');
        if (eq == std::string::npos)
            return std::atoi(part.c_str());
        if (part.compare(0, eq, kind) == 0)
            return std::atoi(part.c_str() + eq + 1);
        at = end + 1;
    }
    return 0;
}

} // namespace

config config_from_environment()
{
    config c;
    c.root = text("EMUKERNEL_ROOT");
    c.state = text("EMUKERNEL_STATE");
    c.faults = text("EMUKERNEL_FAULT");
    c.kinds = text("EMUKERNEL_KIND");
    c.signal_after_write = std::atoi(text("EMUKERNEL_SIGNAL_AFTER_WRITE").c_str());
    c.trace = text("EMUKERNEL_TRACE");
    c.counters = text("EMUKERNEL_COUNTERS");
    c.netlink_fault = text("EMUKERNEL_NETLINK_FAULT");
    c.lockdown = text("EMUKERNEL_LOCKDOWN");
    const std::string errnos = text("EMUKERNEL_OPEN_ERRNO");
    c.uverbs_open_errno = open_errno(errnos, "uverbs");
    c.fwctl_open_errno = open_errno(errnos, "fwctl");
    c.devx_errno = std::atoi(text("EMUKERNEL_NO_DEVX").c_str());
    c.netlink = text("EMUKERNEL_NETLINK") != "0";
    c.write_abi = text("EMUKERNEL_ABI") == "write";
    c.legacy_status = text("EMUKERNEL_KERNEL") == "legacy";
    c.no_fwctl = flag("EMUKERNEL_NO_FWCTL");
    c.no_net_admin = flag("EMUKERNEL_NO_NET_ADMIN");
    c.short_dump = static_cast<unsigned>(std::atoi(text("EMUKERNEL_SHORT_DUMP").c_str()));
    c.ooo_dp = flag("EMUKERNEL_OOO_DP");
    c.gid_type = text("EMUKERNEL_GID_TYPE");
    c.no_uverbs = flag("EMUKERNEL_NO_UVERBS");
    c.software_device = flag("EMUKERNEL_RXE");
    return c;
}

} // namespace adp::emukernel
