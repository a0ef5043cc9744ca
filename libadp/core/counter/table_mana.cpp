// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// mana (mana/counters.c): the names say the side. Port counters first, then those of the device.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view code = "Linux mana/counters.c (name alone)";
constexpr std::string_view not_proof = "not proof of loss: reordering moves it too";

#define N 64, wide, count
#define ROW(n, c, s, b, u, text)                                                                   \
    {                                                                                              \
        n, c, s, b, u, N, "port", "6.15 (by its date)", text, code, ""                             \
    }
#define DEVICE(n, c, u, text)                                                                      \
    {                                                                                              \
        n, c, none, silent, u, N, "device", "", text, code, ""                                     \
    }
constexpr description rows[] = {
    ROW("requester_timeout", ack_timeout, req, said, events, "timeouts"),
    {"requester_oos_nak", sequence_nak_received, req, said, packets, N, "port",
     "6.15 (by its date)", "out-of-sequence NAKs received", code, not_proof},
    {"requester_rnr_nak", rnr_nak_received, req, said, packets, N, "port", "6.15 (by its date)",
     "receiver-not-ready NAKs received", code, "not fatal: requester_rnr_nak_retries_exceeded is"},
    ROW("responder_rnr_nak", rnr_nak_sent, resp, said, packets, "receiver-not-ready NAKs sent"),
    {"responder_oos", out_of_sequence, resp, said, packets, N, "port", "6.15 (by its date)",
     "requests received out of sequence", code, not_proof},
    ROW("responder_dup_request", duplicate_request, resp, said, packets,
        "requests received that had been executed before"),
    ROW("requester_implicit_nak", implied_nak, req, said, events, "implied NAKs"),
    ROW("requester_readresp_psn_mismatch", implied_nak, req, said, events,
        "read responses with an unexpected sequence number"),
    ROW("nak_inv_req", remote_invalid_request, none, silent, packets, "NAKs: invalid request"),
    ROW("nak_access_error", remote_access_error, none, silent, packets, "NAKs: access error"),
    ROW("nak_opp_error", remote_operation_error, none, silent, packets, "NAKs: operation error"),
    ROW("nak_inv_read", remote_invalid_request, none, silent, packets, "NAKs: invalid read"),
    ROW("responder_local_len_error", local_error, resp, said, events, "local length errors"),
    ROW("requestor_local_prot_error", local_error, req, said, events, "local protection errors"),
    ROW("responder_rem_access_error", remote_access_error, resp, said, events,
        "remote access errors that the responder found"),
    ROW("responder_local_qp_error", local_error, resp, said, events, "local queue pair errors"),
    ROW("responder_malformed_wqe", local_error, resp, said, events, "malformed work requests"),
    ROW("general_hw_error", other, none, silent, events, "errors of the hardware"),
    ROW("requester_rnr_nak_retries_exceeded", rnr_retries_exceeded, req, said, events,
        "receiver-not-ready retries spent: the queue pair is in error"),
    ROW("requester_retries_exceeded", transport_retries_exceeded, req, said, events,
        "transport retries spent: the queue pair is in error"),
    ROW("total_fatal_error", other, none, silent, events,
        "fatal errors; the sum of others, as its name says"),
    ROW("received_cnps", cnp_received, none, silent, packets, "congestion notifications received"),
    {"num_qps_congested", congestion, none, silent, objects, 64, wide, gauge, "port",
     "6.15 (by its date)", "queue pairs in congestion; counter or level is not said", code, ""},
    ROW("rate_inc_events", congestion, none, silent, events, "times that the rate was raised"),
    {"num_qps_recovered", congestion, none, silent, objects, 64, wide, gauge, "port",
     "6.15 (by its date)", "queue pairs recovered; counter or level is not said", code, ""},
    {"current_rate", congestion, none, silent, unsaid, 64, wide, gauge, "port",
     "6.15 (by its date)", "the rate at this moment", code, "a level, not a counter"},
    ROW("dup_rx_requests", duplicate_request, none, silent, packets,
        "repeated requests received; how it differs from responder_dup_request is not said"),
    ROW("tx_bytes", traffic_sent, none, silent, bytes, "bytes sent"),
    ROW("rx_bytes", traffic_received, none, silent, bytes, "bytes received"),
    ROW("rx_send_requests", request_received, resp, follows, requests, "SENDs received"),
    ROW("rx_write_requests", request_received, resp, follows, requests, "WRITEs received"),
    ROW("rx_read_requests", request_received, resp, follows, requests, "READs received"),
    ROW("tx_packets", traffic_sent, none, silent, packets, "packets sent"),
    ROW("rx_packets", traffic_received, none, silent, packets, "packets received"),

    DEVICE("sent_cnps", cnp_sent, packets, "congestion notifications sent"),
    DEVICE("received_ecns", ecn_marked, packets, "packets received with the congestion mark"),
    DEVICE("received_cnp_count", cnp_received, packets, "congestion notifications received"),
    DEVICE("qp_congested_events", congestion, events, "queue pairs that entered congestion"),
    DEVICE("qp_recovered_events", congestion, events, "queue pairs that left congestion"),
};
#undef DEVICE
#undef ROW
#undef N

} // namespace

std::span<const description> mana_rows()
{
    return rows;
}

} // namespace adp::counter
