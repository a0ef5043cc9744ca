// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// efa, hfi1 and cxgb4.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view efa_code = "Linux efa/efa_verbs.c (name alone)";
constexpr std::string_view efa_doc = "AWS, CloudWatch agent EFA metrics";
constexpr std::string_view srd = "SRD is no RC transport: packets take many paths and a timeout "
                                 "changes the path, it ends no queue pair";

#define N 64, wide, count
#define PORT(n, c, u, text)                                                                        \
    {                                                                                              \
        n, c, none, silent, u, N, "port", "", text, efa_code, ""                                   \
    }
#define DEVICE(n, text)                                                                            \
    {                                                                                              \
        n, other, none, silent, events, N, "device", "", text, efa_code, ""                        \
    }
constexpr description efa[] = {
    PORT("tx_bytes", traffic_sent, bytes, "bytes sent"),
    PORT("tx_pkts", traffic_sent, packets, "packets sent"),
    PORT("rx_bytes", traffic_received, bytes, "bytes received"),
    PORT("rx_pkts", traffic_received, packets, "packets received"),
    {"rx_drops", drop, none, silent, packets, N, "port", "", "packets dropped on reception",
     efa_doc, "not losses on the way: those show as retransmissions at the sender"},
    PORT("send_bytes", request_sent, bytes, "bytes of sends"),
    PORT("send_wrs", request_sent, requests, "sends"),
    PORT("recv_bytes", request_received, bytes, "bytes of receives"),
    PORT("recv_wrs", request_received, requests, "receives"),
    PORT("rdma_read_wrs", request_sent, requests, "RDMA READs"),
    PORT("rdma_read_bytes", request_sent, bytes, "bytes of RDMA READs"),
    PORT("rdma_read_wr_err", completion_error, requests, "RDMA READs that failed"),
    PORT("rdma_read_resp_bytes", traffic_sent, bytes, "bytes of READ responses"),
    PORT("rdma_write_wrs", request_sent, requests, "RDMA WRITEs"),
    PORT("rdma_write_bytes", request_sent, bytes, "bytes of RDMA WRITEs"),
    PORT("rdma_write_wr_err", completion_error, requests, "RDMA WRITEs that failed"),
    PORT("rdma_write_recv_bytes", request_received, bytes, "bytes of WRITEs received"),
    {"retrans_bytes", retransmitted, none, silent, bytes, N, "retrans", "", "bytes sent again",
     efa_doc, srd},
    {"retrans_pkts", retransmitted, none, silent, packets, N, "retrans", "", "packets sent again",
     efa_doc, srd},
    {"retrans_timeout_events", ack_timeout, none, silent, events, N, "retrans", "",
     "timeouts that changed the path", efa_doc, srd},
    {"impaired_remote_conn_events", congestion, none, silent, events, N, "retrans", "",
     "connections that became impaired and were slowed down", efa_doc, ""},
    {"unresponsive_remote_events", unresponsive_peer, none, silent, events, N, "retrans", "",
     "times that a remote end did not respond", efa_doc, ""},
    DEVICE("submitted_cmds", "commands to the device"),
    DEVICE("completed_cmds", "commands completed"),
    DEVICE("cmds_err", "commands that failed"),
    DEVICE("no_completion_cmds", "commands without an answer"),
    DEVICE("keep_alive_rcvd", "keep-alive events"),
    DEVICE("alloc_pd_err", "protection domains that could not be made"),
    DEVICE("create_qp_err", "queue pairs that could not be made"),
    DEVICE("create_cq_err", "completion queues that could not be made"),
    DEVICE("reg_mr_err", "memory that could not be registered"),
    DEVICE("alloc_ucontext_err", "contexts that could not be made"),
    DEVICE("create_ah_err", "address handles that could not be made"),
    DEVICE("mmap_err", "mappings that failed"),
};
#undef DEVICE
#undef PORT

// Kept in software by the driver (n_rc_timeouts and so on). Names of the hardware, per virtual lane
// or with ",32" at the end, are many and not here.
constexpr std::string_view hfi = "Linux hfi1/chip.c for the name, hfi1/rc.c for what is counted";
constexpr description hfi1[] = {
    {"RcResend", retransmitted, req, said, packets, N, "", "", "packets sent again", hfi, ""},
    {"RcTimeOut", ack_timeout, req, said, events, N, "", "", "retry timers that ran out", hfi, ""},
    {"SeqNak", sequence_nak_received, req, said, packets, N, "", "", "sequence-error NAKs received",
     hfi, "not proof of loss: reordering moves it too"},
    {"RcSeqNak", out_of_sequence, resp, said, events, N, "", "",
     "sequence errors that the responder answered with a NAK", hfi,
     "not NAKs received: those are SeqNak"},
    {"RcDupRew", duplicate_request, resp, said, packets, N, "", "",
     "requests received that had been seen before", hfi,
     "not lost requests: their acknowledgement was lost or late"},
    {"RnrNak", rnr_nak_received, req, said, packets, N, "", "", "receiver-not-ready NAKs received",
     hfi, "not fatal by itself"},
    {"RdmaSeq", implied_nak, req, said, events, N, "", "", "read responses out of sequence", hfi,
     ""},
    {"OtherNak", remote_invalid_request, req, said, packets, N, "", "",
     "NAKs for another reason: invalid request, access, operation", hfi, ""},
    {"PktDrop", drop, none, silent, packets, N, "", "", "packets dropped by the driver", hfi, ""},
    {"LoopPkts", traffic_sent, none, silent, packets, N, "", "", "packets looped back", hfi, ""},
    {"RcAcks", acknowledgement, none, silent, packets, N, "", "", "acknowledgements", hfi, ""},
    {"RcQacks", acknowledgement, none, silent, packets, N, "", "", "acknowledgements queued", hfi,
     ""},
    {"RcDelayComp", acknowledgement, none, silent, events, N, "", "", "completions delayed", hfi,
     ""},
    {"DmaWait", other, none, silent, events, N, "", "", "waits for send DMA", hfi, ""},
};

constexpr std::string_view cxgb = "Linux cxgb4/provider.c (name alone)";
#define TCP(n, c, text)                                                                            \
    {                                                                                              \
        n, c, none, silent, packets, N, "device", "", text, cxgb, ""                               \
    }
constexpr description cxgb4[] = {
    TCP("ip4InSegs", traffic_received, "TCP segments received, IPv4"),
    TCP("ip4OutSegs", traffic_sent, "TCP segments sent, IPv4"),
    TCP("ip4RetransSegs", retransmitted, "TCP segments sent again, IPv4"),
    TCP("ip4OutRsts", other, "TCP resets sent, IPv4"),
    TCP("ip6InSegs", traffic_received, "TCP segments received, IPv6"),
    TCP("ip6OutSegs", traffic_sent, "TCP segments sent, IPv6"),
    TCP("ip6RetransSegs", retransmitted, "TCP segments sent again, IPv6"),
    TCP("ip6OutRsts", other, "TCP resets sent, IPv6"),
};
#undef TCP
#undef N

} // namespace

std::span<const description> efa_rows()
{
    return efa;
}

std::span<const description> hfi1_rows()
{
    return hfi1;
}

std::span<const description> cxgb4_rows()
{
    return cxgb4;
}

} // namespace adp::counter
