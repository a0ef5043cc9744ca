// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Checks a profile, sets it and reads it back, in C++.
//
//   c++ -std=c++17 set.cpp $(pkg-config --cflags --libs libadp) -o set && ./set sim0
#include <adp/adp.hpp>

#include <cstdint>
#include <iostream>

int main(int argc, char **argv)
{
    // First retransmission after 32 ms or 64 ms, for a path with a round trip of 10 ms; then
    // 64 ms to 512 ms, four times each; the queue pair fails after 4 ms << 10 = 4.2 s.
    adp_profile profile{};
    profile.fields = ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID);
    profile.adp_retx_profile_id = 1;
    const auto set = [&profile](std::uint32_t field, std::uint32_t &member, std::uint32_t value) {
        member = value;
        profile.fields |= ADP_FIELD_BIT(field);
    };
    adp_timeout_range &range = profile.timeout_range[0];
    set(ADP_FIELD_TIME_BASE, profile.time_base, 4096);
    set(ADP_FIELD_TIME_UNIT, profile.time_unit, 1);
    set(ADP_FIELD_RANGE_NUM, profile.range_num, 1);
    set(ADP_FIELD_START_RANGE_INDEX, profile.start_range_index, 0);
    set(ADP_FIELD_QP_TOTAL_TIMEOUT, profile.qp_total_timeout, 0);
    set(ADP_FIELD_RETX_TOTAL_TIMEOUT, profile.retx_total_timeout, 10);
    set(ADP_FIELD_TIMEOUT_INIT_LOW_BOUND, profile.timeout_init_low_bound, 3);
    set(ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE, profile.timeout_init_range_size, 2);
    set(ADP_FIELD_RANGE_LOW_BOUND_0, range.range_low_bound, 3);
    set(ADP_FIELD_RANGE_SIZE_0, range.range_size, 4);
    set(ADP_FIELD_TIMEOUT_RETRY_NUM_0, range.timeout_retry_num, 4);
    set(ADP_FIELD_DEC_MODE_0, range.dec_mode, 1);
    set(ADP_FIELD_PREV_RANGE_INDEX_0, range.prev_range_index, 0);

    const adp::findings findings{profile};
    for (const adp_finding &f : findings)
        std::cout << (f.is_error ? "error: " : "warning: ") << f.field << ' ' << f.value << ": "
                  << f.rule << '\n';
    if (!findings.ok())
        return 1;

    std::error_code ec;
    adp::context device = adp::context::open(argc > 1 ? argv[1] : "sim0", ec);
    adp_set_result result{};
    if (!ec)
        ec = device.set_profile(profile, ADP_SET_LEAVE_DEFAULT, result);
    if (ec) {
        std::cerr << ec.message() << ": " << adp_get_error() << '\n';
        return 1;
    }
    std::cout << "set over " << device.path() << " with " << result.commands
              << " firmware commands\n";
    return 0;
}
