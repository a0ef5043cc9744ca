// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a client of vfio-user sends, as bytes and files. Numbers are in the machine's own order.
#pragma once

#include "session.h"

#include <cstring>
#include <span>

namespace adp::hca {

template <typename... T> bytes body_of(T... values)
{
    bytes data((sizeof(T) + ...));
    std::size_t at = 0;
    ((std::memcpy(data.data() + at, &values, sizeof values), at += sizeof values), ...);
    return data;
}

// With its head; the size is that of both.
bytes client_message(std::uint16_t id, std::uint16_t command, view body, std::uint32_t flags = 0);

inline constexpr std::size_t most_files = 32; // that can be sent along, more than the server takes

// Without waiting; as sendmsg(2).
ssize_t send_with_files(int socket, view data, std::span<const int> files);

} // namespace adp::hca
