// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A packet as a RoCE v2 frame: Ethernet, IPv4 or IPv6, UDP to port 4791, the transport's headers and
// data, the invariant CRC (IBTA annex A17; volume 1, chapter 9 for the headers).
#pragma once

#include "data_path/packet.h"

#include <optional>

namespace adp::hca {

// For a packet between global addresses. Ethernet addresses are made of the ends' own.
bytes encode_frame(const packet &p);

// Nothing: not a whole RoCE v2 frame of a reliable connected queue pair, or its CRC is wrong.
std::optional<packet> decode_frame(view frame);

// Of a frame whose IP header begins there, without its last four bytes.
std::uint32_t invariant_crc(view frame, std::size_t at_ip);

} // namespace adp::hca
