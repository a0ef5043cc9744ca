// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "rdma_netlink.h"

#include "rdma_netlink_request.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <rdma/rdma_netlink.h>

namespace adp::emukernel {

namespace {

// dev_t as the kernel encodes it for user space in 64 bits.
std::uint64_t huge_dev(std::uint64_t major, std::uint64_t minor)
{
    return (minor & 0xffU) | major << 8U | (minor & ~std::uint64_t{0xff}) << 12U;
}

} // namespace

bool rdma_netlink::present(request &r, const ib_device &d) const
{
    if (r.described(d).gone)
        return false;
    return d.pci.empty() || std::none_of(d.pci.begin(), d.pci.end(), [this](const std::string &p) {
               return firmware_->gone(p);
           });
}

int rdma_netlink::device(request &r, const ib_device &d) const
{
    netlink_message m = r.message();
    identify(m, d, r.index_of(d));
    m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, static_cast<std::uint32_t>(d.ports.size()));
    m.u64(RDMA_NLDEV_ATTR_CAP_FLAGS, 0x20);
    if (!d.fw_ver.empty())
        m.text(RDMA_NLDEV_ATTR_FW_VERSION, d.fw_ver);
    m.u64(RDMA_NLDEV_ATTR_NODE_GUID, d.guid);
    m.u64(RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, d.guid);
    m.u8(RDMA_NLDEV_ATTR_DEV_NODE_TYPE, 1); // a channel adapter
    m.u8(RDMA_NLDEV_ATTR_DEV_DIM, 1);
    m.text(RDMA_NLDEV_ATTR_DEV_PROTOCOL, d.ports.front().infiniband ? "ib" : "roce");
    r.send(std::move(m));
    return 0;
}

int rdma_netlink::port(request &r, const ib_device &d) const
{
    const device_description &described = r.described(d);
    for (const ib_port &p : d.ports) {
        if (r.other(RDMA_NLDEV_ATTR_PORT_INDEX, p.number))
            continue;
        const auto known = described.ports.find(p.number);
        const bool is_known = known != described.ports.end();
        const std::string netdev =
            is_known && known->second.netdev ? *known->second.netdev : p.netdev;
        netlink_message m = r.message();
        identify(m, d, r.index_of(d));
        m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, p.number);
        if (p.infiniband) {
            m.u64(RDMA_NLDEV_ATTR_CAP_FLAGS, 0x2651e84a);
            m.u64(RDMA_NLDEV_ATTR_SUBNET_PREFIX, 0xfe80000000000000ULL);
            m.u32(RDMA_NLDEV_ATTR_LID, p.number);
            m.u32(RDMA_NLDEV_ATTR_SM_LID, 1);
            m.u8(RDMA_NLDEV_ATTR_LMC, 0);
        }
        m.u8(RDMA_NLDEV_ATTR_PORT_STATE, is_known ? known->second.state : 4);
        m.u8(RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 5);
        const auto n = std::find_if(machine_->net_devices.begin(), machine_->net_devices.end(),
                                    [&](const net_device &dev) { return dev.name == netdev; });
        if (n != machine_->net_devices.end()) {
            m.u32(RDMA_NLDEV_ATTR_NDEV_INDEX, n->index);
            m.text(RDMA_NLDEV_ATTR_NDEV_NAME, n->name);
        }
        r.send(std::move(m));
    }
    return 0;
}

int rdma_netlink::character_device(request &r, const ib_device &d) const
{
    if (settings_->no_uverbs)
        return -ENODEV;
    netlink_message m = r.message();
    m.u64(RDMA_NLDEV_ATTR_CHARDEV,
          settings_->bind_mounts ? huge_dev(1, 5) : huge_dev(uverbs_major, d.minor));
    m.u64(RDMA_NLDEV_ATTR_CHARDEV_ABI, d.uverbs_abi());
    m.text(RDMA_NLDEV_ATTR_CHARDEV_NAME, adp::format("uverbs{}", d.minor - uverbs_first_minor));
    m.u32(RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, d.driver);
    r.send(std::move(m));
    return 0;
}

int rdma_netlink::system(request &r) const
{
    netlink_message m = r.message();
    m.u8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
    m.u8(RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
    r.send(std::move(m));
    return 0;
}

int rdma_netlink::dispatch(request &r) const
{
    if (r.client() != RDMA_NL_NLDEV)
        return -EINVAL;
    int (rdma_netlink::*method)(request &, const ib_device &) const = nullptr;
    switch (r.command()) {
    case RDMA_NLDEV_CMD_GET: method = &rdma_netlink::device; break;
    case RDMA_NLDEV_CMD_PORT_GET: method = &rdma_netlink::port; break;
    case RDMA_NLDEV_CMD_GET_CHARDEV: method = &rdma_netlink::character_device; break;
    case RDMA_NLDEV_CMD_STAT_GET: method = &rdma_netlink::statistics; break;
    case RDMA_NLDEV_CMD_RES_QP_GET: method = &rdma_netlink::queue_pairs; break;
    case RDMA_NLDEV_CMD_RES_QP_GET_RAW: method = &rdma_netlink::raw_queue_pair; break;
    case RDMA_NLDEV_CMD_RES_CM_ID_GET: method = &rdma_netlink::connection_list; break;
    case RDMA_NLDEV_CMD_STAT_SET: method = &rdma_netlink::change_statistics; break;
    case RDMA_NLDEV_CMD_STAT_DEL: method = &rdma_netlink::unbind; break;
    case RDMA_NLDEV_CMD_STAT_GET_STATUS: method = &rdma_netlink::counter_names; break;
    case RDMA_NLDEV_CMD_SYS_GET: return system(r);
    default: return -EOPNOTSUPP;
    }
    bool found = false;
    for (const ib_device &d : machine_->ib_devices) {
        if (r.other(RDMA_NLDEV_ATTR_DEV_INDEX, r.index_of(d)) || !present(r, d))
            continue;
        found = true;
        if (const int failed = (this->*method)(r, d))
            return failed;
        if (!r.dump())
            break;
    }
    return found || r.dump() ? 0 : -EINVAL;
}

rdma_netlink::datagrams rdma_netlink::answer(std::span<const std::uint8_t> message) const
{
    request r;
    r.machine = counters_.machine();
    if (message.size() < sizeof r.header)
        return {};
    std::memcpy(&r.header, message.data(), sizeof r.header);
    r.attributes = u32_attributes(message);
    r.counters = u32_nest(message, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
    log_->trace(adp::format("netlink client={} command={} flags=0x{:x}", r.client(), r.command(),
                            r.header.nlmsg_flags));
    if (const int failed = dispatch(r)) {
        r.error(failed);
    } else if (r.dump()) {
        netlink_message m{NLMSG_DONE, NLM_F_MULTI, r.header};
        const std::int32_t zero = 0;
        m.raw(&zero, sizeof zero);
        r.send(std::move(m));
    } else if ((r.header.nlmsg_flags & NLM_F_ACK) != 0) {
        r.error(0);
    }
    return misbehave(settings_->netlink_fault, r.command(), std::move(r.out));
}

} // namespace adp::emukernel
