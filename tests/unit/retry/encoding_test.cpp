// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/encoding.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace adp::retry {
namespace {

TEST(ack_timeout, values_of_the_facts)
{
    EXPECT_EQ(ack_timeout_ns(0), never);
    EXPECT_EQ(ack_timeout_ns(1), 8192U);
    EXPECT_EQ(ack_timeout_ns(14), 67'108'864U);
    EXPECT_EQ(ack_timeout_ns(16), 268'435'456U);
    EXPECT_EQ(ack_timeout_ns(17), 536'870'912U);
    EXPECT_EQ(ack_timeout_ns(18), 1'073'741'824U);
    EXPECT_EQ(ack_timeout_ns(20), 4'294'967'296U);
    EXPECT_EQ(ack_timeout_ns(22), 17'179'869'184U);
    EXPECT_EQ(ack_timeout_ns(31), 8'796'093'022'208U);
    EXPECT_EQ(ack_timeout_ns(32), never) << "masked to 0";
    EXPECT_EQ(ack_timeout_ns(60), ack_timeout_ns(28));
}

TEST(ack_timeout, code_of_a_time)
{
    EXPECT_EQ(ack_timeout_code(1, rounding::down), 1U);
    EXPECT_EQ(ack_timeout_code(8192, rounding::up), 1U);
    EXPECT_EQ(ack_timeout_code(8193, rounding::up), 2U);
    EXPECT_EQ(ack_timeout_code(8193, rounding::down), 1U);
    EXPECT_EQ(ack_timeout_code(ns_per_s, rounding::down), 17U);
    EXPECT_EQ(ack_timeout_code(ns_per_s, rounding::up), 18U);
    EXPECT_EQ(ack_timeout_code(long_time, rounding::down), 31U);
    EXPECT_EQ(ack_timeout_code(8'796'093'022'209U, rounding::up), std::nullopt);
}

TEST(ack_timeout, nearest_on_a_logarithmic_scale)
{
    // 4.096 us * 2^n * sqrt(2) lies between the neighbours: 11.585 us for n = 1.
    EXPECT_EQ(ack_timeout_code(11585, rounding::nearest_log2), 1U);
    EXPECT_EQ(ack_timeout_code(11586, rounding::nearest_log2), 2U);
    // n = 20: 6.074001 s.
    EXPECT_EQ(ack_timeout_code(6'074'000'999U, rounding::nearest_log2), 20U);
    EXPECT_EQ(ack_timeout_code(6'074'001'001U, rounding::nearest_log2), 21U);
    // n = 31: from 12439.55 s on it is 32, which UCX takes as no timer.
    EXPECT_EQ(ack_timeout_code(12'439'554'000'000U, rounding::nearest_log2), 31U);
    EXPECT_EQ(ack_timeout_code(12'439'555'000'000U, rounding::nearest_log2), std::nullopt);
    for (unsigned n = 1; n <= 31; n++)
        EXPECT_EQ(ack_timeout_code(ack_timeout_ns(n), rounding::nearest_log2), n);
}

TEST(rnr_timer, the_table)
{
    // IBTA's 32 values in microseconds, as UCX and the kernel have them.
    constexpr std::uint64_t us[32] = {655360, 10,    20,    30,     40,     60,     80,     120,
                                      160,    240,   320,   480,    640,    960,    1280,   1920,
                                      2560,   3840,  5120,  7680,   10240,  15360,  20480,  30720,
                                      40960,  61440, 81920, 122880, 163840, 245760, 327680, 491520};
    for (unsigned code = 0; code < 32; code++)
        EXPECT_EQ(rnr_timer_ns(code), us[code] * 1000) << code;
    EXPECT_EQ(rnr_timer_ns(33), rnr_timer_ns(1));
    // R92: 0.12 ms is code 7.
    EXPECT_EQ(rnr_timer_ns(7), 120'000U);
}

TEST(rnr_timer, rxe_differs_at_25_and_counts_jiffies)
{
    EXPECT_EQ(rxe_rnr_timer_ns(25, 0), 61'410'000U);
    EXPECT_EQ(rxe_rnr_timer_ns(24, 0), 40'960'000U);
    EXPECT_EQ(rxe_rnr_timer_ns(1, 4 * ns_per_ms), 4 * ns_per_ms);
    EXPECT_EQ(rxe_rnr_timer_ns(24, 4 * ns_per_ms), 44 * ns_per_ms);
}

TEST(rnr_timer, code_of_a_time)
{
    // R16: 1 ms is code 13 (0.96 ms) by the nearest, 14 (1.28 ms) by the shortest not below.
    EXPECT_EQ(rnr_timer_code(ns_per_ms, rounding::nearest_log2), 13U);
    EXPECT_EQ(rnr_timer_code(ns_per_ms, rounding::up), 14U);
    EXPECT_EQ(rnr_timer_code(ns_per_ms, rounding::down), 13U);
    EXPECT_EQ(rnr_timer_code(1'120'000, rounding::nearest_log2), 14U) << "the middle goes up";
    EXPECT_EQ(rnr_timer_code(1'119'999, rounding::nearest_log2), 13U);
    EXPECT_EQ(rnr_timer_code(0, rounding::nearest_log2), 1U);
    EXPECT_EQ(rnr_timer_code(0, rounding::down), 1U);
    EXPECT_EQ(rnr_timer_code(655'360'000, rounding::up), 0U) << "code 0 is the longest";
    EXPECT_EQ(rnr_timer_code(655'360'001, rounding::up), std::nullopt);
    EXPECT_EQ(rnr_timer_code(655'360'001, rounding::down), 0U);
    EXPECT_EQ(rnr_timer_code(10 * ns_per_s, rounding::nearest_log2), 0U);
    for (unsigned code = 0; code < 32; code++)
        for (const rounding how : {rounding::down, rounding::up, rounding::nearest_log2})
            EXPECT_EQ(rnr_timer_code(rnr_timer_ns(code), how), code);
}

TEST(rnr_timer, r42_gap_that_a_receiver_may_have)
{
    const rnr_gap small = tolerated_rnr_gap(1, 1);
    EXPECT_EQ(small.min_ns, 10'000U);
    EXPECT_EQ(small.max_ns, 20'000U);
    const rnr_gap endless = tolerated_rnr_gap(7, 12);
    EXPECT_EQ(endless.wait_ns, 640'000U);
    EXPECT_EQ(endless.min_ns, never);
    // Software device, rnr_retry 3 at timer 21: 46.08 ms and a little more measured.
    EXPECT_EQ(tolerated_rnr_gap(3, 21).min_ns, 46'080'000U);
}

TEST(rnr_timer, r41_dead_time)
{
    // 47 RNR NAKs of 655.36 ms: 30.8 s, the whole cell.
    EXPECT_EQ(47 * rnr_timer_ns(0), 30'801'920'000U);
}

TEST(rdma_cm, timeouts_of_the_facts)
{
    // With a CA ack delay of 16: 19 with the old lifetime, 18 with the new one.
    EXPECT_EQ(cm_timeout(16, cm_kernel::old_lifetime, {}), 19U);
    EXPECT_EQ(cm_timeout(16, cm_kernel::new_lifetime, {}), 18U);
    EXPECT_EQ(cm_timeout(16, cm_kernel::new_lifetime, 14), 14U);
    EXPECT_EQ(cm_timeout(16, cm_kernel::new_lifetime, 0), 0U);
}

TEST(rdma_cm, ack_timeout_against_its_definition)
{
    // 2 * 2^life + 2^delay, as the next power of two where the smaller is at least half of the
    // larger, else the larger.
    for (unsigned delay = 0; delay <= 31; delay++) {
        for (unsigned life = 0; life <= 40; life++) {
            const unsigned big = std::max(delay, life + 1);
            const unsigned small = std::min(delay, life + 1);
            const unsigned want = std::min(31U, big + (big - small <= 1 ? 1 : 0));
            EXPECT_EQ(cm_ack_timeout(delay, life), want) << delay << " " << life;
        }
    }
}

} // namespace
} // namespace adp::retry
