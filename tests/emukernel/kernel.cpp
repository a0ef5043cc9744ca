// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "kernel.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sys/sysmacros.h>
#include <utility>

namespace adp::emukernel {

namespace {

constexpr std::string_view uverbs_prefix = "/dev/infiniband/uverbs";
constexpr std::string_view fwctl_prefix = "/dev/fwctl/fwctl";
constexpr std::string_view config_suffix = "/config";

bool starts(std::string_view text, std::string_view with)
{
    return text.substr(0, with.size()) == with;
}

// The number behind the prefix; -1 where there is none, or more than it.
int number_behind(std::string_view path, std::string_view prefix)
{
    int n = -1;
    if (!starts(path, prefix))
        return -1;
    const char *end = path.data() + path.size();
    const auto [rest, bad] = std::from_chars(path.data() + prefix.size(), end, n);
    return bad == std::errc{} && rest == end ? n : -1;
}

// "0000:1a:00.0" of any path to ".../0000:1a:00.0/config".
std::string_view config_address(std::string_view path)
{
    if (path.size() < config_suffix.size() + 13 ||
        path.substr(path.size() - config_suffix.size()) != config_suffix ||
        (!starts(path, "/sys/bus/pci/") && !starts(path, "/sys/devices/pci")))
        return {};
    path.remove_suffix(config_suffix.size());
    return path.substr(path.rfind('/') + 1);
}

} // namespace

open_node::open_node(const ib_device &device, std::string node)
{
    verbs.device = &device;
    verbs.node = std::move(node);
}

kernel::kernel(const config &settings)
    : settings_{settings}, log_{settings.root, settings.trace}, firmware_{settings_, log_},
      machine_{make_topology(firmware_.functions(), settings_)}, tree_made_{make_tree(settings_,
                                                                                      machine_)},
      ids_{settings.root + "/ids"}, uverbs_{settings_, firmware_, ids_, log_}, fwctl_{firmware_,
                                                                                      log_},
      netlink_{settings_, machine_, firmware_, log_}, devlink_{settings_, machine_, log_}
{
    firmware_.on_removal = [this](const std::string &pci) {
        remove_function(settings_, machine_, pci);
    };
    for (const pci_function &f : machine_.functions)
        if (firmware_.gone(f.address))
            remove_function(settings_, machine_, f.address);
}

node_kind kernel::kind_of(std::string_view path) const
{
    if (number_behind(path, uverbs_prefix) >= 0)
        return node_kind::uverbs;
    if (number_behind(path, fwctl_prefix) >= 0)
        return node_kind::fwctl;
    const std::string_view address = config_address(path);
    return !address.empty() && machine_.function(std::string{address}) != nullptr
               ? node_kind::config_space
               : node_kind::none;
}

std::uint64_t kernel::device_number(std::string_view path) const
{
    const int uverbs = number_behind(path, uverbs_prefix);
    if (uverbs >= 0)
        return makedev(uverbs_major, uverbs_first_minor + static_cast<unsigned>(uverbs));
    return makedev(fwctl_major, static_cast<unsigned>(number_behind(path, fwctl_prefix)));
}

int kernel::open_error(node_kind kind) const
{
    switch (kind) {
    case node_kind::uverbs: return settings_.uverbs_open_errno;
    case node_kind::fwctl: return settings_.fwctl_open_errno;
    default: return 0;
    }
}

std::unique_ptr<open_node> kernel::open(std::string_view path)
{
    if (const int n = number_behind(path, uverbs_prefix); n >= 0) {
        const ib_device *d = machine_.ib_device_of(static_cast<std::uint32_t>(n));
        if (d == nullptr || d->pci.empty())
            return nullptr;
        return std::make_unique<open_node>(*d, "uverbs" + std::to_string(n));
    }
    if (const int n = number_behind(path, fwctl_prefix); n >= 0) {
        const auto at = static_cast<std::size_t>(n);
        if (at >= machine_.fwctl_devices.size())
            return nullptr;
        return std::make_unique<open_node>(machine_.fwctl_devices[at]);
    }
    const pci_function *f = machine_.function(std::string{config_address(path)});
    if (f == nullptr)
        return nullptr;
    const std::lock_guard lock{gateways_busy_};
    std::unique_ptr<gateway> &g = gateways_[f->address];
    if (g == nullptr)
        g = std::make_unique<gateway>(settings_, *f, firmware_, log_);
    return std::make_unique<open_node>(g.get());
}

long kernel::ioctl(open_node &file, caller &process, unsigned long request, std::uint64_t argument)
{
    if (file.verbs.device != nullptr)
        return uverbs_.ioctl(file.verbs, process, request, argument);
    if (file.fwctl.device != nullptr)
        return fwctl_.ioctl(file.fwctl, process, request, argument);
    return -ENOTTY;
}

long kernel::write(open_node &file, caller &process, std::uint64_t buffer, std::size_t size)
{
    if (file.verbs.device != nullptr)
        return uverbs_.write(file.verbs, process, buffer, size);
    return -EINVAL;
}

rdma_netlink::datagrams kernel::netlink(int protocol, std::span<const std::uint8_t> request) const
{
    return protocol == NETLINK_GENERIC ? devlink_.answer(request) : netlink_.answer(request);
}

} // namespace adp::emukernel
