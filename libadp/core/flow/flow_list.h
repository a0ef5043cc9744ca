// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Flows to audit, and the texts that people have them in.
#pragma once

#include "flow/address.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adp::flow {

enum flow_part : std::uint8_t {
    has_sport = 1,
    has_qpns = 2,
    has_label = 4,
    has_affinity = 8, // lag_tx_port_affinity
};

struct flow_record {
    std::uint32_t lqpn = 0;
    std::uint32_t rqpn = 0;
    std::uint32_t label = 0;
    std::uint32_t pair = 0;    // index into flow_list::pairs plus 1; 0: no addresses
    std::uint32_t line = 0;    // from 1; of JSON the element's number
    std::uint32_t packets = 0; // of a capture; 0: not from one
    std::uint16_t sport = 0;   // as given, else from the label or the QPNs
    std::uint8_t has = 0;      // flow_part bits: what was given
    std::uint8_t affinity = 0;
};

struct line_error {
    std::uint64_t line = 0; // from 1; of JSON the element's number, 0: the text as a whole
    std::string text;       // its beginning
    std::string reason;
};

struct flow_list {
    std::vector<flow_record> flows;
    std::vector<address_pair> pairs;
    std::vector<line_error> errors; // the first of them
    std::uint64_t error_count = 0;
    std::uint64_t lines = 0;   // or elements
    bool elements = false;     // of a JSON array are what is counted, not lines
    std::uint64_t ignored = 0; // not flows: other traffic of a capture, queue pairs without a port
    std::vector<std::string> notes;
};

inline constexpr std::size_t max_line_errors = 64;

/*
 * One flow a line; empty lines and comments (#) are skipped. Numbers are decimal or 0x.
 *   49152                              a port
 *   0x11 0x12                          local and remote QPN
 *   0x4000 49153                       label and port, where every line's port is that of its label
 *   10.0.0.1 10.0.0.2 49152            addresses, in any place of the line
 *   10.0.0.1:49152 10.0.0.2:4791       as of ss; IPv6 in brackets
 *   lqpn 17 rqpn 18 udp_sport 49458    pairs of word and value, among others: `adp qp`,
 *                                      `rdma resource show qp`; words: lqpn rqpn sport udp_sport
 *                                      label flow_label fl src dst type lag_tx_port_affinity
 *   mlx5_0/1 0x11 0x12 RC RTS ...      `adp qp`, its heading before it
 *   ... IP 10.0.0.1.49152 > 10.0.0.2.4791: UDP ...   tcpdump -n; packets of one flow are counted once
 * A comment that consists of such words (also qpn and port) names the columns of what follows.
 * Or one JSON array of objects with those keys, as of `adp -j qp`.
 * A line in error is left out, counted and named; a line that a person wrote is in error when a value
 * does not fit its field (a port below 49152 too, but for bnxt_re's 36049), a captured one is a fact.
 */
flow_list parse_flows(std::string_view text);

} // namespace adp::flow
