// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// mlx4 (diag_basic, diag_ext, diag_device_only of mlx4/main.c): "rq" is the responder and "sq" the
// requester, says the commit that brought them. Values are 32 bits in firmware; what happens beyond
// is not known.
#include "counter/table.h"

namespace adp::counter {

namespace {

using namespace row;

constexpr std::string_view k2016 = "Linux commit 3f85f2aaabf7 (2016)";
constexpr std::string_view named = "Linux mlx4/main.c: name, and commit 3f85f2aaabf7 for the side";

#define D 32, unsure, count
constexpr description rows[] = {
    {"rq_num_lle", local_error, resp, said, events, D, "diag_basic", "4.8", "local length errors",
     k2016, ""},
    {"sq_num_lle", local_error, req, said, events, D, "diag_basic", "4.8", "local length errors",
     k2016, ""},
    {"rq_num_lqpoe", local_error, resp, said, events, D, "diag_basic", "4.8",
     "local queue pair operation errors", k2016, ""},
    {"sq_num_lqpoe", local_error, req, said, events, D, "diag_basic", "4.8",
     "local queue pair operation errors", k2016, ""},
    {"rq_num_lpe", local_error, resp, said, events, D, "diag_basic", "4.8",
     "local protection errors", k2016, ""},
    {"sq_num_lpe", local_error, req, said, events, D, "diag_basic", "4.8",
     "local protection errors", k2016, ""},
    {"rq_num_wrfe", completion_flushed, resp, said, events, D, "diag_basic", "4.8",
     "completions flushed", k2016, "follows another error or an orderly end"},
    {"sq_num_wrfe", completion_flushed, req, said, events, D, "diag_basic", "4.8",
     "completions flushed", k2016, "follows another error or an orderly end"},
    {"sq_num_mwbe", local_error, req, said, events, D, "diag_basic", "4.8",
     "memory window bind errors", k2016, ""},
    {"sq_num_bre", local_error, req, said, events, D, "diag_basic", "4.8", "bad response errors",
     k2016, ""},
    {"sq_num_rire", remote_invalid_request, req, said, events, D, "diag_basic", "4.8",
     "remote invalid request errors", k2016, "not helped by timeouts or retries"},
    {"rq_num_rire", remote_invalid_request, resp, said, events, D, "diag_basic", "4.8",
     "remote invalid request errors", k2016, ""},
    {"sq_num_rae", remote_access_error, req, said, events, D, "diag_basic", "4.8",
     "remote access errors", k2016, "not helped by timeouts or retries"},
    {"rq_num_rae", remote_access_error, resp, said, events, D, "diag_basic", "4.8",
     "remote access errors", k2016, ""},
    {"sq_num_roe", remote_operation_error, req, said, events, D, "diag_basic", "4.8",
     "remote operation errors", k2016, ""},
    {"sq_num_tree", transport_retries_exceeded, req, said, events, D, "diag_basic", "4.8",
     "transport retries spent: the queue pair is in error", k2016, ""},
    {"sq_num_rree", rnr_retries_exceeded, req, said, events, D, "diag_basic", "4.8",
     "receiver-not-ready retries spent: the queue pair is in error", k2016, ""},
    {"rq_num_rnr", rnr_nak_sent, resp, said, packets, D, "diag_basic", "4.8",
     "receiver-not-ready NAKs sent", k2016, ""},
    {"sq_num_rnr", rnr_nak_received, req, said, packets, D, "diag_basic", "4.8",
     "receiver-not-ready NAKs received", k2016, "not fatal: sq_num_rree is"},
    {"rq_num_oos", out_of_sequence, resp, said, events, D, "diag_basic", "4.8",
     "out-of-sequence requests received", k2016, "not proof of loss: reordering moves it too"},
    {"sq_num_oos", sequence_nak_received, req, said, events, D, "diag_basic", "4.8",
     "out-of-sequence NAKs received", k2016, "not proof of loss: reordering moves it too"},
    {"rq_num_dup", duplicate_request, resp, said, events, D, "diag_ext", "4.8",
     "requests received that had been executed before", k2016,
     "not lost requests: their acknowledgement was lost or late"},
    {"sq_num_to", ack_timeout, req, said, events, D, "diag_ext", "4.8",
     "acknowledgement timers that ran out", k2016, ""},
    {"num_cqovf", other, none, silent, events, D, "diag_device_only", "4.8",
     "completion queues that overflowed", named, ""},
    {"rq_num_udsdprd", no_receive_buffer, resp, said, packets, D, "diag_device_only", "4.8",
     "UD packets dropped silently for lack of a receive", named, ""},
};
#undef D

} // namespace

std::span<const description> mlx4_rows()
{
    return rows;
}

} // namespace adp::counter
