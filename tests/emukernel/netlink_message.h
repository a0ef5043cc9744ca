// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Builds one netlink message, and finds the attributes of a received one.
#pragma once

#include <cstdint>
#include <cstring>
#include <linux/netlink.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adp::emukernel {

class netlink_message {
  public:
    netlink_message(std::uint16_t type, std::uint16_t flags, const nlmsghdr &request);
    void raw(const void *data, std::size_t size); // outside any attribute
    void attribute(std::uint16_t type, const void *data, std::size_t size);
    void u8(std::uint16_t type, std::uint8_t value) { attribute(type, &value, sizeof value); }
    void u32(std::uint16_t type, std::uint32_t value) { attribute(type, &value, sizeof value); }
    void u64(std::uint16_t type, std::uint64_t value) { attribute(type, &value, sizeof value); }
    void text(std::uint16_t type, const std::string &value);
    std::size_t begin_nest(std::uint16_t type);
    void end_nest(std::size_t start);
    std::size_t size() const { return bytes_.size(); }
    std::vector<std::uint8_t> finish() &&;

  private:
    std::vector<std::uint8_t> bytes_;
};

// The 32-bit attributes on the first level of a request.
std::map<unsigned, std::uint32_t> u32_attributes(std::span<const std::uint8_t> message);

// The 32-bit values in a nest of a request; nothing when it has no such nest.
std::optional<std::vector<std::uint32_t>> u32_nest(std::span<const std::uint8_t> message,
                                                   unsigned nest);

} // namespace adp::emukernel
