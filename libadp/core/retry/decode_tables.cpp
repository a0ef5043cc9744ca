// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Statuses: enum ibv_wc_status; texts: ib_wc_status_msg() of the kernel, ibv_wc_status_str() of
// libibverbs, ib_mlx5_log.c of UCX. Syndromes: mlx5 cq.c. Vendor syndromes: public logs only.
#include "retry/decode.h"

#include <algorithm>
#include <array>

namespace adp::retry {

namespace {

using enum error_class;

constexpr status_info status_table[] = {
    {0, "SUCCESS", "success", "", unknown, "no error"},
    {1, "LOC_LEN_ERR", "local length error", "Local length", local_memory,
     "a message did not fit the receive buffer, or a local length is wrong"},
    {2, "LOC_QP_OP_ERR", "local QP operation error", "Local QP operation", local_request,
     "the work request is inconsistent with the queue pair"},
    {3, "LOC_EEC_OP_ERR", "local EE context operation error", "", local_request,
     "end-to-end context, not used by anybody"},
    {4, "LOC_PROT_ERR", "local protection error", "Local protection", local_memory,
     "a local key, address or permission of a work request is wrong"},
    {5, "WR_FLUSH_ERR", "WR flushed", "Work Request Flushed Error", flushed,
     "the queue pair was already in the error state: another error came before"},
    {6, "MW_BIND_ERR", "memory management operation error", "Memory window bind", local_memory,
     "binding a memory window or changing a key failed"},
    {7, "BAD_RESP_ERR", "bad response error", "Bad response", remote_operation,
     "a response that cannot belong to the request"},
    {8, "LOC_ACCESS_ERR", "local access error", "Local access", local_memory,
     "a local buffer could not be written for an arriving request or response"},
    {9, "REM_INV_REQ_ERR", "remote invalid request error", "invalid request error", remote_request,
     "the peer refused the request: length, opcode, or a receive buffer that is too small"},
    {10, "REM_ACCESS_ERR", "remote access error", "Remote access", remote_access,
     "the peer refused the address, remote key or permission"},
    {11, "REM_OP_ERR", "remote operation error", "Remote QP", remote_operation,
     "the peer could not carry the request out; the error is at the peer"},
    {12, "RETRY_EXC_ERR", "transport retry counter exceeded", "Transport retry count exceeded",
     transport_retry, "nothing came back until the requester gave up"},
    {13, "RNR_RETRY_EXC_ERR", "RNR retry counter exceeded", "Receive-no-ready retry count exceeded",
     rnr_retry, "the peer had no receive buffer rnr_retry times in a row"},
    {14, "LOC_RDD_VIOL_ERR", "local RDD violation error", "", local_request,
     "reliable datagram domain, not used by anybody"},
    {15, "REM_INV_RD_REQ_ERR", "remote invalid RD request", "", remote_request,
     "reliable datagram, not used by anybody"},
    {16, "REM_ABORT_ERR", "operation aborted", "aborted error", remote_operation,
     "the peer aborted the operation"},
    {17, "INV_EECN_ERR", "invalid EE context number", "", local_request,
     "end-to-end context, not used by anybody"},
    {18, "INV_EEC_STATE_ERR", "invalid EE context state", "", local_request,
     "end-to-end context, not used by anybody"},
    {19, "FATAL_ERR", "fatal error", "", device,
     "the transport cannot go on; the device may be lost"},
    {20, "RESP_TIMEOUT_ERR", "response timeout error", "", transport_retry,
     "no response came in time"},
    {21, "GENERAL_ERR", "general error", "", device, "an error without a status of its own"},
    {22, "TM_ERR", "TM error", "", local_request, "tag matching failed"},
    {23, "TM_RNDV_INCOMPLETE", "TM software rendezvous", "", local_request,
     "tag matching left the rendezvous to software"},
};

constexpr syndrome_info syndrome_table[] = {
    {0x01, 1, "LOCAL_LENGTH_ERR"},
    {0x02, 2, "LOCAL_QP_OP_ERR"},
    {0x04, 4, "LOCAL_PROT_ERR"},
    {0x05, 5, "WR_FLUSH_ERR"},
    {0x06, 6, "MW_BIND_ERR"},
    {0x10, 7, "BAD_RESP_ERR"},
    {0x11, 8, "LOCAL_ACCESS_ERR"},
    {0x12, 9, "REMOTE_INVAL_REQ_ERR"},
    {0x13, 10, "REMOTE_ACCESS_ERR"},
    {0x14, 11, "REMOTE_OP_ERR"},
    {0x15, 12, "TRANSPORT_RETRY_EXC_ERR"},
    {0x16, 13, "RNR_RETRY_EXC_ERR"},
    {0x22, 16, "REMOTE_ABORTED_ERR"},
};

constexpr vendor_info vendor_table[] = {
    {0x51, "local protection family: length, key or permission of a local buffer",
     "user reports with status 4"},
    {0x52, "local protection family: length, key or permission of a local buffer",
     "user reports with status 4"},
    {0x53, "local protection family: length, key or permission of a local buffer",
     "user reports with status 4"},
    {0x81, "transport retries spent", "user reports and a fault study, status 12"},
    {0x83, "no public meaning; seen with status 12 in place of the usual 0x81", "one user report"},
    {0x87, "RNR retries spent", "a fault study, status 13"},
    {0x88, "remote access refused", "a fault study, status 10"},
    {0x8a, "remote invalid request", "a fault study, status 9"},
    {0x8e, "seen in the kernel's line on a local length error", "one user report"},
    {0xf9, "flushed after another error", "user reports"},
};

using list = std::string_view;
constexpr list retry_next[] = {
    "is the peer alive, and did its own completion queue show an earlier error?",
    "did a link go down: port events in the kernel log, cumulative and longest down time",
    "adp statistic: local_ack_timeout_err, roce_adp_retrans, req_transport_retries_exceeded",
    "adp retry explain with its timeout and retry_cnt: was this time to error to be expected?",
    "loss on the way: out_of_sequence and packet_seq_err, switch drops, PFC and class of the "
    "traffic",
};
constexpr list rnr_next[] = {
    "the receiver: are receives posted in time (out_of_buffer at the peer)?",
    "rnr_retry below 7 without a shared receive queue; min_rnr_timer of the peer",
};
constexpr list memory_next[] = {
    "the memory registration: range, key, permission, lifetime (freed or registered anew?)",
    "GPU memory: is it registered with the device (peer memory or dma-buf)?",
    "no timeout and no count changes this",
};
constexpr list request_next[] = {
    "the work request: opcode, flags, state of the queue pair, inline size",
    "no timeout and no count changes this",
};
constexpr list access_next[] = {
    "the peer's registration: remote key, range, remote permissions, a key from before a reconnect",
    "no timeout and no count changes this",
};
constexpr list remote_request_next[] = {
    "the peer's receive buffer size and the operation's length; remote permissions of its queue "
    "pair",
    "queue pairs that die within milliseconds of their creation: the application's exchange of "
    "addresses and keys",
    "no timeout and no count changes this",
};
constexpr list remote_op_next[] = {
    "the peer's own log and completion queue: its error came first",
};
constexpr list flush_next[] = {
    "the first completion of this queue pair that is not a flush, here or at the peer",
};
constexpr list device_next[] = {
    "the kernel log: device errors, resets, health syndromes",
};
constexpr list firmware_next[] = {
    "adp dev: which access path, firmware version and capabilities",
    "the register and the fields that this firmware supports (adp accl show)",
};
constexpr list setup_next[] = {
    "adp -d dev show: which access paths the device has here, and why not the others",
    "the packages of the user space providers (ibverbs-providers, or those within libibverbs), in "
    "the container too",
    "no timeout and no count changes this",
};
constexpr list link_next[] = {
    "adp retry explain: is the longest down time within the queue pairs' time to error?",
    "after the port came back: does each queue pair's GID index still hold the same address?",
};

} // namespace

std::span<const status_info> statuses()
{
    return status_table;
}

const status_info *find_status(std::uint32_t status)
{
    return status < std::size(status_table) ? &status_table[status] : nullptr;
}

std::span<const syndrome_info> syndromes()
{
    return syndrome_table;
}

std::span<const vendor_info> vendor_syndromes()
{
    return vendor_table;
}

std::span<const std::string_view> next_checks(error_class c)
{
    switch (c) {
    case transport_retry: return retry_next;
    case rnr_retry: return rnr_next;
    case local_memory: return memory_next;
    case local_request: return request_next;
    case remote_access: return access_next;
    case remote_request: return remote_request_next;
    case remote_operation: return remote_op_next;
    case flushed: return flush_next;
    case device: return device_next;
    case firmware: return firmware_next;
    case link: return link_next;
    case setup: return setup_next;
    case unknown: break;
    }
    return {};
}

const char *error_class_name(error_class c)
{
    static constexpr std::array<const char *, 13> names = {
        "transport_retry",  "rnr_retry",     "local_memory",
        "local_request",    "remote_access", "remote_request",
        "remote_operation", "flushed",       "device",
        "firmware",         "link",          "setup",
        "unknown"};
    return names[std::min<std::size_t>(static_cast<std::size_t>(c), names.size() - 1)];
}

const char *error_role_name(error_role r)
{
    static constexpr std::array<const char *, 3> names = {"root", "consequence", "unclear"};
    return names[std::min<std::size_t>(static_cast<std::size_t>(r), names.size() - 1)];
}

} // namespace adp::retry
