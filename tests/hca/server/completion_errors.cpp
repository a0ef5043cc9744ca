// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which counters a completion error moves. Meaning of the counters: the vendor's list of hw_counters
// and the kernel's counters.c. How far the retry counters move when a test injects an error is the
// model's: each unit of the budget is one expiry, and one retransmission when roce_adp_retrans_en is
// set.
#include "function.h"

#include "register/roce_accl.h"

namespace adp::hca {

namespace {

struct error_counter {
    std::uint8_t syndrome;
    std::string_view counter;
};
constexpr std::array table{
    error_counter{0x01, "req_local_length_error"},
    error_counter{0x02, "local_operation_error"},
    error_counter{0x04, "req_local_protection"},
    error_counter{0x05, "req_cqe_flush_error"},
    error_counter{0x06, "req_mw_binding"},
    error_counter{0x10, "req_bad_response"},
    error_counter{0x12, "req_remote_invalid_request"},
    error_counter{0x13, "req_remote_access_errors"},
    error_counter{0x14, "req_remote_operation_errors"},
    error_counter{0x15, "req_transport_retries_exceeded"},
    error_counter{0x16, "req_rnr_retries_exceeded"},
};
constexpr std::uint8_t transport_retries = 0x15;
constexpr std::uint8_t rnr_retries = 0x16;
constexpr std::uint32_t rnr_for_ever = 7;

} // namespace

void hca_function::count_completion(std::uint32_t set, fate end)
{
    const auto move = [&](std::string_view name) {
        if (const auto at = q_counter(name))
            counters.move(index, set, *at, 1);
    };
    move("req_cqe_error");
    for (const error_counter &one : table)
        if (one.syndrome == end.syndrome)
            move(one.counter);
}

void hca_function::count_error(std::uint32_t number, fate end)
{
    const view context = pairs.context(number);
    const std::uint32_t set = get_bits(context, qpc::counter_set_id);
    count_completion(set, end);
    if (end.syndrome == cqe_fate::flushed.syndrome)
        return;
    const auto move = [&](std::string_view name, std::uint32_t by) {
        if (const auto at = q_counter(name))
            counters.move(index, set, *at, by);
    };
    if (end.syndrome == transport_retries) {
        const std::uint32_t retries = get_bits(context, qpc::retry_count);
        move("local_ack_timeout_err", retries + 1);
        if (reg::get(firmware.accl, reg::accl_field(ADP_FIELD_ROCE_ADP_RETRANS_EN)) != 0) {
            move("roce_adp_retrans", retries);
            move("roce_adp_retrans_to", retries + 1);
        }
    }
    if (const std::uint32_t retries = get_bits(context, qpc::rnr_retry);
        end.syndrome == rnr_retries && retries != rnr_for_ever)
        move("rnr_nak_retry_err", retries + 1);
    pairs.fail(number);
}

} // namespace adp::hca
