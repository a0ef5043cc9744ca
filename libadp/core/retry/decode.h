// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What an RDMA error means: a completion status, a vendor's syndrome, a dumped error completion, a
// firmware answer, or a log line of the kernel, UCX, NCCL and others as people paste it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::retry {

enum class error_class : std::uint8_t {
    transport_retry,  // nothing came back for too long
    rnr_retry,        // the peer had no receive buffer
    local_memory,     // length, key or permission of a local buffer
    local_request,    // the work request or the queue pair itself is wrong
    remote_access,    // the peer refused the address, key or permission
    remote_request,   // the peer refused the request
    remote_operation, // the peer failed while it carried it out
    flushed,          // follows another error
    device,           // the device or the driver
    firmware,         // a firmware command was refused
    link,             // a port event
    setup,            // the installation, or what the process may do
    unknown,
};
const char *error_class_name(error_class c); // "transport_retry"

enum class error_role : std::uint8_t { root, consequence, unclear };
const char *error_role_name(error_role r);

// One error found in a text.
struct decoded_error {
    std::string source;                    // the line or words it came from, at most 160 characters
    std::optional<std::uint32_t> status;   // ibv_wc_status
    std::optional<std::uint32_t> syndrome; // mlx5 CQE syndrome
    std::optional<std::uint32_t> vendor;   // vendor_err
    std::optional<std::uint32_t> fw_status; // of a firmware command
    std::optional<std::uint32_t> fw_syndrome;
    error_class kind = error_class::unknown;
    error_role role = error_role::unclear;
    std::string name; // "IBV_WC_RETRY_EXC_ERR"
    std::string meaning;
    bool timeouts_help = false;    // a larger timeout or count could change it
    std::vector<std::string> next; // what to look at, most useful first
    std::vector<std::string> notes;
};

struct decoded_text {
    std::vector<decoded_error> errors; // in the order of the text
    std::optional<std::size_t> root;   // the one to look at first
    std::string summary;               // one sentence; says so when nothing was recognised
};

// Never fails: what it does not know it leaves out. Reads at most the first megabyte.
decoded_text decode(std::string_view text);

// The same of words typed by somebody who asks: there "12", "error 12" and "12 129" are a completion's
// status and vendor error. In a text a bare number can be anything.
decoded_text decode_typed(std::string_view words);

// From numbers, any of them missing.
decoded_error decode_numbers(std::optional<std::uint32_t> status,
                             std::optional<std::uint32_t> vendor,
                             std::optional<std::uint32_t> syndrome);

// The 64 bytes of an mlx5 error completion (vendor syndrome at 54, syndrome at 55, ...).
std::optional<decoded_error> decode_cqe(std::span<const std::uint8_t> cqe);

// The first 8 bytes of a firmware command's answer, as on the wire: status, 3 reserved, syndrome.
std::optional<decoded_error> decode_fw_answer(std::span<const std::uint8_t> answer);

// ---- the tables, for listing ----------------------------------------------------------------

struct status_info {
    std::uint32_t status;
    std::string_view name;       // verbs, without IBV_WC_
    std::string_view text;       // as kernel or libibverbs print it
    std::string_view other_text; // where the two differ, or UCX's words; may be empty
    error_class kind;
    std::string_view meaning;
};
std::span<const status_info> statuses();
const status_info *find_status(std::uint32_t status);

struct syndrome_info {
    std::uint32_t syndrome; // mlx5 CQE
    std::uint32_t status;   // what verbs make of it
    std::string_view name;
};
std::span<const syndrome_info> syndromes();

struct vendor_info {
    std::uint32_t vendor;
    std::string_view meaning;
    std::string_view source;
};
std::span<const vendor_info> vendor_syndromes(); // mlx5, the few that public logs explain

// What to look at next for a class of errors.
std::span<const std::string_view> next_checks(error_class c);

} // namespace adp::retry
