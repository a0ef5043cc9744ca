// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One request of RDMA netlink and the answers to it.
#pragma once

#include "rdma_netlink.h"

#include <memory>
#include <optional>
#include <rdma/rdma_netlink.h>

namespace adp::emukernel {

struct rdma_netlink::request {
    nlmsghdr header{};
    std::map<unsigned, std::uint32_t> attributes;
    std::optional<std::vector<std::uint32_t>> counters; // of the nest STAT_HWCOUNTERS
    std::shared_ptr<const machine_description> machine; // as it is for the whole of this request
    datagrams out;

    const device_description &described(const ib_device &d) const
    {
        static const device_description plain;
        const auto known = machine->find(d.name);
        return known == machine->end() ? plain : known->second;
    }
    std::uint32_t index_of(const ib_device &d) const
    {
        return described(d).index.value_or(d.index);
    }
    bool dump() const { return (header.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP; }
    unsigned command() const { return header.nlmsg_type & 0x3ffU; }
    unsigned client() const { return header.nlmsg_type >> 10U; }
    netlink_message message() const
    {
        return {header.nlmsg_type, static_cast<std::uint16_t>(dump() ? NLM_F_MULTI : 0), header};
    }
    void send(netlink_message &&m) { out.push_back(std::move(m).finish()); }
    void error(int code)
    {
        netlink_message m{NLMSG_ERROR, 0, header};
        const std::int32_t value = code;
        m.raw(&value, sizeof value);
        m.raw(&header, sizeof header);
        send(std::move(m));
    }
    std::optional<std::uint32_t> value(unsigned attribute) const
    {
        const auto found = attributes.find(attribute);
        return found == attributes.end() ? std::nullopt : std::optional{found->second};
    }
    // Whether the caller named an attribute, and with another value.
    bool other(unsigned attribute, std::uint32_t value) const
    {
        const auto found = attributes.find(attribute);
        return found != attributes.end() && found->second != value;
    }
};

inline void identify(netlink_message &m, const ib_device &d, std::uint32_t index)
{
    m.u32(RDMA_NLDEV_ATTR_DEV_INDEX, index);
    m.text(RDMA_NLDEV_ATTR_DEV_NAME, d.name);
}

// Spoils answers as EMUKERNEL_NETLINK_FAULT says (rdma_counters.cpp).
rdma_netlink::datagrams misbehave(const std::string &fault, unsigned command,
                                  rdma_netlink::datagrams answers);

} // namespace adp::emukernel
