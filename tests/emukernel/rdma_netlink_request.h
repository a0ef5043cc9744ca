// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One request while it is being answered. Private to rdma_netlink*.cpp.
#pragma once

#include "rdma_netlink.h"

namespace adp::emukernel {

struct rdma_netlink::request {
    nlmsghdr header{};
    std::map<unsigned, std::uint32_t> attributes;
    datagrams out;

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
    // Whether the caller named an attribute, and with another value.
    bool other(unsigned attribute, std::uint32_t value) const
    {
        const auto found = attributes.find(attribute);
        return found != attributes.end() && found->second != value;
    }
};

} // namespace adp::emukernel
