// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "common.h"

#include "retry/encoding.h"
#include "retry/model.h"
#include "retry/simulate.h"

#include <algorithm>
#include <cerrno>
#include <random>
#include <thread>

namespace adp::retry::test {
namespace {

scenario base(const engine_config &c)
{
    scenario s;
    s.config = c;
    s.delay.rtt_ns = 10 * ns_per_us;
    s.traffic.gap_ns = ns_per_ms;
    s.traffic.packet_bytes = 1000;
    s.duration_ns = ns_per_s;
    return s;
}

tally run(const scenario &s)
{
    result<tally> t = simulate(s);
    EXPECT_TRUE(t) << (t ? "" : t.err().reason);
    return t ? *t : tally{};
}

bool same(const tally &a, const tally &b)
{
    const auto key = [](const tally &t) {
        std::vector<std::uint64_t> v = {t.qps,
                                        t.died,
                                        t.died_rnr,
                                        t.unfinished,
                                        t.messages,
                                        t.transmissions,
                                        t.retransmissions,
                                        t.spurious,
                                        t.bytes_sent,
                                        t.bytes_wasted,
                                        t.timer_events,
                                        t.naks,
                                        t.latency_sum_ns,
                                        t.latency_max_ns};
        std::vector<std::uint64_t> d = t.detection_ns, r = t.recovery_ns;
        std::sort(d.begin(), d.end());
        std::sort(r.begin(), r.end());
        v.insert(v.end(), d.begin(), d.end());
        v.insert(v.end(), r.begin(), r.end());
        return v;
    };
    return key(a) == key(b);
}

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

TEST(simulate, same_seed_same_result_on_any_number_of_threads)
{
    const adp_profile p = two_ranges();
    scenario s = base(config_of(model_id::profile, qp(14, 7), &p));
    s.qps = 101;
    s.loss.loss_ppb = 200'000'000;
    s.delay.jitter_ns = 100 * ns_per_us;
    s.outages = {{300 * ns_per_ms, 8 * ns_per_s}};
    s.traffic.start_spread_ns = 5 * ns_per_ms;
    s.config.options.delay_factor = 4;
    const tally whole = run(s);
    EXPECT_EQ(whole.qps, 101U);
    EXPECT_TRUE(same(whole, run(s)));
    const scenario ready = *prepare(s);
    for (const unsigned threads : {2U, 3U, 7U}) {
        std::vector<tally> parts(threads);
        std::vector<std::thread> pool;
        for (unsigned i = 0; i < threads; i++)
            pool.emplace_back([&, i] {
                const std::uint64_t first = 101 * i / threads;
                parts[i] = play(ready, first, 101 * (i + 1) / threads - first);
            });
        for (std::thread &t : pool)
            t.join();
        tally sum;
        for (unsigned i = threads; i-- > 0;) // in any order
            sum.merge(std::move(parts[i]));
        EXPECT_TRUE(same(whole, sum)) << threads;
    }
    s.seed = 2;
    EXPECT_FALSE(same(whole, run(s)));
}

// What is computed equals what is played: chance is spent alike, too.
TEST(simulate, computed_equals_played)
{
    std::mt19937_64 c(3);
    const auto pick = [&c](std::uint64_t least, std::uint64_t most) {
        return least + c() % (most - least + 1);
    };
    std::uint64_t died = 0;
    std::uint64_t recovered = 0;
    for (unsigned round = 0; round < 300; round++) {
        SCOPED_TRACE(round);
        adp_profile p = two_ranges();
        p.retx_total_timeout = static_cast<std::uint32_t>(pick(12, 18));
        p.timeout_init_low_bound = static_cast<std::uint32_t>(pick(2, 10));
        p.timeout_range[0].range_low_bound = p.timeout_init_low_bound;
        constexpr model_id all[] = {model_id::nominal,        model_id::ibta_min,
                                    model_id::ibta_max,       model_id::mlx5_default,
                                    model_id::mlx5_floor_off, model_id::rxe,
                                    model_id::profile,        model_id::profile};
        engine_options options;
        options.delay_factor = round % 3 == 0 ? static_cast<std::uint32_t>(pick(2, 4)) : 1;
        scenario s = base(config_of(
            all[c() % 8], qp(static_cast<unsigned>(pick(6, 12)), static_cast<unsigned>(pick(0, 6))),
            &p, {}, options));
        s.qps = 5;
        s.duration_ns = pick(1, 400) * ns_per_ms;
        s.delay.rtt_ns = pick(0, 100) * ns_per_us;
        s.traffic.gap_ns = pick(1, 2000) * ns_per_us;
        s.traffic.packets = static_cast<std::uint32_t>(pick(1, 5));
        s.traffic.messages = pick(0, 1) * pick(1, 100);
        s.traffic.start_spread_ns = pick(0, 3) * ns_per_ms;
        for (std::uint64_t i = pick(0, 3); i > 0; i--)
            s.outages.push_back({pick(0, 300) * ns_per_ms, pick(1, 60'000) * ns_per_us});
        if (pick(0, 5) == 0)
            s.outages.push_back({pick(0, 300) * ns_per_ms, never});
        for (std::uint64_t i = pick(0, 2); i > 0; i--)
            s.pauses.push_back({pick(0, 300) * ns_per_ms, pick(1, 20'000) * ns_per_us});
        if (pick(0, 3) == 0)
            s.not_ready.push_back({pick(0, 300) * ns_per_ms, pick(1, 5'000) * ns_per_us});
        const tally fast = run(s);
        s.play_every_event = true;
        const tally slow = run(s);
        ASSERT_TRUE(same(fast, slow));
        died += fast.died;
        recovered += fast.recovery_ns.size();
    }
    EXPECT_GT(died, 100U);
    EXPECT_GT(recovered, 50U);
}

// A fatal timer within a second outage sends nothing: the first one took the last copy.
TEST(simulate, detection_counts_from_the_outage_that_took_the_copy)
{
    for (const bool every : {false, true}) {
        // Copies at 0 and 8.39, the error at 16.78 ms.
        scenario s = base(config_of(model_id::ibta_min, qp(11, 1)));
        s.outages = {{0, 9 * ns_per_ms}, {15 * ns_per_ms, 10 * ns_per_ms}};
        s.play_every_event = every;
        const tally t = run(s);
        ASSERT_EQ(t.died, 1U);
        EXPECT_EQ(t.detection_ns[0], 2 * 8'388'608U);
    }
}

TEST(simulate, trace_tells_what_is_counted)
{
    scenario s = base(config_of(model_id::ibta_min, qp(10, 3)));
    s.outages = {{10 * ns_per_ms, never}};
    s.traffic.gap_ns = ns_per_ms;
    const scenario ready = *prepare(s);
    const std::vector<trace_event> events = trace(ready, 0, 1000);
    const tally t = play(ready, 0, 1);
    std::uint64_t sent = 0, acknowledged = 0, resent = 0;
    for (const trace_event &e : events) {
        sent += e.kind == trace_event::sent ? 1 : 0;
        acknowledged += e.kind == trace_event::acknowledged ? 1 : 0;
        resent += e.resent ? 1 : 0;
    }
    EXPECT_EQ(acknowledged, t.messages);
    EXPECT_EQ(sent, t.messages + 1);
    EXPECT_EQ(resent, t.retransmissions);
    EXPECT_EQ(events.back().status, 12);
    EXPECT_EQ(events.back().at_ns - events[events.size() - 5].at_ns, 4 * 4'194'304U);
    EXPECT_EQ(trace(ready, 0, 3).size(), 3U);
    EXPECT_STREQ(trace_name(trace_event::rnr_nak), "rnr_nak");
}

TEST(simulate, a_message_at_the_start_of_an_outage_is_lost)
{
    for (const bool every : {false, true}) {
        scenario s = base(config_of(model_id::ibta_min, qp(10, 3)));
        s.delay.rtt_ns = 0; // messages at 0, 1, 2 ... ms
        s.outages = {{10 * ns_per_ms, never}};
        s.play_every_event = every;
        const tally t = run(s);
        EXPECT_EQ(t.messages, 10U);
        EXPECT_EQ(t.died, 1U);
    }
}

TEST(simulate, a_timer_that_is_off_leaves_it_unfinished)
{
    scenario s = base(config_of(model_id::ibta_min, qp(0, 7)));
    s.outages = {{0, never}};
    const tally t = run(s);
    EXPECT_EQ(t.unfinished, 1U);
    EXPECT_EQ(t.died, 0U);
    // rxe and seven: endless copies, which nobody waits for.
    s.config = config_of(model_id::rxe, qp(10, 7));
    EXPECT_EQ(run(s).unfinished, 1U);
    s.play_every_event = true;
    s.max_events = 1000;
    EXPECT_EQ(run(s).unfinished, 1U);
}

TEST(simulate, bad_input)
{
    const scenario good = base(config_of(model_id::ibta_min, qp(10, 7)));
    const auto refused = [&](auto &&change, int code = EINVAL) {
        scenario s = good;
        change(s);
        const result<scenario> r = prepare(s);
        return !r && r.err().code == code && !r.err().reason.empty();
    };
    EXPECT_TRUE(prepare(good));
    EXPECT_TRUE(refused([](scenario &s) { s.qps = 0; }));
    EXPECT_TRUE(refused([](scenario &s) { s.duration_ns = 0; }));
    EXPECT_TRUE(refused([](scenario &s) { s.duration_ns = never; }));
    EXPECT_TRUE(refused([](scenario &s) { s.traffic.packets = 0; }));
    EXPECT_TRUE(refused([](scenario &s) { s.traffic.packets = 65537; }));
    EXPECT_TRUE(refused([](scenario &s) { s.traffic.packet_bytes = 0; }));
    EXPECT_TRUE(refused([](scenario &s) { s.loss.loss_ppb = one_ppb + 1; }));
    EXPECT_TRUE(refused([](scenario &s) { s.loss.enter_ppb = 1; }));
    EXPECT_TRUE(refused([](scenario &s) { s.outages = {{5, 0}}; }));
    EXPECT_TRUE(refused([](scenario &s) { s.outages = {{never, 5}}; }));
    EXPECT_TRUE(refused([](scenario &s) { s.pauses = {{5, never}}; }));
    EXPECT_TRUE(refused([](scenario &s) { s.delay.rtt_ns = never; }));
    EXPECT_TRUE(refused([](scenario &s) { s.delay.jitter_ns = never; }));
    EXPECT_TRUE(refused([](scenario &s) {
        s.delay.rtt_ns = 0;
        s.traffic.gap_ns = 0;
    }));
    EXPECT_TRUE(
        refused([](scenario &s) { s.config.options.max_packets = 3, s.traffic.packets = 4; }));
    // 10^9 queue pairs: refused, with the memory that they would take.
    EXPECT_TRUE(refused([](scenario &s) { s.qps = 1'000'000'000; }, ENOMEM));
    scenario huge = good;
    huge.qps = 1'000'000'000;
    EXPECT_NE(prepare(huge).err().reason.find("15258 MiB"), std::string::npos)
        << prepare(huge).err().reason;
    huge.qps = UINT64_MAX;
    EXPECT_EQ(prepare(huge).err().code, ENOMEM);
    EXPECT_LE(simulation_memory(1), 64U);
}

TEST(simulate, windows_are_joined)
{
    scenario s = base(config_of(model_id::ibta_min, qp(10, 7)));
    s.outages = {{50, 10}, {10, 20}, {25, 10}, {60, 5}, {100, never}, {200, 5}};
    const scenario r = *prepare(s);
    ASSERT_EQ(r.outages.size(), 3U);
    EXPECT_EQ(r.outages[0].start_ns, 10U);
    EXPECT_EQ(r.outages[0].length_ns, 25U);
    EXPECT_EQ(r.outages[1].start_ns, 50U);
    EXPECT_EQ(r.outages[1].length_ns, 15U);
    EXPECT_EQ(r.outages[2].length_ns, never);
}

TEST(simulate, distribution_by_nearest_rank)
{
    EXPECT_EQ(describe({}).count, 0U);
    const distribution one = describe({7});
    EXPECT_EQ(one.min + one.median + one.p99 + one.max, 28U);
    std::vector<std::uint64_t> v;
    for (std::uint64_t i = 200; i > 0; i--)
        v.push_back(i);
    const distribution d = describe(v);
    EXPECT_EQ(d.count, 200U);
    EXPECT_EQ(d.min, 1U);
    EXPECT_EQ(d.median, 100U);
    EXPECT_EQ(d.p99, 198U);
    EXPECT_EQ(d.max, 200U);
}

} // namespace
} // namespace adp::retry::test
