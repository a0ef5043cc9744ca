// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/address.h"

#include <algorithm>
#include <arpa/inet.h>

namespace adp::flow {

std::optional<address> parse_address(std::string_view text)
{
    char buffer[INET6_ADDRSTRLEN];
    text = text.substr(0, text.find('%'));
    if (text.empty() || text.size() >= sizeof(buffer))
        return std::nullopt;
    *std::copy(text.begin(), text.end(), buffer) = '\0';

    address addr;
    if (inet_pton(AF_INET, buffer, addr.byte.data()) == 1)
        return addr;
    if (inet_pton(AF_INET6, buffer, addr.byte.data()) != 1)
        return std::nullopt;

    static constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    addr.v6 = true;
    if (std::equal(mapped.begin(), mapped.end(), addr.byte.begin())) {
        address v4;
        std::copy_n(addr.byte.begin() + mapped.size(), 4, v4.byte.begin());
        return v4;
    }
    return addr;
}

std::string to_string(const address &addr)
{
    char buffer[INET6_ADDRSTRLEN] = "";
    inet_ntop(addr.v6 ? AF_INET6 : AF_INET, addr.byte.data(), buffer, sizeof(buffer));
    return buffer;
}

} // namespace adp::flow
