// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "netlink_message.h"

#include <utility>

namespace adp::emukernel {

netlink_message::netlink_message(std::uint16_t type, std::uint16_t flags, const nlmsghdr &request)
{
    bytes_.reserve(4096); // most fit in a page
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

namespace {

// Calls each(type, payload) for the attributes in these bytes.
template <typename F> void walk(std::span<const std::uint8_t> bytes, F &&each)
{
    std::size_t at = 0;
    while (at + sizeof(nlattr) <= bytes.size()) {
        nlattr header{};
        std::memcpy(&header, bytes.data() + at, sizeof header);
        if (header.nla_len < sizeof header || at + header.nla_len > bytes.size())
            break;
        each(header.nla_type & NLA_TYPE_MASK,
             bytes.subspan(at + sizeof header, header.nla_len - sizeof header));
        at += NLA_ALIGN(header.nla_len);
    }
}

std::uint32_t number(std::span<const std::uint8_t> payload)
{
    std::uint32_t value = 0;
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
}

std::span<const std::uint8_t> attributes_of(std::span<const std::uint8_t> message)
{
    return message.size() < sizeof(nlmsghdr) ? message.first(0) : message.subspan(sizeof(nlmsghdr));
}

} // namespace

std::map<unsigned, std::uint32_t> u32_attributes(std::span<const std::uint8_t> message)
{
    std::map<unsigned, std::uint32_t> found;
    walk(attributes_of(message), [&](unsigned type, std::span<const std::uint8_t> payload) {
        if (payload.size() == sizeof(std::uint32_t))
            found[type] = number(payload);
    });
    return found;
}

std::optional<std::vector<std::uint32_t>> u32_nest(std::span<const std::uint8_t> message,
                                                   unsigned nest)
{
    std::optional<std::vector<std::uint32_t>> values;
    walk(attributes_of(message), [&](unsigned type, std::span<const std::uint8_t> inner) {
        if (type != nest)
            return;
        values.emplace();
        walk(inner, [&](unsigned, std::span<const std::uint8_t> payload) {
            if (payload.size() == sizeof(std::uint32_t))
                values->push_back(number(payload));
        });
    });
    return values;
}

} // namespace adp::emukernel
