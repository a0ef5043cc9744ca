// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// irdma (irdma/verbs.c): iWARP and RoCE share the names, the third generation brought those with
// spaces. The driver adds up registers of 24 to 64 bits; what is shown does not wrap in practice, but
// no source promises it.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view code = "Linux irdma/verbs.c (name alone)";
constexpr std::string_view gen3 = "Linux irdma, third generation series (name alone)";
constexpr std::string_view not_proof = "not proof of loss: reordering moves it too";

#define N 64, unsure, count
#define PLAIN(n, c, u, text)                                                                       \
    {                                                                                              \
        n, c, none, silent, u, N, "", "", text, code, ""                                           \
    }
constexpr description rows[] = {
    PLAIN("ip4InDiscards", drop, packets, "IPv4 packets discarded"),
    PLAIN("ip4InTruncatedPkts", drop, packets, "IPv4 packets truncated"),
    PLAIN("ip4OutNoRoutes", drop, packets, "IPv4 packets without a route"),
    PLAIN("ip6InDiscards", drop, packets, "IPv6 packets discarded"),
    PLAIN("ip6InTruncatedPkts", drop, packets, "IPv6 packets truncated"),
    PLAIN("ip6OutNoRoutes", drop, packets, "IPv6 packets without a route"),
    PLAIN("rxVlanErrors", drop, packets, "packets with a wrong VLAN"),
    PLAIN("ip4InOctets", traffic_received, bytes, "IPv4 bytes received"),
    PLAIN("ip4InPkts", traffic_received, packets, "IPv4 packets received"),
    PLAIN("ip4InReasmRqd", traffic_received, packets, "IPv4 fragments received"),
    PLAIN("ip4InMcastOctets", traffic_received, bytes, "IPv4 multicast bytes received"),
    PLAIN("ip4InMcastPkts", traffic_received, packets, "IPv4 multicast packets received"),
    PLAIN("ip4OutOctets", traffic_sent, bytes, "IPv4 bytes sent"),
    PLAIN("ip4OutPkts", traffic_sent, packets, "IPv4 packets sent"),
    PLAIN("ip4OutSegRqd", traffic_sent, packets, "IPv4 packets that needed fragments"),
    PLAIN("ip4OutMcastOctets", traffic_sent, bytes, "IPv4 multicast bytes sent"),
    PLAIN("ip4OutMcastPkts", traffic_sent, packets, "IPv4 multicast packets sent"),
    PLAIN("ip6InOctets", traffic_received, bytes, "IPv6 bytes received"),
    PLAIN("ip6InPkts", traffic_received, packets, "IPv6 packets received"),
    PLAIN("ip6InReasmRqd", traffic_received, packets, "IPv6 fragments received"),
    PLAIN("ip6InMcastOctets", traffic_received, bytes, "IPv6 multicast bytes received"),
    PLAIN("ip6InMcastPkts", traffic_received, packets, "IPv6 multicast packets received"),
    PLAIN("ip6OutOctets", traffic_sent, bytes, "IPv6 bytes sent"),
    PLAIN("ip6OutPkts", traffic_sent, packets, "IPv6 packets sent"),
    PLAIN("ip6OutSegRqd", traffic_sent, packets, "IPv6 packets that needed fragments"),
    PLAIN("ip6OutMcastOctets", traffic_sent, bytes, "IPv6 multicast bytes sent"),
    PLAIN("ip6OutMcastPkts", traffic_sent, packets, "IPv6 multicast packets sent"),
    {"RetransSegs", retransmitted, none, silent, packets, N, "", "", "TCP segments sent again",
     code, "iWARP only: RoCE retransmissions are not in it, as far as the name says"},
    PLAIN("InOptErrors", other, events, "TCP option errors received"),
    PLAIN("InProtoErrors", other, events, "TCP protocol errors received"),
    PLAIN("InSegs", traffic_received, packets, "TCP segments received"),
    PLAIN("OutSegs", traffic_sent, packets, "TCP segments sent"),
    PLAIN("InRdmaReads", request_received, requests, "RDMA READs received"),
    PLAIN("InRdmaSends", request_received, requests, "SENDs received"),
    PLAIN("InRdmaWrites", request_received, requests, "RDMA WRITEs received"),
    PLAIN("OutRdmaReads", request_sent, requests, "RDMA READs sent"),
    PLAIN("OutRdmaSends", request_sent, requests, "SENDs sent"),
    PLAIN("OutRdmaWrites", request_sent, requests, "RDMA WRITEs sent"),
    PLAIN("RdmaBnd", other, events, "memory windows bound"),
    PLAIN("RdmaInv", other, events, "memory invalidated"),
    PLAIN("RxUDP", traffic_received, packets, "UDP packets received"),
    PLAIN("TxUDP", traffic_sent, packets, "UDP packets sent"),
    PLAIN("cnpHandled", cnp_handled, packets, "congestion notifications handled"),
    PLAIN("cnpIgnored", cnp_ignored, packets, "congestion notifications ignored"),
    PLAIN("cnpSent", cnp_sent, packets, "congestion notifications sent"),
    PLAIN("RxECNMrkd", ecn_marked, packets, "packets received with the congestion mark"),

    {"RNR sent", rnr_nak_sent, resp, follows, packets, N, "", "", "receiver-not-ready NAKs sent",
     gen3, ""},
    {"RNR received", rnr_nak_received, req, follows, packets, N, "", "",
     "receiver-not-ready NAKs received", gen3, "not fatal by itself"},
    {"ord limit count", other, none, silent, events, N, "", "",
     "times at the limit of outbound reads", gen3, ""},
    {"ird limit count", other, none, silent, events, N, "", "",
     "times at the limit of inbound reads", gen3, ""},
    {"Rx atomics", request_received, none, silent, requests, N, "", "", "ATOMICs received", gen3,
     ""},
    {"Tx atomics", request_sent, none, silent, requests, N, "", "", "ATOMICs sent", gen3, ""},
    {"Nak Sequence Error", sequence_nak_received, none, silent, packets, N, "", "",
     "sequence-error NAKs; whether sent or received is not said", gen3, not_proof},
    {"Nak Sequence Error Implied", implied_nak, none, silent, events, N, "", "",
     "implied sequence-error NAKs", gen3, ""},
    {"RTO", ack_timeout, none, silent, events, N, "", "", "retransmission timeouts", gen3, ""},
    {"Rcvd Out of order packets", out_of_sequence, none, silent, packets, N, "", "",
     "packets received out of order", gen3, not_proof},
    {"CRC errors", icrc_error, none, silent, packets, N, "", "", "packets with a wrong ICRC", gen3,
     ""},
};
#undef PLAIN
#undef N

// Names before the third generation, and of i40iw.
constexpr alias other_names[] = {
    {"tcpRetransSegs", "RetransSegs"},
    {"tcpInOptErrors", "InOptErrors"},
    {"tcpInProtoErrors", "InProtoErrors"},
    {"tcpInSegs", "InSegs"},
    {"tcpOutSegs", "OutSegs"},
    {"iwInRdmaReads", "InRdmaReads"},
    {"iwInRdmaSends", "InRdmaSends"},
    {"iwInRdmaWrites", "InRdmaWrites"},
    {"iwOutRdmaReads", "OutRdmaReads"},
    {"iwOutRdmaSends", "OutRdmaSends"},
    {"iwOutRdmaWrites", "OutRdmaWrites"},
    {"iwRdmaBnd", "RdmaBnd"},
    {"iwRdmaInv", "RdmaInv"},
    {"Rx ATS", "Rx atomics"},
    {"Tx ATS", "Tx atomics"},
};

} // namespace

std::span<const description> irdma_rows()
{
    return rows;
}

std::span<const alias> irdma_aliases()
{
    return other_names;
}

} // namespace adp::counter
