// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Capture filters (pcap-filter syntax) for RoCEv2.
#pragma once

#include "flow/address.h"
#include "result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adp::flow {

struct filter_options {
    std::uint32_t vlan_tags = 2; // packets with up to so many VLAN tags, 0..4
    bool roce_v1 = false;        // also RoCEv1 (ethertype 0x8915)
    std::optional<address> host; // only to or from this address
};

struct capture_filter {
    std::string expression;
    std::vector<std::string> notes;
};

// Every RoCEv2 packet of either direction, IPv4 and IPv6, whatever its source port.
result<capture_filter> make_filter(const filter_options &options = {});

} // namespace adp::flow
