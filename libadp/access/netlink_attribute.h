// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Attributes of a netlink message, read with distrust: flags in the type are masked, the order is
// not relied on, a value of another size than its kind has is no value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

struct nlattr;

namespace adp::nl {

using bytes = std::span<const std::uint8_t>;

// One attribute, borrowed from its message.
class attribute {
  public:
    explicit attribute(const nlattr *raw) : raw_(raw) {}

    std::uint16_t type() const; // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
    bytes payload() const;
    std::optional<std::uint8_t> u8() const;
    std::optional<std::uint16_t> u16() const;
    std::optional<std::uint32_t> u32() const;
    std::optional<std::uint64_t> u64() const;
    // Ends with its first zero, which there must be.
    std::optional<std::string> text() const;

  private:
    const nlattr *raw_;
};

// Walks the attributes of a message's or a nest's payload (aligned as netlink aligns). After the
// last one sound() says whether all of the payload was attributes.
class attributes {
  public:
    explicit attributes(bytes payload) : at_(payload.data()), left_(payload.size()) {}
    std::optional<attribute> next();
    bool sound() const { return sound_; }

  private:
    const std::uint8_t *at_;
    std::size_t left_;
    bool sound_ = true;
};

} // namespace adp::nl
