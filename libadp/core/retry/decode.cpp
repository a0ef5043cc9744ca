// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From numbers to meaning; the reading of log lines is in decode_text.cpp.
#include "retry/decode.h"
#include "register/fw_status.h"

#include <array>
#include <charconv>

namespace adp::retry {

namespace {

std::string hex(std::uint32_t v)
{
    std::array<char, 9> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), v, 16).ptr;
    return "0x" + std::string(text.data(), end);
}

std::string hex32(std::uint32_t v)
{
    const std::string h = hex(v).substr(2);
    return "0x" + std::string(8 - h.size(), '0') + h;
}

const syndrome_info *find_syndrome(std::uint32_t syndrome)
{
    for (const syndrome_info &s : syndromes())
        if (s.syndrome == syndrome)
            return &s;
    return nullptr;
}

error_role role_of(error_class c)
{
    switch (c) {
    case error_class::flushed: return error_role::consequence;
    case error_class::remote_operation: // the peer's own error came first
    case error_class::unknown: return error_role::unclear;
    default: return error_role::root;
    }
}

void complete(decoded_error &e)
{
    e.role = role_of(e.kind);
    e.timeouts_help = e.kind == error_class::transport_retry || e.kind == error_class::rnr_retry;
    for (const std::string_view check : next_checks(e.kind))
        e.next.emplace_back(check);
}

} // namespace

decoded_error decode_numbers(std::optional<std::uint32_t> status,
                             std::optional<std::uint32_t> vendor,
                             std::optional<std::uint32_t> syndrome)
{
    decoded_error e;
    e.vendor = vendor;
    e.syndrome = syndrome;
    const syndrome_info *const s = syndrome ? find_syndrome(*syndrome) : nullptr;
    if (!status && s != nullptr)
        status = s->status;
    e.status = status;
    if (syndrome && s == nullptr && *syndrome != 0)
        e.notes.push_back("CQE syndrome " + hex(*syndrome) + " has no public meaning");
    if (s != nullptr && status && *status != s->status)
        e.notes.push_back("syndrome " + hex(*syndrome) + " (" + std::string(s->name) +
                          ") does not belong to status " + std::to_string(*status));
    const status_info *const known = status ? find_status(*status) : nullptr;
    if (known != nullptr) {
        e.kind = known->kind;
        e.name = "IBV_WC_" + std::string(known->name);
        e.meaning = known->meaning;
    } else if (status) {
        e.name = "status " + std::to_string(*status);
        e.meaning = "not a completion status that verbs know";
    }
    if (vendor && *vendor != 0) {
        const vendor_info *found = nullptr;
        for (const vendor_info &v : vendor_syndromes())
            if (v.vendor == *vendor)
                found = &v;
        if (found != nullptr)
            e.notes.push_back("vendor syndrome " + hex(*vendor) +
                              " (mlx5): " + std::string(found->meaning) + " [" +
                              std::string(found->source) + "]");
        else
            e.notes.push_back("vendor syndrome " + hex(*vendor) +
                              " has no public meaning; keep the number");
        if (!status && *vendor == 0xf9) {
            e.kind = error_class::flushed;
            e.meaning = find_status(5)->meaning;
        }
    }
    complete(e);
    if (e.kind == error_class::transport_retry)
        e.notes.push_back(
            "an application that goes on waiting after this does not look at its error "
            "completions; req_transport_retries_exceeded has moved all the same");
    return e;
}

std::optional<decoded_error> decode_cqe(std::span<const std::uint8_t> cqe)
{
    if (cqe.size() != 64)
        return std::nullopt;
    constexpr unsigned requester_error = 13;
    constexpr unsigned responder_error = 14;
    const unsigned opcode = cqe[63] >> 4;
    if (opcode != requester_error && opcode != responder_error)
        return std::nullopt; // not an error completion
    decoded_error e = decode_numbers(std::nullopt, cqe[54], cqe[55]);
    const std::uint32_t qpn = std::uint32_t{cqe[57]} << 16 | std::uint32_t{cqe[58]} << 8 | cqe[59];
    e.notes.insert(e.notes.begin(),
                   std::string(opcode == requester_error ? "requester" : "responder") +
                       "'s completion of queue pair " + hex(qpn) + ", work request " +
                       std::to_string(unsigned{cqe[60]} << 8 | cqe[61]));
    if (cqe[52] != 0 || cqe[53] != 0)
        e.notes.push_back("hardware syndrome " + hex(cqe[52]) + " type " + hex(cqe[53]) +
                          ": no public meaning");
    return e;
}

std::optional<decoded_error> decode_fw_answer(std::span<const std::uint8_t> answer)
{
    if (answer.size() < 8)
        return std::nullopt;
    decoded_error e;
    e.fw_status = answer[0];
    e.fw_syndrome = std::uint32_t{answer[4]} << 24 | std::uint32_t{answer[5]} << 16 |
                    std::uint32_t{answer[6]} << 8 | answer[7];
    e.kind = answer[0] == 0 ? error_class::unknown : error_class::firmware;
    const reg::fw_status_info *const s = reg::find_status(answer[0]);
    e.name = s != nullptr ? s->name : "firmware status " + hex(answer[0]);
    e.meaning = "firmware command: status " + hex(answer[0]) + " (" + reg::status_text(answer[0]) +
                "), syndrome " + hex32(*e.fw_syndrome);
    if (*e.fw_syndrome != 0)
        e.notes.push_back("firmware syndromes are not published; the vendor can read " +
                          hex32(*e.fw_syndrome));
    complete(e);
    return e;
}

} // namespace adp::retry
