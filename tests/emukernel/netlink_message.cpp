// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "netlink_message.h"

#include <utility>

namespace adp::emukernel {

netlink_message::netlink_message(std::uint16_t type, std::uint16_t flags, const nlmsghdr &request)
{
    nlmsghdr header{};
    header.nlmsg_type = type;
    header.nlmsg_flags = flags;
    header.nlmsg_seq = request.nlmsg_seq;
    header.nlmsg_pid = request.nlmsg_pid;
    raw(&header, sizeof header);
}

void netlink_message::raw(const void *data, std::size_t size)
{
    const std::size_t at = bytes_.size();
    bytes_.resize(at + ((size + 3) & ~std::size_t{3}));
    if (size > 0)
        std::memcpy(bytes_.data() + at, data, size);
}

void netlink_message::attribute(std::uint16_t type, const void *data, std::size_t size)
{
    const nlattr header{static_cast<std::uint16_t>(sizeof(nlattr) + size), type};
    raw(&header, sizeof header);
    raw(data, size);
}

void netlink_message::text(std::uint16_t type, const std::string &value)
{
    attribute(type, value.c_str(), value.size() + 1);
}

std::size_t netlink_message::begin_nest(std::uint16_t type)
{
    const std::size_t start = bytes_.size();
    attribute(static_cast<std::uint16_t>(type | NLA_F_NESTED), nullptr, 0);
    return start;
}

void netlink_message::end_nest(std::size_t start)
{
    const auto length = static_cast<std::uint16_t>(bytes_.size() - start);
    std::memcpy(bytes_.data() + start, &length, sizeof length);
}

std::vector<std::uint8_t> netlink_message::finish() &&
{
    const auto length = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &length, sizeof length);
    return std::move(bytes_);
}

std::map<unsigned, std::uint32_t> u32_attributes(std::span<const std::uint8_t> message)
{
    std::map<unsigned, std::uint32_t> found;
    std::size_t at = sizeof(nlmsghdr);
    while (at + sizeof(nlattr) <= message.size()) {
        nlattr header{};
        std::memcpy(&header, message.data() + at, sizeof header);
        if (header.nla_len < sizeof header || at + header.nla_len > message.size())
            break;
        if (header.nla_len == sizeof header + sizeof(std::uint32_t)) {
            std::uint32_t value = 0;
            std::memcpy(&value, message.data() + at + sizeof header, sizeof value);
            found[header.nla_type & NLA_TYPE_MASK] = value;
        }
        at += (header.nla_len + 3U) & ~3U;
    }
    return found;
}

} // namespace adp::emukernel
