// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A packet as a RoCE v2 frame: Ethernet, IPv4 or IPv6, UDP to port 4791, the transport's headers and
// data, the invariant CRC (IBTA annex A17; volume 1, chapter 9 for the headers).
#pragma once

#include "data_path/packet.h"

#include <optional>

namespace adp::hca {

// Whether there is a frame of it: addresses are global, and there is a UDP source port (RoCE v1 has
// none).
inline bool has_frame(const packet &p)
{
    return p.to.global && p.udp_sport != 0;
}

// For a packet between global addresses. Ethernet addresses are made of the ends' own.
bytes encode_frame(const packet &p);

// Nothing: not a whole RoCE v2 frame of a reliable connected queue pair or of a datagram, or its CRC is
// wrong.
std::optional<packet> decode_frame(view frame);

// Of a frame whose IP header begins there, without its last four bytes.
std::uint32_t invariant_crc(view frame, std::size_t at_ip);

// The network header of a packet as a receiver of datagrams gets it: the last 20 bytes are that of
// IPv4, or all of it is one of IPv6 or a GRH.
enum class network_header : std::uint8_t { grh, ipv6, ipv4 };
network_header header_kind(const packet &p);
inline constexpr std::size_t global_header_bytes = 40;
std::array<std::uint8_t, global_header_bytes> global_header(const packet &p);

} // namespace adp::hca
