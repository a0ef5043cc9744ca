// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "devlink.h"

#include "rdma_netlink_request.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace adp::emukernel {

namespace {

using json = nlohmann::json;

constexpr std::uint16_t family_number = 0x1f; // a dynamic one
// Of EMUKERNEL_NETLINK_FAULT: commands of RDMA netlink have small numbers.
constexpr unsigned fault_number = 1000;

void put_u16(netlink_message &m, std::uint16_t type, std::uint16_t value)
{
    m.attribute(type, &value, sizeof value);
}

void put_header(netlink_message &m, std::uint8_t command)
{
    const genlmsghdr header{command, 1, 0};
    m.raw(&header, sizeof header);
}

std::uint16_t flavour_of(const std::string &name)
{
    constexpr std::string_view known[] = {"physical", "cpu",     "dsa",    "pcipf",
                                          "pcivf",    "virtual", "unused", "pcisf"};
    const auto *found = std::find(std::begin(known), std::end(known), name);
    return static_cast<std::uint16_t>(found - std::begin(known));
}

std::vector<std::uint8_t> address_of(const std::string &text)
{
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 0; at + 2 <= text.size(); at += 3)
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(at, 2), nullptr, 16)));
    return bytes;
}

void put_function(netlink_message &m, const json &function)
{
    const std::size_t nest = m.begin_nest(DEVLINK_ATTR_PORT_FUNCTION);
    if (function.contains("hw_addr")) {
        const auto bytes = address_of(function["hw_addr"].get<std::string>());
        m.attribute(DEVLINK_PORT_FUNCTION_ATTR_HW_ADDR, bytes.data(), bytes.size());
    }
    if (function.contains("state"))
        m.u8(DEVLINK_PORT_FN_ATTR_STATE, function["state"] == "active" ? 1 : 0);
    if (function.contains("opstate"))
        m.u8(DEVLINK_PORT_FN_ATTR_OPSTATE, function["opstate"] == "attached" ? 1 : 0);
    m.end_nest(nest);
}

// In the order of devlink_nl_port_fill().
void put_port(netlink_message &m, const std::string &handle, const json &port,
              const topology &machine)
{
    const std::size_t bus = handle.find('/'), index = handle.rfind('/');
    m.text(DEVLINK_ATTR_BUS_NAME, handle.substr(0, bus));
    m.text(DEVLINK_ATTR_DEV_NAME, handle.substr(bus + 1, index - bus - 1));
    m.u32(DEVLINK_ATTR_PORT_INDEX,
          static_cast<std::uint32_t>(std::stoul(handle.substr(index + 1))));
    put_u16(m, DEVLINK_ATTR_PORT_TYPE, DEVLINK_PORT_TYPE_ETH);
    const auto netdev = std::find_if(
        machine.net_devices.begin(), machine.net_devices.end(),
        [name = port.value("netdev", "")](const net_device &n) { return n.name == name; });
    if (netdev != machine.net_devices.end()) {
        m.u32(DEVLINK_ATTR_PORT_NETDEV_IFINDEX, netdev->index);
        m.text(DEVLINK_ATTR_PORT_NETDEV_NAME, netdev->name);
    }
    m.u8(DEVLINK_ATTR_PORT_SPLITTABLE, 0);
    if (port.contains("flavour"))
        put_u16(m, DEVLINK_ATTR_PORT_FLAVOUR, flavour_of(port["flavour"].get<std::string>()));
    if (port.contains("controller"))
        m.u32(DEVLINK_ATTR_PORT_CONTROLLER_NUMBER, port["controller"].get<std::uint32_t>());
    if (port.contains("pfnum"))
        put_u16(m, DEVLINK_ATTR_PORT_PCI_PF_NUMBER, port["pfnum"].get<std::uint16_t>());
    if (port.contains("vfnum"))
        put_u16(m, DEVLINK_ATTR_PORT_PCI_VF_NUMBER, port["vfnum"].get<std::uint16_t>());
    if (port.contains("sfnum"))
        m.u32(DEVLINK_ATTR_PORT_PCI_SF_NUMBER, port["sfnum"].get<std::uint32_t>());
    if (port.contains("external"))
        m.u8(DEVLINK_ATTR_PORT_EXTERNAL, port["external"].get<bool>() ? 1 : 0);
    if (port.contains("port"))
        m.u32(DEVLINK_ATTR_PORT_NUMBER, port["port"].get<std::uint32_t>());
    if (port.contains("function"))
        put_function(m, port["function"]);
}

} // namespace

