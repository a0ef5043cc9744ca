// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// rxe: software, so its source says what it counts (rxe_comp.c is the requester, rxe_resp.c the
// responder). All are 64 bits.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view comp = "Linux rxe_comp.c";
constexpr std::string_view resp_c = "Linux rxe_resp.c";
constexpr std::string_view common = "Linux rxe (rxe_hw_counters.c and its users)";

#define N 64, wide, count
constexpr description rows[] = {
    {"sent_pkts", traffic_sent, none, silent, packets, N, "", "", "packets sent", common, ""},
    {"rcvd_pkts", traffic_received, none, silent, packets, N, "", "", "packets received", common,
     ""},
    {"duplicate_request", duplicate_request, resp, said, packets, N, "", "",
     "request packets received that had been seen before", resp_c,
     "not lost requests: their acknowledgement was lost or late, or the requester went back too "
     "far"},
    {"out_of_seq_request", out_of_sequence, resp, said, packets, N, "", "",
     "request packets received ahead of the expected one", resp_c,
     "not proof of loss: reordering moves it too"},
    {"rcvd_rnr_err", rnr_nak_received, req, said, packets, N, "", "",
     "receiver-not-ready NAKs received", comp, "not fatal: retry_rnr_exceeded_err is"},
    {"send_rnr_err", rnr_nak_sent, resp, said, packets, N, "", "", "receiver-not-ready NAKs sent",
     resp_c, ""},
    {"rcvd_seq_err", sequence_nak_received, req, said, packets, N, "", "",
     "sequence-error NAKs received", comp, "not proof of loss: reordering moves it too"},
    {"ack_deferred", acknowledgement, req, said, events, N, "", "",
     "the completer was handed to its task", comp,
     "not an error, and no deferred acknowledgement. Newer kernels do not have it"},
    {"retry_exceeded_err", transport_retries_exceeded, req, said, events, N, "", "",
     "retries spent: the queue pair is in error", comp,
     "never moves with retry_cnt 7: rxe then retries for ever"},
    {"retry_rnr_exceeded_err", rnr_retries_exceeded, req, said, events, N, "", "",
     "receiver-not-ready retries spent: the queue pair is in error", comp, ""},
    {"completer_retry_err", any_retry, req, said, events, N, "", "",
     "retries of any cause: timeout, NAK, missing response", comp,
     "not timeouts alone; moves on a slow machine without any loss"},
    {"send_err", other, none, silent, events, N, "", "", "packets that could not be sent", common,
     ""},
    {"link_downed", link_downed, none, silent, events, N, "", "", "times that the link went down",
     common, ""},
    {"rdma_sends", request_sent, req, said, requests, N, "", "", "sends completed", comp, ""},
    {"rdma_recvs", request_received, resp, said, requests, N, "", "", "receives completed", resp_c,
     ""},
};
#undef N

// Spellings of early kernels.
constexpr alias other_names[] = {
    {"out_of_sequence", "out_of_seq_request"},
    {"ack_deffered", "ack_deferred"},
};

} // namespace

std::span<const description> rxe_rows()
{
    return rows;
}

std::span<const alias> rxe_aliases()
{
    return other_names;
}

} // namespace adp::counter
