// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// IP addresses as switches hash them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adp::flow {

struct address {
    std::array<std::uint8_t, 16> byte{}; // network order; IPv4 in the first four
    bool v6 = false;

    friend bool operator==(const address &, const address &) = default;
    friend bool operator<(const address &a, const address &b)
    {
        return a.v6 != b.v6 ? b.v6 : a.byte < b.byte;
    }
};

struct address_pair {
    address src;
    address dst;

    friend bool operator==(const address_pair &, const address_pair &) = default;
};

// "10.0.0.1", "fd00::1", "fe80::1%eth0" (the zone is dropped). A GID that holds an IPv4 address
// ("::ffff:10.0.0.1") is that IPv4 address: that is what RoCEv2 puts on the wire.
std::optional<address> parse_address(std::string_view text);
std::string to_string(const address &addr);

} // namespace adp::flow
