// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "netlink_attribute.h"

#include <climits>
#include <cstring>
#include <netlink/attr.h>

namespace adp::nl {

namespace {

template <typename T> std::optional<T> exactly(bytes payload)
{
    if (payload.size() != sizeof(T))
        return {};
    T value;
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
}

} // namespace

std::uint16_t attribute::type() const
{
    return static_cast<std::uint16_t>(nla_type(raw_));
}

bytes attribute::payload() const
{
    return {static_cast<const std::uint8_t *>(nla_data(raw_)),
            static_cast<std::size_t>(nla_len(raw_))};
}

std::optional<std::uint8_t> attribute::u8() const
{
    return exactly<std::uint8_t>(payload());
}

std::optional<std::uint16_t> attribute::u16() const
{
    return exactly<std::uint16_t>(payload());
}

std::optional<std::uint32_t> attribute::u32() const
{
    return exactly<std::uint32_t>(payload());
}

std::optional<std::uint64_t> attribute::u64() const
{
    return exactly<std::uint64_t>(payload());
}

std::optional<std::string> attribute::text() const
{
    const bytes p = payload();
    const auto *end = p.empty() ? nullptr : std::memchr(p.data(), 0, p.size());
    if (end == nullptr)
        return {};
    return std::string{reinterpret_cast<const char *>(p.data()),
                       static_cast<std::size_t>(static_cast<const std::uint8_t *>(end) - p.data())};
}

std::optional<attribute> attributes::next()
{
    if (left_ == 0)
        return {};
    const auto *raw = reinterpret_cast<const nlattr *>(at_);
    if (left_ > INT_MAX || nla_ok(raw, static_cast<int>(left_)) == 0) {
        sound_ = false;
        left_ = 0;
        return {};
    }
    // The padding of the last attribute may be missing.
    int left = static_cast<int>(left_);
    at_ = reinterpret_cast<const std::uint8_t *>(nla_next(raw, &left));
    left_ = left > 0 ? static_cast<std::size_t>(left) : 0;
    return attribute{raw};
}

} // namespace adp::nl