struct devlink::request {
    nlmsghdr header{};
    genlmsghdr generic{};
    datagrams out;

    bool dump() const { return (header.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP; }
    void send(netlink_message &&m) { out.push_back(std::move(m).finish()); }
    void end(std::uint16_t type, std::int32_t value)
    {
        netlink_message m{type, static_cast<std::uint16_t>(type == NLMSG_DONE ? NLM_F_MULTI : 0),
                          header};
        m.raw(&value, sizeof value);
        if (type == NLMSG_ERROR)
            m.raw(&header, sizeof header);
        send(std::move(m));
    }
};

int devlink::family(request &r, std::span<const std::uint8_t> message) const
{
    const std::string_view wanted{DEVLINK_GENL_NAME, sizeof DEVLINK_GENL_NAME};
    const std::string_view text{reinterpret_cast<const char *>(message.data()), message.size()};
    const bool there = std::any_of(
        machine_->ib_devices.begin(), machine_->ib_devices.end(),
        [this](const ib_device &d) { return !counters_.describe(d.name).devlink.empty(); });
    if (!there || text.find(wanted) == std::string_view::npos)
        return -ENOENT;
    netlink_message m{GENL_ID_CTRL, 0, r.header};
    put_header(m, CTRL_CMD_NEWFAMILY);
    m.text(CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
    put_u16(m, CTRL_ATTR_FAMILY_ID, family_number);
    m.u32(CTRL_ATTR_VERSION, DEVLINK_GENL_VERSION);
    m.u32(CTRL_ATTR_HDRSIZE, 0);
    m.u32(CTRL_ATTR_MAXATTR, DEVLINK_ATTR_MAX);
    r.send(std::move(m));
    return 0;
}

int devlink::ports(request &r) const
{
    for (const ib_device &d : machine_->ib_devices) {
        const std::string described = counters_.describe(d.name).devlink;
        const json listed = described.empty() ? json::object() : json::parse(described);
        if (listed.contains("errno"))
            return -listed["errno"].get<int>();
        for (const auto &[handle, port] : listed.items()) {
            netlink_message m{family_number, NLM_F_MULTI, r.header};
            put_header(m, DEVLINK_CMD_PORT_NEW);
            put_port(m, handle, port, *machine_);
            r.send(std::move(m));
        }
    }
    return 0;
}

int devlink::dispatch(request &r, std::span<const std::uint8_t> message) const
{
    if (r.header.nlmsg_type == GENL_ID_CTRL && r.generic.cmd == CTRL_CMD_GETFAMILY && !r.dump())
        return family(r, message);
    if (r.header.nlmsg_type == family_number && r.generic.cmd == DEVLINK_CMD_PORT_GET && r.dump())
        return ports(r);
    return -EOPNOTSUPP;
}

devlink::datagrams devlink::answer(std::span<const std::uint8_t> message) const
{
    request r;
    if (message.size() < NLMSG_HDRLEN + GENL_HDRLEN)
        return {};
    std::memcpy(&r.header, message.data(), sizeof r.header);
    std::memcpy(&r.generic, message.data() + NLMSG_HDRLEN, sizeof r.generic);
    log_->trace(adp::format("generic netlink type={} command={} flags=0x{:x}", r.header.nlmsg_type,
                            r.generic.cmd, r.header.nlmsg_flags));
    if (const int failed = dispatch(r, message)) {
        r.out.clear();
        r.end(NLMSG_ERROR, failed);
    } else if (r.dump()) {
        r.end(NLMSG_DONE, 0);
    } else if ((r.header.nlmsg_flags & NLM_F_ACK) != 0) {
        r.end(NLMSG_ERROR, 0);
    }
    return r.header.nlmsg_type == family_number
               ? misbehave(settings_->netlink_fault, fault_number + r.generic.cmd, std::move(r.out))
               : std::move(r.out);
}

} // namespace adp::emukernel
