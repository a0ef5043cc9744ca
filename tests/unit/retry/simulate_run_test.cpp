// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How a simulation is run and told of: seeds, threads, the short way, the trace, what it refuses.
#include "scenario.h"

#include "retry/model.h"

#include <algorithm>
#include <cerrno>
#include <random>
#include <thread>

namespace adp::retry::test {
namespace {

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
