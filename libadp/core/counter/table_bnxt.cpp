// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// bnxt_re, in the order of bnxt_re/hw_counters.c. A patch of Broadcom (2025-08-14) gives many counters
// the mlx5 names, and so does the vendor's own driver: aliases, and a vendor-made table of what equals
// what. The maintainers do not hold names stable.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view code = "Linux bnxt_re/hw_counters.c (name alone)";
constexpr std::string_view renamed =
    "Broadcom, RoCE related hardware counters update (2025-08-14): renamed to its mlx5 equivalent";
constexpr std::string_view out_of_tree = "Broadcom's own driver, hw_counters.c (name alone)";
constexpr std::string_view maybe_constant =
    "the name does not prove that the hardware fills it: it may stay 0";

#define N 64, wide, count
#define OBJECT(n, text)                                                                            \
    {                                                                                              \
        n, resource, none, silent, objects, 32, wide, gauge, "", "", text, code, ""                \
    }
#define ERROR(n, c, text)                                                                          \
    {                                                                                              \
        n, c, none, silent, events, N, "", "", text, code, ""                                      \
    }
constexpr description rows[] = {
    OBJECT("active_pds", "protection domains in use"),
    OBJECT("active_ahs", "address handles in use"),
    OBJECT("active_qps", "queue pairs in use"),
    OBJECT("active_srqs", "shared receive queues in use"),
    OBJECT("active_cqs", "completion queues in use"),
    OBJECT("active_mrs", "memory regions in use"),
    OBJECT("active_mws", "memory windows in use"),
    {"rx_pkts", traffic_received, none, silent, packets, N, "", "", "packets received", code, ""},
    {"rx_bytes", traffic_received, none, silent, bytes, N, "", "", "bytes received", code, ""},
    {"tx_pkts", traffic_sent, none, silent, packets, N, "", "", "packets sent", code, ""},
    {"tx_bytes", traffic_sent, none, silent, bytes, N, "", "", "bytes sent", code, ""},
    {"recoverable_errors", other, none, silent, unsaid, N, "", "",
     "not known: the driver reads it from the broadcast packets sent", code,
     "hardly an error count"},
    {"rx_roce_errors", drop, none, silent, packets, N, "", "", "packets received with an error",
     code, ""},
    {"rx_roce_discards", drop, none, silent, packets, N, "", "", "received packets discarded", code,
     ""},
    {"to_retransmits", ack_timeout, req, follows, events, N, "roce_stats", "",
     "retransmissions after a timeout", renamed, ""},
    {"seq_err_naks_rcvd", sequence_nak_received, req, follows, packets, N, "roce_stats", "",
     "sequence-error NAKs received", renamed, "not proof of loss: reordering moves it too"},
    {"max_retry_exceeded", transport_retries_exceeded, req, follows, events, N, "roce_stats", "",
     "retries spent: the queue pair is in error", code, ""},
    {"rnr_naks_rcvd", rnr_nak_received, req, follows, packets, N, "roce_stats", "",
     "receiver-not-ready NAKs received", renamed, "not fatal by itself"},
    {"missing_resp", implied_nak, req, follows, events, N, "roce_stats", "",
     "a response was missing: an implied NAK", renamed, ""},
    ERROR("unrecoverable_err", other, "unrecoverable errors"),
    ERROR("bad_resp_err", local_error, "bad response errors"),
    ERROR("local_qp_op_err", local_error, "local queue pair operation errors"),
    ERROR("local_protection_err", local_error, "local protection errors"),
    ERROR("mem_mgmt_op_err", local_error, "memory management operation errors"),
    ERROR("remote_invalid_req_err", remote_invalid_request, "remote invalid request errors"),
    ERROR("remote_access_err", remote_access_error, "remote access errors"),
    ERROR("remote_op_err", remote_operation_error, "remote operation errors"),
    {"dup_req", duplicate_request, resp, follows, packets, N, "roce_stats", "",
     "requests received that had been executed before", renamed,
     "not lost requests: their acknowledgement was lost or late"},
    ERROR("res_exceed_max", other, "a message above the maximum"),
    ERROR("res_length_mismatch", other, "length mismatch"),
    ERROR("res_exceeds_wqe", other, "a message above its work request"),
    ERROR("res_opcode_err", other, "opcode errors"),
    ERROR("res_rx_invalid_rkey", other, "invalid remote key, receiving"),
    ERROR("res_rx_domain_err", other, "protection domain errors, receiving"),
    ERROR("res_rx_no_perm", other, "no permission, receiving"),
    ERROR("res_rx_range_err", other, "range errors, receiving"),
    ERROR("res_tx_invalid_rkey", other, "invalid remote key, sending"),
    ERROR("res_tx_domain_err", other, "protection domain errors, sending"),
    ERROR("res_tx_no_perm", other, "no permission, sending"),
    ERROR("res_tx_range_err", other, "range errors, sending"),
    ERROR("res_irrq_oflow", other, "inbound read request queue overflowed"),
    ERROR("res_unsup_opcode", other, "unsupported opcode"),
    ERROR("res_unaligned_atomic", other, "unaligned atomic"),
    ERROR("res_rem_inv_err", other, "remote invalidation errors"),
    ERROR("res_mem_err", other, "memory errors"),
    ERROR("res_srq_err", other, "shared receive queue errors"),
    ERROR("res_cmp_err", other, "completion errors"),
    ERROR("res_invalid_dup_rkey", other, "invalid remote key of a repeated request"),
    ERROR("res_wqe_format_err", other, "work request format errors"),
    ERROR("res_cq_load_err", other, "completion queue load errors"),
    ERROR("res_srq_load_err", other, "shared receive queue load errors"),
    ERROR("res_tx_pci_err", other, "PCI errors, sending"),
    ERROR("res_rx_pci_err", other, "PCI errors, receiving"),
    {"oos_drop_count", out_of_sequence, none, silent, packets, N, "roce_stats", "",
     "packets dropped because they were out of sequence", renamed,
     "not proof of loss: reordering moves it too"},
    {"tx_atomic_req", request_sent, req, follows, requests, N, "ext_stats", "", "ATOMIC requests",
     code, ""},
    {"tx_read_req", request_sent, req, follows, requests, N, "ext_stats", "", "READ requests", code,
     ""},
    {"tx_read_resp", traffic_sent, resp, follows, packets, N, "ext_stats", "", "READ responses",
     code, ""},
    {"tx_write_req", request_sent, req, follows, requests, N, "ext_stats", "", "WRITE requests",
     code, ""},
    {"tx_send_req", request_sent, req, follows, requests, N, "ext_stats", "", "SEND requests", code,
     ""},
    {"rx_atomic_req", request_received, resp, follows, requests, N, "ext_stats", "",
     "ATOMIC requests received", code, ""},
    {"rx_read_req", request_received, resp, follows, requests, N, "ext_stats", "",
     "READ requests received", code, ""},
    {"rx_read_resp", traffic_received, req, follows, packets, N, "ext_stats", "",
     "READ responses received", code, ""},
    {"rx_write_req", request_received, resp, follows, requests, N, "ext_stats", "",
     "WRITE requests received", code, ""},
    {"rx_send_req", request_received, resp, follows, requests, N, "ext_stats", "",
     "SEND requests received", code, ""},
    {"rx_roce_good_pkts", traffic_received, none, silent, packets, N, "ext_stats", "",
     "good RoCE packets received", code, ""},
    {"rx_roce_good_bytes", traffic_received, none, silent, bytes, N, "ext_stats", "",
     "good RoCE bytes received", code, ""},
    {"rx_out_of_buffer", no_receive_buffer, resp, follows, events, N, "ext_stats", "",
     "messages dropped because no receive was posted", renamed, ""},

    // Later names without an older one.
    {"np_cnp_pkts", cnp_sent, none, silent, packets, N, "", "2025 series",
     "congestion notifications sent", renamed, ""},
    {"np_cnp_sent", cnp_sent, none, silent, packets, N, "", "", "congestion notifications sent",
     out_of_tree, maybe_constant},
    {"rp_cnp_handled", cnp_handled, none, silent, packets, N, "", "2025 series",
     "congestion notifications handled", renamed, ""},
    {"rp_cnp_ignored", cnp_ignored, none, silent, packets, N, "", "",
     "congestion notifications ignored", out_of_tree, maybe_constant},
    {"np_ecn_marked_roce_packets", ecn_marked, none, silent, packets, N, "", "2025 series",
     "packets received with the congestion mark", renamed, ""},
    {"req_cqe_error", completion_error, req, said, events, N, "", "2025 series",
     "completions with an error at the requester", renamed, ""},
    {"resp_cqe_error", completion_error, resp, said, events, N, "", "2025 series",
     "completions with an error at the responder", renamed, ""},
    {"resp_remote_access_errors", remote_access_error, resp, said, events, N, "", "2025 series",
     "remote access errors that the responder found", renamed, ""},
    {"req_cqe_flush_error", completion_flushed, req, said, events, N, "", "",
     "flushed completions at the requester", out_of_tree, maybe_constant},
    {"resp_cqe_flush_error", completion_flushed, resp, said, events, N, "", "",
     "flushed completions at the responder", out_of_tree, maybe_constant},
    {"roce_adp_retrans", adaptive_retransmission, none, silent, events, N, "", "",
     "adaptive retransmissions", out_of_tree, maybe_constant},
    {"roce_adp_retrans_to", adaptive_timeout, none, silent, events, N, "", "",
     "timeouts through adaptive retransmission", out_of_tree, maybe_constant},
    {"roce_slow_restart", slow_restart, none, silent, events, N, "", "", "slow restarts",
     out_of_tree, maybe_constant},
    {"roce_slow_restart_cnps", slow_restart, none, silent, packets, N, "", "",
     "congestion notifications made by slow restart", out_of_tree, maybe_constant},
    {"roce_slow_restart_trans", slow_restart, none, silent, events, N, "", "",
     "changes of state to slow restart", out_of_tree, maybe_constant},
    {"rx_icrc_encapsulated", icrc_error, none, silent, packets, N, "", "",
     "packets received with a wrong ICRC", out_of_tree, maybe_constant},
};
#undef ERROR
#undef OBJECT
#undef N

constexpr alias other_names[] = {
    {"local_ack_timeout_err", "to_retransmits"},
    {"packet_seq_err", "seq_err_naks_rcvd"},
    {"implied_nak_seq_err", "missing_resp"},
    {"out_of_sequence", "oos_drop_count"},
    {"duplicate_request", "dup_req"},
    {"rnr_nak_retry_err", "rnr_naks_rcvd"},
    {"out_of_buffer", "rx_out_of_buffer"},
    {"rx_write_requests", "rx_write_req"},
    {"rx_read_requests", "rx_read_req"},
    {"rx_atomic_requests", "rx_atomic_req"},
    {"res_unaligned_atmeomic", "res_unaligned_atomic"}, // so spelled in one list
};

} // namespace

std::span<const description> bnxt_rows()
{
    return rows;
}

std::span<const alias> bnxt_aliases()
{
    return other_names;
}

} // namespace adp::counter
