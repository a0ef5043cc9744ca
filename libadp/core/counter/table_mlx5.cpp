// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// mlx5, in the order of the arrays of drivers/infiniband/hw/mlx5/counters.c. Vendor kernels order them
// otherwise: by name only. All Q counters are 32 bits in firmware and go on from 0; congestion, PPCNT
// and flow counters have 64.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view vendor =
    "NVIDIA enterprise support, Understanding mlx5 Linux Counters and Status Parameters (as "
    "node_exporter quotes it)";
constexpr std::string_view k2020 = "Linux commit d7fab916374c (2020)";
constexpr std::string_view k2024 = "Linux commit b339e0a39dc3 (2024)";
constexpr std::string_view k2021 = "Linux mlx5/counters.c, optional counters (2021)";
constexpr std::string_view k2025 = "Linux mlx5/counters.c, packets_op_cnts (2025)";

constexpr std::string_view not_loss =
    "not a count of lost packets; no source says what it does under adaptive routing or with "
    "out-of-order placement";
constexpr std::string_view inferred_sender =
    "no source names the side; the requester is inferred from one lab's report";

// Q counters of 32 bits.
#define Q 32, wraps, count
constexpr description rows[] = {
    {"rx_write_requests", request_received, resp, follows, requests, Q, "basic_q_cnts", "4.8",
     "RDMA WRITE requests received", vendor, "not bytes: mlx5 has no byte counter here"},
    {"rx_read_requests", request_received, resp, follows, requests, Q, "basic_q_cnts", "4.8",
     "RDMA READ requests received", vendor, ""},
    {"rx_atomic_requests", request_received, resp, follows, requests, Q, "basic_q_cnts", "4.8",
     "ATOMIC requests received", vendor, ""},
    {"rx_dct_connect", request_received, resp, follows, requests, Q, "basic_q_cnts",
     "6.6 (by its date)", "connection requests received by DCTs", vendor, ""},
    {"out_of_buffer", no_receive_buffer, resp, follows, events, Q, "basic_q_cnts", "4.8",
     "messages dropped because no receive was posted", vendor, "not packets lost on the way"},

    {"out_of_sequence", out_of_sequence, none, silent, packets, Q, "out_of_seq_q_cnts", "4.8",
     "packets received out of sequence", vendor,
     "not proof of loss: reordering moves it too. Mostly the responder, but read responses at the "
     "requester are not excluded by any source"},

    {"duplicate_request", duplicate_request, resp, follows, packets, Q, "retrans_q_cnts", "4.8",
     "requests received that had been executed before", vendor,
     "not lost requests: their acknowledgement was lost or late, or the requester resent too "
     "early"},
    {"rnr_nak_retry_err", rnr_nak_received, req, said, packets, Q, "retrans_q_cnts", "4.8",
     "receiver-not-ready NAKs received and retried", vendor,
     "not fatal and not retry exhaustion: that is req_rnr_retries_exceeded"},
    {"packet_seq_err", sequence_nak_received, req, said, packets, Q, "retrans_q_cnts", "4.8",
     "sequence-error NAKs received, retries left", vendor, not_loss},
    {"implied_nak_seq_err", implied_nak, req, said, events, Q, "retrans_q_cnts", "4.8",
     "an acknowledgement was ahead of an awaited read or atomic response", vendor,
     "not a NAK on the wire"},
    {"local_ack_timeout_err", ack_timeout, req, said, events, Q, "retrans_q_cnts", "4.8",
     "the acknowledgement timer of an RC, XRC or DC queue pair ran out, retries left", vendor,
     "not lost packets: one event may stand for many, or for a slow peer"},

    {"resp_local_length_error", local_error, resp, said, events, Q, "extended_err_cnts", "",
     "local length errors that the responder found", vendor, ""},
    {"resp_cqe_error", completion_error, resp, said, events, Q, "extended_err_cnts", "",
     "completions with an error at the responder", vendor,
     "not errors of the network: in public dumps it moves with resp_cqe_flush_error"},
    {"req_cqe_error", completion_error, req, said, events, Q, "extended_err_cnts", "",
     "completions with an error at the requester", vendor, ""},
    {"req_remote_invalid_request", remote_invalid_request, req, said, events, Q,
     "extended_err_cnts", "", "remote invalid request errors that the requester was told", vendor,
     "not helped by timeouts or retries"},
    {"req_remote_access_errors", remote_access_error, req, said, events, Q, "extended_err_cnts", "",
     "remote access errors that the requester was told", vendor,
     "not helped by timeouts or retries"},
    {"resp_remote_access_errors", remote_access_error, resp, said, events, Q, "extended_err_cnts",
     "", "remote access errors that the responder found", vendor, ""},
    {"resp_cqe_flush_error", completion_flushed, resp, said, events, Q, "extended_err_cnts", "",
     "flushed completions at the responder", vendor, "follows another error or an orderly end"},
    {"req_cqe_flush_error", completion_flushed, req, said, events, Q, "extended_err_cnts", "",
     "flushed completions at the requester", vendor, "follows another error or an orderly end"},
    {"req_transport_retries_exceeded", transport_retries_exceeded, req, said, events, Q,
     "extended_err_cnts", "6.11 (by its date)",
     "the requester gave up: transport retries spent, the queue pair is in error", k2024, ""},
    {"req_rnr_retries_exceeded", rnr_retries_exceeded, req, said, events, Q, "extended_err_cnts",
     "6.11 (by its date)",
     "the requester gave up: receiver-not-ready retries spent, the queue pair is in error", k2024,
     ""},

    {"roce_adp_retrans", adaptive_retransmission, none, silent, events, Q, "roce_accl_cnts", "5.6",
     "adaptive retransmissions of RoCE traffic", k2020, inferred_sender},
    {"roce_adp_retrans_to", adaptive_timeout, none, silent, events, Q, "roce_accl_cnts", "5.6",
     "times that RoCE traffic ran into a timeout through adaptive retransmission", k2020,
     inferred_sender},
    {"roce_slow_restart", slow_restart, none, silent, events, Q, "roce_accl_cnts", "5.6",
     "times that RoCE slow restart was used", k2020, inferred_sender},
    {"roce_slow_restart_cnps", slow_restart, none, silent, packets, Q, "roce_accl_cnts", "5.6",
     "congestion notifications made by RoCE slow restart", k2020, inferred_sender},
    {"roce_slow_restart_trans", slow_restart, none, silent, events, Q, "roce_accl_cnts", "5.6",
     "changes of state to slow restart", k2020, inferred_sender},

    {"rp_cnp_ignored", cnp_ignored, none, silent, packets, 64, wide, count, "cong_cnts", "",
     "congestion notifications received and ignored: reaction point, the sender of data", vendor,
     "moves when congestion control is off on this port"},
    {"rp_cnp_handled", cnp_handled, none, silent, packets, 64, wide, count, "cong_cnts", "",
     "congestion notifications that lowered the rate: reaction point, the sender of data", vendor,
     ""},
    {"np_ecn_marked_roce_packets", ecn_marked, none, silent, packets, 64, wide, count, "cong_cnts",
     "", "RoCE packets received with the congestion mark: notification point, the receiver of data",
     vendor, "some devices send notifications and leave this at 0"},
    {"np_cnp_sent", cnp_sent, none, silent, packets, 64, wide, count, "cong_cnts", "",
     "congestion notifications sent: notification point, the receiver of data", vendor, ""},

    {"rx_icrc_encapsulated", icrc_error, none, silent, packets, 64, wide, count, "ext_ppcnt_cnts",
     "4.19", "RoCE packets received with a wrong ICRC", vendor, ""},

    {"cc_rx_ce_pkts", ecn_marked, none, silent, packets, 64, wide, count, "basic_op_cnts", "5.16",
     "packets received with the congestion mark", k2021, ""},
    {"cc_rx_cnp_pkts", cnp_received, none, silent, packets, 64, wide, count, "rdmarx_cnp_op_cnts",
     "5.16", "congestion notifications received", k2021, ""},
    {"cc_tx_cnp_pkts", cnp_sent, none, silent, packets, 64, wide, count, "rdmatx_cnp_op_cnts",
     "5.16", "congestion notifications sent", k2021, ""},
    {"rdma_tx_packets", traffic_sent, none, silent, packets, 64, wide, count, "packets_op_cnts",
     "6.15 (as reported)", "RDMA packets sent", k2025, ""},
    {"rdma_tx_bytes", traffic_sent, none, silent, bytes, 64, wide, count, "packets_op_cnts",
     "6.15 (as reported)", "RDMA bytes sent", k2025, ""},
    {"rdma_rx_packets", traffic_received, none, silent, packets, 64, wide, count, "packets_op_cnts",
     "6.15 (as reported)", "RDMA packets received", k2025, ""},
    {"rdma_rx_bytes", traffic_received, none, silent, bytes, 64, wide, count, "packets_op_cnts",
     "6.15 (as reported)", "RDMA bytes received", k2025, ""},
};
#undef Q

} // namespace

std::span<const description> mlx5_rows()
{
    return rows;
}

} // namespace adp::counter
