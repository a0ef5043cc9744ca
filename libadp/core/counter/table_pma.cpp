// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// counters/: performance management of the port (core/sysfs.c; IBTA volume 1, chapter 16). Each file
// is a query of its own. They stay at their largest value.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view ibta = "IBTA, PortCounters; Linux core/sysfs.c for name and width";
constexpr std::string_view exporter = "node_exporter, infiniband collector";
constexpr std::string_view ibta64 = "IBTA, PortCountersExtended; Linux core/sysfs.c";

#define ERROR(n, bits, c, text)                                                                    \
    {                                                                                              \
        n, c, none, silent, events, bits, sticks, count, "port_counters", "", text, ibta, ""       \
    }
constexpr description rows[] = {
    ERROR("symbol_error", 16, link_error, "minor link errors on a lane"),
    ERROR("link_error_recovery", 8, link_error, "times that the link recovered by itself"),
    ERROR("link_downed", 8, link_downed, "times that the link failed to recover and went down"),
    ERROR("port_rcv_errors", 16, port_error, "packets received with an error"),
    ERROR("port_rcv_remote_physical_errors", 16, port_error,
          "packets received that were marked bad on the way"),
    ERROR("port_rcv_switch_relay_errors", 16, port_error,
          "packets received that a switch could not forward"),
    ERROR("port_xmit_discards", 16, port_discard,
          "packets discarded because the port was down or congested"),
    ERROR("port_xmit_constraint_errors", 8, port_error, "packets not sent by a constraint"),
    ERROR("port_rcv_constraint_errors", 8, port_error,
          "packets received and refused by a constraint"),
    ERROR("local_link_integrity_errors", 4, link_error,
          "times that local physical errors passed their threshold"),
    ERROR("excessive_buffer_overrun_errors", 4, link_error,
          "times that the receive buffer overran for too long"),
    ERROR("VL15_dropped", 16, drop, "management packets dropped"),
    {"port_xmit_wait", port_wait, none, silent, ticks, 32, sticks, count, "port_counters", "",
     "ticks with data to send and nothing sent", ibta, "the length of a tick is the device's own"},
    {"port_xmit_data", traffic_sent, none, silent, words, 64, sticks, count, "ext_counters", "",
     "data sent, in words of 4 bytes", ibta64,
     "not bytes: multiply by 4. 32 bits wide where the port has no extended counters"},
    {"port_rcv_data", traffic_received, none, silent, words, 64, sticks, count, "ext_counters", "",
     "data received, in words of 4 bytes", ibta64,
     "not bytes: multiply by 4. 32 bits wide where the port has no extended counters"},
    {"port_xmit_packets", traffic_sent, none, silent, packets, 64, sticks, count, "ext_counters",
     "", "packets sent", ibta64, ""},
    {"port_rcv_packets", traffic_received, none, silent, packets, 64, sticks, count, "ext_counters",
     "", "packets received", ibta64, ""},
    {"unicast_rcv_packets", traffic_received, none, silent, packets, 64, sticks, count,
     "ext_counters", "", "unicast packets received", ibta64, ""},
    {"unicast_xmit_packets", traffic_sent, none, silent, packets, 64, sticks, count, "ext_counters",
     "", "unicast packets sent", ibta64, ""},
    {"multicast_rcv_packets", traffic_received, none, silent, packets, 64, sticks, count,
     "ext_counters", "", "multicast packets received", ibta64, ""},
    {"multicast_xmit_packets", traffic_sent, none, silent, packets, 64, sticks, count,
     "ext_counters", "", "multicast packets sent", ibta64, ""},
    {"port_data_transmitted_bytes_total", traffic_sent, none, silent, bytes, 0, unsure, count,
     "node_exporter", "", "data sent, in bytes: four times port_xmit_data", exporter,
     "of EFA devices: tx_bytes of hw_counters"},
    {"port_data_received_bytes_total", traffic_received, none, silent, bytes, 0, unsure, count,
     "node_exporter", "", "data received, in bytes: four times port_rcv_data", exporter,
     "of EFA devices: rx_bytes of hw_counters"},
};
#undef ERROR

// As fabric tools (perfquery, ibqueryerrors) spell them.
constexpr alias other_names[] = {
    {"SymbolErrorCounter", "symbol_error"},
    {"LinkErrorRecoveryCounter", "link_error_recovery"},
    {"LinkDownedCounter", "link_downed"},
    {"PortRcvErrors", "port_rcv_errors"},
    {"PortRcvRemotePhysicalErrors", "port_rcv_remote_physical_errors"},
    {"PortRcvSwitchRelayErrors", "port_rcv_switch_relay_errors"},
    {"PortXmitDiscards", "port_xmit_discards"},
    {"PortXmitConstraintErrors", "port_xmit_constraint_errors"},
    {"PortRcvConstraintErrors", "port_rcv_constraint_errors"},
    {"LocalLinkIntegrityErrors", "local_link_integrity_errors"},
    {"ExcessiveBufferOverrunErrors", "excessive_buffer_overrun_errors"},
    {"VL15Dropped", "VL15_dropped"},
    {"PortXmitWait", "port_xmit_wait"},
    {"PortXmitData", "port_xmit_data"},
    {"PortRcvData", "port_rcv_data"},
    {"PortXmitPkts", "port_xmit_packets"},
    {"PortRcvPkts", "port_rcv_packets"},
    {"PortUnicastXmitPkts", "unicast_xmit_packets"},
    {"PortUnicastRcvPkts", "unicast_rcv_packets"},
    {"PortMulticastXmitPkts", "multicast_xmit_packets"},
    {"PortMulticastRcvPkts", "multicast_rcv_packets"},
};

} // namespace

std::span<const alias> pma_aliases()
{
    return other_names;
}

std::span<const description> pma_table()
{
    return rows;
}

} // namespace adp::counter
