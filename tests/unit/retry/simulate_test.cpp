// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What happens to queue pairs: outages, pauses, loss, receivers without buffers.
#include "scenario.h"

#include "retry/encoding.h"
#include "retry/model.h"

namespace adp::retry::test {
namespace {

TEST(simulate, fair_weather_by_hand)
{
    scenario s = base(config_of(model_id::mlx5_default, qp(14, 7)));
    s.qps = 3;
    s.traffic.packets = 4;
    const tally t = run(s);
    // A message every 1.01 ms, the first at 0: ceil(1000 / 1.01) = 991 of each queue pair.
    EXPECT_EQ(t.messages, 3 * 991U);
    EXPECT_EQ(t.transmissions, 4 * 3 * 991U);
    EXPECT_EQ(t.bytes_sent, 1000 * t.transmissions);
    EXPECT_EQ(t.retransmissions + t.spurious + t.died + t.timer_events + t.naks + t.bytes_wasted,
              0U);
    EXPECT_EQ(t.latency_max_ns, 10'000U);
    EXPECT_EQ(t.latency_sum_ns, 3 * 991U * 10'000U);
    EXPECT_TRUE(t.detection_ns.empty());
    EXPECT_TRUE(t.recovery_ns.empty());
}

TEST(simulate, dead_peer_is_detected_after_the_time_to_error)
{
    for (const model_info &m : models()) {
        const adp_profile p = two_ranges();
        const qp_setting setting = qp(12, 6);
        scenario s = base(config_of(m.id, setting, &p));
        s.qps = 50;
        s.outages = {{0, never}};
        const tally t = run(s);
        EXPECT_EQ(t.died, 50U) << m.name;
        EXPECT_EQ(t.died_rnr, 0U);
        EXPECT_EQ(t.messages, 0U);
        const distribution d = describe(t.detection_ns);
        model_request q;
        q.qp = setting;
        q.profile = &p;
        q.readings.max_delay_factor = 1;
        const model_answer a = *time_to_error(m.id, q);
        EXPECT_GE(d.min, a.min_ns == a.nominal_ns ? a.min_ns : a.min_ns - 1) << m.name;
        EXPECT_LE(d.max, a.max_ns) << m.name;
        EXPECT_EQ(t.transmissions, 50 * a.transmissions) << m.name;
        EXPECT_EQ(t.bytes_wasted, 1000 * t.retransmissions);
    }
}

TEST(simulate, r34_flaps_count_does_not_matter_length_does)
{
    const auto rows = read_fixture("flaps.txt");
    std::vector<window> short_ones, long_one;
    for (const auto &row : rows) {
        if (row[0] == "timeout" || row[0] == "retry")
            continue;
        const window w{std::stoull(row[0]) * ns_per_s, std::stoull(row[1]) * ns_per_s};
        (w.length_ns > 5 * ns_per_s ? long_one : short_ones).push_back(w);
    }
    ASSERT_EQ(short_ones.size(), 10U);
    ASSERT_EQ(long_one.size(), 1U);
    const auto dead = [](model_id m, const std::vector<window> &outages) {
        scenario s = base(config_of(m, qp(18, 7)));
        s.qps = 100;
        s.traffic.start_spread_ns = ns_per_ms;
        s.outages = outages;
        s.duration_ns = 4000 * ns_per_s;
        return run(s).died;
    };
    EXPECT_EQ(dead(model_id::nominal, short_ones), 0U);
    EXPECT_EQ(dead(model_id::nominal, long_one), 100U);
    EXPECT_EQ(dead(model_id::mlx5_default, short_ones), 0U);
    EXPECT_EQ(dead(model_id::mlx5_default, long_one), 0U) << "14.67 s: it depends on the device";
}

TEST(simulate, recovery_is_the_rest_of_the_wait)
{
    // ibta_min, timeout 10: copies at 4.194, 8.389, 12.583 ms ... after the first lost packet.
    scenario s = base(config_of(model_id::ibta_min, qp(10, 7)));
    s.outages = {{100 * ns_per_ms, 10 * ns_per_ms}};
    s.traffic.gap_ns = 0;
    const tally t = run(s);
    EXPECT_EQ(t.died, 0U);
    ASSERT_EQ(t.recovery_ns.size(), 1U);
    EXPECT_GE(t.recovery_ns[0], 2'583'000U - 20'000U);
    EXPECT_LE(t.recovery_ns[0], 2'583'000U + 20'000U);
    EXPECT_EQ(t.timer_events, 3U);
}

TEST(simulate, between_last_copy_and_error_an_outage_kills)
{
    // nominal 14/7: last copy after 402.7 ms, error after 469.8 ms.
    const auto dies = [](std::uint64_t ms) {
        scenario s = base(config_of(model_id::nominal, qp(14, 7)));
        s.outages = {{0, ms * ns_per_ms}};
        return run(s).died == 1;
    };
    EXPECT_FALSE(dies(402));
    EXPECT_TRUE(dies(403));
    EXPECT_TRUE(dies(470));
}

TEST(simulate, r28_long_round_trip_is_repeated_by_default_firmware)
{
    const auto waste = [](const engine_config &c) {
        scenario s = base(c);
        s.delay.rtt_ns = 30 * ns_per_ms;
        s.qps = 20;
        return run(s);
    };
    const tally by_default = waste(config_of(model_id::mlx5_default, qp(31, 7)));
    EXPECT_EQ(by_default.died, 0U);
    EXPECT_GT(by_default.spurious, 0U) << "whatever the queue pair's timeout is";
    EXPECT_EQ(by_default.spurious, by_default.retransmissions) << "nothing was lost";
    adp_profile p = two_ranges();
    p.range_num = 1;
    p.timeout_init_low_bound = 14;
    p.timeout_range[0] = {14, 4, 1, 1, 0};
    EXPECT_EQ(waste(config_of(model_id::profile, qp(31, 7), &p)).retransmissions, 0U);
    p.timeout_init_low_bound = 12;
    p.timeout_range[0] = {12, 6, 1, 1, 0};
    EXPECT_GT(waste(config_of(model_id::profile, qp(31, 7), &p)).spurious, 0U);
}

TEST(simulate, r29_five_transmissions)
{
    const auto rows = read_fixture("delay40ms.txt");
    EXPECT_EQ(rows[0][1], "40");
    EXPECT_EQ(rows.back()[1], "5");
    adp_profile p = two_ranges();
    p.range_num = 1;
    p.timeout_init_low_bound = 9;
    p.timeout_range[0] = {9, 10, 1, 1, 0};
    scenario s = base(config_of(model_id::profile, qp(18, 7), &p));
    s.delay.rtt_ns = 40 * ns_per_ms;
    s.traffic.messages = 1;
    const tally t = run(s);
    EXPECT_EQ(t.transmissions, 5U);
    EXPECT_EQ(t.spurious, 4U);
    EXPECT_EQ(t.messages, 1U);
    EXPECT_EQ(t.latency_max_ns, 40 * ns_per_ms);
}

TEST(simulate, r23_order_of_mean_latencies)
{
    // The order only: 19 > 10 > 8, and 8 about 7.
    const auto mean = [](unsigned timeout, std::uint64_t loss_ppb) {
        scenario s = base(config_of(model_id::ibta_min, qp(timeout, 7)));
        s.loss.loss_ppb = loss_ppb;
        s.delay.rtt_ns = 150 * ns_per_us;
        s.traffic.gap_ns = 0;
        s.traffic.packets = 8;
        s.traffic.messages = 4000;
        s.duration_ns = 1000 * ns_per_s;
        s.qps = 50;
        const tally t = run(s);
        EXPECT_EQ(t.died, 0U);
        return t.latency_sum_ns / t.messages;
    };
    const std::uint64_t t19 = mean(19, 100'000), t10 = mean(10, 100'000), t8 = mean(8, 100'000),
                        t7 = mean(7, 100'000);
    EXPECT_GT(t19, t10);
    EXPECT_GT(t10, t8);
    EXPECT_GE(t8, t7);
    EXPECT_LT(t8 - t7, t8 / 100);
    const auto rows = read_fixture("loss-sweep.txt");
    EXPECT_EQ(rows.size(), 8U);
    for (std::size_t i = 4; i + 1 < rows.size(); i++) // the measurement at 1e-4 has the same order
        EXPECT_GT(std::stod(rows[i][2]), std::stod(rows[i + 1][2]) * 0.99);
}

TEST(simulate, r09_pause_kills_when_the_budget_is_shorter)
{
    const auto dead = [](unsigned timeout) {
        scenario s = base(config_of(model_id::mlx5_floor_off, qp(timeout, 7)));
        s.qps = 100;
        s.pauses = {{200 * ns_per_ms, 50 * ns_per_ms}};
        const tally t = run(s);
        EXPECT_EQ(t.qps, 100U);
        return t.died;
    };
    EXPECT_EQ(dead(9), 100U) << "18.9 ms";
    EXPECT_EQ(dead(10), 100U) << "37.7 ms";
    EXPECT_EQ(dead(11), 0U) << "75.5 ms";
}

TEST(simulate, pause_loses_nothing)
{
    scenario s = base(config_of(model_id::mlx5_default, qp(14, 7)));
    s.pauses = {{200 * ns_per_ms, 50 * ns_per_ms}};
    s.traffic.gap_ns = 0;
    const tally t = run(s);
    EXPECT_EQ(t.died, 0U);
    EXPECT_GT(t.retransmissions, 0U);
    EXPECT_GE(t.latency_max_ns, 50 * ns_per_ms - 20 * ns_per_us);
    EXPECT_LE(t.latency_max_ns, 50 * ns_per_ms + 20 * ns_per_us);
}

TEST(simulate, loss_in_the_middle_is_a_nak_loss_at_the_tail_a_timeout)
{
    scenario s = base(config_of(model_id::ibta_min, qp(14, 7)));
    s.loss.loss_ppb = 10'000'000; // 1 %
    s.traffic.packets = 64;
    s.traffic.messages = 200;
    s.duration_ns = 1000 * ns_per_s;
    s.qps = 10;
    const tally many = run(s);
    EXPECT_GT(many.naks, 10 * many.timer_events);
    s.traffic.packets = 1;
    const tally one = run(s);
    EXPECT_EQ(one.naks, 0U);
    EXPECT_GT(one.timer_events, 0U);
    // Two packets can be lost, each with 1 %: 2 % of 2000 messages and some again.
    EXPECT_NEAR(static_cast<double>(one.timer_events), 40, 25);
}

TEST(simulate, loss_has_its_rate)
{
    // A copy fails when it or its acknowledgement is lost: 1 - 0.9 * 0.9 = 19 % of the copies.
    scenario s = base(config_of(model_id::rxe, qp(8, 7))); // never gives up
    s.loss.loss_ppb = 100'000'000;
    s.traffic.gap_ns = 0;
    s.traffic.messages = 20'000;
    s.duration_ns = 10'000 * ns_per_s;
    s.qps = 2;
    const tally t = run(s);
    EXPECT_EQ(t.messages, 40'000U);
    EXPECT_NEAR(static_cast<double>(t.retransmissions) / static_cast<double>(t.transmissions), 0.19,
                0.01);
}

TEST(simulate, one_nak_for_a_gap)
{
    // Of two packets only the first can be missed before the second: one gap, so one NAK a message,
    // however often both are repeated.
    scenario s = base(config_of(model_id::rxe, qp(8, 7)));
    s.loss.loss_ppb = 500'000'000;
    s.traffic.packets = 2;
    s.traffic.messages = 1;
    std::uint64_t naks = 0;
    for (std::uint64_t seed = 0; seed < 3000; seed++) {
        s.seed = seed;
        const tally t = run(s);
        EXPECT_EQ(t.messages, 1U);
        ASSERT_LE(t.naks, 1U);
        naks += t.naks;
    }
    EXPECT_GT(naks, 100U);
}

TEST(simulate, what_arrives_with_the_timer_is_in_time)
{
    for (const bool every : {false, true}) {
        scenario s = base(config_of(model_id::ibta_min, qp(10, 7)));
        s.delay.rtt_ns = ack_timeout_ns(10);
        s.play_every_event = every;
        EXPECT_EQ(run(s).timer_events, 0U);
        s.delay.rtt_ns++;
        const tally late = run(s);
        EXPECT_GT(late.spurious, 0U);
        EXPECT_EQ(late.spurious, late.messages);
    }
}

TEST(simulate, bursty_loss_kills_more)
{
    // Good to bad 1 in 1000, bad to good 1 in 10, all lost while bad: 0.99 % of the packets; but a
    // bad state outlasts a repetition, so that deaths come in bursts.
    scenario s = base(config_of(model_id::ibta_min, qp(10, 3)));
    s.loss.enter_ppb = 1'000'000;
    s.loss.leave_ppb = 100'000'000;
    s.traffic.gap_ns = 0;
    s.traffic.messages = 2000;
    s.duration_ns = 10'000 * ns_per_s;
    s.qps = 200;
    const tally bursty = run(s);
    scenario u = s;
    u.loss = {};
    u.loss.loss_ppb = 9'900'990;
    const tally uniform = run(u);
    EXPECT_LT(uniform.died, 10U);
    EXPECT_GT(bursty.died, 100U);
}

TEST(simulate, r42_receiver_without_buffers)
{
    const auto dead = [](unsigned rnr_retry, unsigned timer, std::uint64_t gap_us) {
        qp_setting q = qp(14, 7);
        q.rnr_retry = rnr_retry;
        q.min_rnr_timer = timer;
        scenario s = base(config_of(model_id::mlx5_default, q));
        s.traffic.gap_ns = 0;
        s.not_ready = {{100 * ns_per_ms, gap_us * ns_per_us}};
        const tally t = run(s);
        EXPECT_EQ(t.died, t.died_rnr);
        return t.died == 1;
    };
    // 1 / 1: one wait of 10 us, on a path of 10 us; 12 / 7: never.
    EXPECT_TRUE(dead(1, 1, 100));
    EXPECT_FALSE(dead(1, 1, 5));
    EXPECT_FALSE(dead(7, 12, 400'000));
    EXPECT_TRUE(dead(3, 21, 100'000)) << "46.1 ms";
    EXPECT_FALSE(dead(3, 21, 40'000));
}

// By hand: a round trip of 10 us for each send, 0.64 ms (code 12) for each wait.
TEST(simulate, rnr_detection_counts_from_the_first_refusal)
{
    for (const model_id model : {model_id::ibta_min, model_id::mlx5_default, model_id::rxe}) {
        for (const unsigned waits : {0U, 1U, 3U, 6U}) {
            for (const bool every : {false, true}) {
                qp_setting q = qp(14, 6);
                q.rnr_retry = waits;
                scenario s = base(config_of(model, q));
                s.not_ready = {{100 * ns_per_ms, ns_per_s}};
                s.play_every_event = every;
                const tally t = run(s);
                ASSERT_EQ(t.detection_ns.size(), 1U);
                EXPECT_EQ(t.detection_ns[0], waits * 640'000U + (waits + 1) * 10'000U) << waits;
                EXPECT_EQ(t.died_rnr, 1U);
                EXPECT_TRUE(t.recovery_ns.empty());
            }
        }
    }
}

TEST(simulate, rnr_waits_that_are_outlived_are_a_recovery)
{
    // Sent at 0, 0.65 and 1.30 ms; the acknowledgement comes at 1.31 ms.
    scenario s = base(config_of(model_id::ibta_min, qp(14, 7)));
    s.not_ready = {{0, ns_per_ms}};
    tally t = run(s);
    EXPECT_EQ(t.died, 0U);
    ASSERT_EQ(t.recovery_ns.size(), 1U);
    EXPECT_EQ(t.recovery_ns[0], 310'000U);
    // A window that refuses nothing is none.
    s.not_ready = {{100 * ns_per_us, 100 * ns_per_us}};
    EXPECT_TRUE(run(s).recovery_ns.empty());
}

TEST(simulate, jitter_shapes)
{
    scenario s = base(config_of(model_id::mlx5_default, qp(14, 7)));
    s.delay.jitter_ns = 40 * ns_per_us;
    s.traffic.gap_ns = 0;
    s.traffic.messages = 20'000;
    s.duration_ns = 100 * ns_per_s;
    const tally uniform = run(s);
    EXPECT_LE(uniform.latency_max_ns, 50 * ns_per_us);
    EXPECT_NEAR(static_cast<double>(uniform.latency_sum_ns) / static_cast<double>(uniform.messages),
                30'000, 300);
    s.delay.jitter_shape = delay_model::tail;
    const tally tail = run(s);
    // Mean of whole part 1 and fraction 1/2: 60 us; 2^-14 of 20000 messages are over 14 times 40 us.
    EXPECT_NEAR(static_cast<double>(tail.latency_sum_ns) / static_cast<double>(tail.messages),
                70'000, 1500);
    EXPECT_GT(tail.latency_max_ns, 400 * ns_per_us);
}

} // namespace
} // namespace adp::retry::test
