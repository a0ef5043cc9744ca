// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "common.h"

#include "retry/compare.h"
#include "retry/encoding.h"
#include "retry/plan.h"
#include "retry/simulate.h"

#include <algorithm>
#include <cerrno>

namespace adp::retry::test {
namespace {

plan made(const goals &g)
{
    result<plan> p = make_plan(g);
    EXPECT_TRUE(p) << (p ? "" : p.err().reason);
    return p ? *p : plan{};
}

const proposal *find(const plan &p, route r)
{
    for (const proposal &x : p.proposals)
        if (x.how == r)
            return &x;
    return nullptr;
}

bool says(const std::vector<note> &notes, trap t, const std::string &text)
{
    return std::any_of(notes.begin(), notes.end(), [&](const note &n) {
        return n.what == t && n.text.find(text) != std::string::npos;
    });
}

TEST(make_plan, r39_survive)
{
    goals g;
    g.survive_ns = 10 * ns_per_s;
    const plan ten = made(g);
    ASSERT_FALSE(ten.proposals.empty());
    EXPECT_EQ(ten.proposals[0].how, route::queue_pair);
    EXPECT_EQ(ten.proposals[0].qp.timeout, 19U);
    EXPECT_EQ(ten.proposals[0].qp.retry_cnt, 7U);
    EXPECT_EQ(ten.proposals[0].survives_ns, 15'032'385'536U);
    g.survive_ns = 60 * ns_per_s;
    const plan sixty = made(g);
    // 21 gives 60.13 s, a margin of 0.2 %: 22 is proposed and that is said.
    EXPECT_EQ(sixty.proposals[0].qp.timeout, 22U);
    EXPECT_TRUE(says(sixty.proposals[0].notes, trap::margin, "timeout 21 lives through 60.13 s"));
    EXPECT_TRUE(says(sixty.proposals[0].notes, trap::margin, "0.2 %"));
}

TEST(make_plan, r36_survive_228_seconds)
{
    goals g;
    g.survive_ns = 228 * ns_per_s;
    const plan p = made(g);
    EXPECT_EQ(p.proposals[0].qp.timeout, 23U);
    EXPECT_EQ(p.proposals[0].survives_ns, 240'518'168'576U);
    EXPECT_TRUE(says(p.proposals[0].notes, trap::info, "5.4 %"));
}

TEST(make_plan, r09_detect_against_pause)
{
    goals g;
    g.detect_ns = 20 * ns_per_ms;
    g.pause_ns = 50 * ns_per_ms;
    const plan p = made(g);
    EXPECT_TRUE(p.proposals.empty());
    ASSERT_EQ(p.conflicts.size(), 1U);
    EXPECT_EQ(p.conflicts[0].first, "detect 20 ms");
    EXPECT_EQ(p.conflicts[0].second, "pause 50 ms");
    EXPECT_NE(p.conflicts[0].text.find("timeout 9 (18.87 ms)"), std::string::npos)
        << p.conflicts[0].text;
    EXPECT_NE(p.conflicts[0].text.find("timeout 11 (75.5 ms)"), std::string::npos)
        << p.conflicts[0].text;
    // Detection alone: the floor has to go.
    g.pause_ns.reset();
    const plan alone = made(g);
    ASSERT_FALSE(alone.proposals.empty());
    EXPECT_EQ(alone.proposals[0].how, route::floor_off);
    EXPECT_EQ(alone.proposals[0].qp.timeout, 9U);
    EXPECT_LE(alone.proposals[0].detects_ns, 20 * ns_per_ms);
    EXPECT_EQ(std::count(alone.proposals[0].commands.begin(), alone.proposals[0].commands.end(),
                         "adp accl set DEV min_ack_timeout_limit_disabled 1"),
              1);
    // ... or, where it must not, a profile.
    g.may_switch_floor = false;
    const plan profile = made(g);
    ASSERT_FALSE(profile.proposals.empty());
    EXPECT_EQ(profile.proposals[0].how, route::profile);
    EXPECT_LE(profile.proposals[0].detects_ns, 20 * ns_per_ms);
}

TEST(make_plan, r28_long_round_trip)
{
    goals g;
    g.rtt_ns = 30 * ns_per_ms;
    g.current = qp(31, 7);
    const plan p = made(g);
    EXPECT_EQ(find(p, route::queue_pair), nullptr) << "the queue pair's timeout does not help";
    const proposal *profile = find(p, route::profile);
    ASSERT_NE(profile, nullptr);
    ASSERT_TRUE(profile->profile);
    EXPECT_EQ(profile->profile->timeout_range[0].range_low_bound, 14U) << "65.5 ms";
    EXPECT_EQ(profile->profile->timeout_init_low_bound, 14U);
    EXPECT_TRUE(says(profile->notes, trap::margin, "13 (32.77 ms)"));
    EXPECT_TRUE(says(profile->notes, trap::margin, "9.2 %"));
    const proposal *off = find(p, route::adp_off);
    ASSERT_NE(off, nullptr) << "the alternative";
    EXPECT_EQ(off->commands.back(), "adp profile disable DEV");
    EXPECT_TRUE(says(p.notes, trap::below_rtt, "30 ms"));
    EXPECT_EQ(adp_exponent(30 * ns_per_ms), 13U);
    EXPECT_EQ(adp_exponent(60 * ns_per_ms), 14U);
    EXPECT_EQ(adp_exponent(0), 0U);
}

TEST(make_plan, timeout_above_two_round_trips)
{
    goals g;
    g.rtt_ns = 40 * ns_per_ms;
    g.floor = floor_state::off;
    const plan p = made(g);
    ASSERT_NE(find(p, route::queue_pair), nullptr);
    EXPECT_EQ(find(p, route::queue_pair)->qp.timeout, 15U) << "14 is 67.1 ms, less than 80 ms";
    g.rtt_ns = 30 * ns_per_ms;
    EXPECT_TRUE(made(g).proposals[0].changes_nothing);
}

TEST(make_plan, survive_ten_report_in_thirty)
{
    goals g;
    g.survive_ns = 10 * ns_per_s;
    g.detect_ns = 30 * ns_per_s;
    const plan p = made(g);
    ASSERT_NE(find(p, route::queue_pair), nullptr);
    EXPECT_EQ(find(p, route::queue_pair)->qp.timeout, 19U) << "29.70 s by default firmware";
    ASSERT_NE(find(p, route::profile), nullptr);
    for (const proposal &x : p.proposals) {
        EXPECT_GE(x.survives_ns, 10 * ns_per_s) << route_name(x.how);
        EXPECT_LE(x.detects_ns, 30 * ns_per_s) << route_name(x.how);
        EXPECT_FALSE(x.proof.empty());
        EXPECT_FALSE(x.commands.empty());
    }
    // The simulator agrees, with late timers too.
    const proposal &profile = *find(p, route::profile);
    for (const bool dead_peer : {false, true}) {
        engine_options options;
        options.delay_factor = 4;
        scenario s;
        s.config = config_of(model_id::profile, profile.qp, &*profile.profile, {}, options);
        s.qps = 200;
        s.traffic.gap_ns = ns_per_ms;
        s.outages = {{ns_per_s, dead_peer ? never : 10 * ns_per_s}};
        s.duration_ns = 15 * ns_per_s;
        const tally t = *simulate(s);
        EXPECT_EQ(t.died, dead_peer ? 200U : 0U);
        if (dead_peer) {
            EXPECT_LE(describe(t.detection_ns).max, 30 * ns_per_s);
        }
    }
}

// A profile for a fast report outlives nearly as much as can be outlived within the time: with waits
// of 64 us and more, late by a factor of 4, a total of at least half the time is possible, and the last
// copy leaves at most four waits before it.
TEST(make_plan, a_fast_report_outlives_what_it_can)
{
    for (const std::uint64_t detect :
         {ns_per_ms, 20 * ns_per_ms, 100 * ns_per_ms, ns_per_s, 2 * ns_per_s}) {
        goals g;
        g.detect_ns = detect;
        const plan p = made(g);
        const proposal *const x = find(p, route::profile);
        ASSERT_NE(x, nullptr) << detect;
        EXPECT_LE(x->detects_ns, detect);
        EXPECT_GE(x->survives_ns, detect / 4) << detect;
        EXPECT_GE(x->proof[0].transmissions, 4U) << detect;
        if (const proposal *const qp_way = find(p, route::queue_pair)) {
            EXPECT_GE(x->survives_ns, qp_way->survives_ns) << detect;
        }
        // A lost packet in 10000 kills nobody.
        engine_options options;
        options.delay_factor = 4;
        scenario s;
        s.config = config_of(model_id::profile, x->qp, &*x->profile, {}, options);
        s.qps = 100;
        s.traffic.gap_ns = ns_per_ms;
        s.loss.loss_ppb = 100'000;
        s.duration_ns = 20 * ns_per_s;
        const tally t = *simulate(s);
        EXPECT_EQ(t.died, 0U) << detect;
        EXPECT_GT(t.retransmissions, 0U);
    }
    // Where there is no time for that no profile is offered, and it is said.
    goals g;
    g.detect_ns = 200 * ns_per_us;
    const plan p = made(g);
    EXPECT_EQ(find(p, route::profile), nullptr);
    EXPECT_TRUE(says(p.notes, trap::conflict, "no profile reports within 200 us"));
}

TEST(make_plan, no_proposal_hides_what_is_wrong_with_it)
{
    // Proposals without a time do not die of one packet either, whatever the present count is.
    goals g;
    g.rtt_ns = 5 * ns_per_ms;
    g.current = qp(14, 1);
    for (const proposal &x : made(g).proposals)
        EXPECT_NE(x.survives_ns, 0U) << route_name(x.how);
    g.current = qp(14, 0);
    for (const proposal &x : made(g).proposals)
        EXPECT_NE(x.survives_ns, 0U) << route_name(x.how);
    // Adaptive retransmission off was measured by nobody as a whole.
    g.rtt_ns = 30 * ns_per_ms;
    g.current = qp(31, 7);
    ASSERT_NE(find(made(g), route::adp_off), nullptr);
    EXPECT_TRUE(says(find(made(g), route::adp_off)->notes, trap::model_rule, "not measured"));
    // What the rules of profiles warn of: 1000 and more timers.
    goals slow;
    slow.survive_ns = 3000 * ns_per_s;
    slow.rtt_ns = ns_per_ms;
    slow.may_switch_floor = false;
    const plan p = made(slow);
    ASSERT_NE(find(p, route::profile), nullptr);
    EXPECT_TRUE(
        says(find(p, route::profile)->notes, trap::info, "timeouts, each a retransmission"));
    // The present setting stays, but with its trap.
    goals kept;
    kept.detect_ns = 3 * ns_per_s;
    kept.current = qp(14, 0);
    ASSERT_TRUE(made(kept).proposals[0].changes_nothing);
    EXPECT_TRUE(says(made(kept).proposals[0].notes, trap::zero_retries, "fatal"));
}

TEST(make_plan, a_timer_that_is_off_is_switched_on)
{
    goals g;
    g.survive_ns = ns_per_s;
    g.current = qp(0, 7);
    for (const proposal &x : made(g).proposals) {
        EXPECT_NE(x.qp.timeout, 0U) << route_name(x.how);
        EXPECT_NE(x.detects_ns, never) << route_name(x.how);
    }
}

TEST(make_plan, nothing_to_change)
{
    goals g;
    g.survive_ns = 5 * ns_per_s;
    g.current = qp(20, 7);
    const plan p = made(g);
    ASSERT_EQ(p.proposals.size(), 1U);
    EXPECT_TRUE(p.proposals[0].changes_nothing);
    EXPECT_TRUE(p.proposals[0].commands.empty());
    EXPECT_EQ(p.proposals[0].qp, g.current);
}

TEST(make_plan, other_devices_by_ibta)
{
    goals g;
    g.mlx5 = false;
    g.survive_ns = 10 * ns_per_s;
    const plan p = made(g);
    ASSERT_EQ(p.proposals.size(), 1U);
    EXPECT_EQ(p.proposals[0].qp.timeout, 19U);
    EXPECT_EQ(p.proposals[0].detects_ns, 8 * 4 * ack_timeout_ns(19)) << "up to 4 T each";
    g.detect_ns = 20 * ns_per_s;
    EXPECT_TRUE(made(g).proposals.empty());
    EXPECT_EQ(made(g).conflicts.size(), 1U);
}

TEST(make_plan, an_unknown_floor_is_both)
{
    goals g;
    g.detect_ns = 4 * ns_per_s;
    g.floor = floor_state::unknown;
    const plan p = made(g);
    ASSERT_NE(find(p, route::queue_pair), nullptr);
    EXPECT_LE(find(p, route::queue_pair)->detects_ns, 4 * ns_per_s);
    EXPECT_EQ(find(p, route::queue_pair)->proof.size(), 3U);
}

TEST(make_plan, loss_wants_retries)
{
    // 2 % of the round trips fail: eight copies in a row, 2.56e-14.
    EXPECT_EQ(all_lost_chance(10'000'000, 8), 25'600U);
    EXPECT_EQ(all_lost_chance(10'000'000, 1), 20'000'000'000'000'000U);
    EXPECT_EQ(all_lost_chance(0, 1), 0U);
    EXPECT_EQ(all_lost_chance(1'000'000'000, 5), 1'000'000'000'000'000'000U);
    goals g;
    g.survive_ns = ns_per_s;
    g.loss_ppb = 10'000'000;
    const plan p = made(g);
    ASSERT_NE(find(p, route::queue_pair), nullptr);
    EXPECT_EQ(find(p, route::queue_pair)->qp.retry_cnt, 7U);
}

TEST(make_plan, bad_goals)
{
    const auto refused = [](auto &&change) {
        goals g;
        change(g);
        const result<plan> p = make_plan(g);
        return !p && p.err().code == EINVAL && !p.err().reason.empty();
    };
    EXPECT_TRUE(refused([](goals &) {}));
    EXPECT_TRUE(refused([](goals &g) { g.survive_ns = 0; }));
    EXPECT_TRUE(refused([](goals &g) { g.detect_ns = never; }));
    EXPECT_TRUE(refused([](goals &g) { g.loss_ppb = 600'000'000; }));
    EXPECT_TRUE(refused([](goals &g) {
        g.survive_ns = 5;
        g.current.timeout = 32;
    }));
    goals g;
    g.survive_ns = 40'000 * ns_per_s; // eleven hours: 31 gives 61572 s
    EXPECT_EQ(made(g).proposals[0].qp.timeout, 31U);
    g.survive_ns = 100'000 * ns_per_s;
    g.may_set_profile = false;
    const plan p = made(g);
    EXPECT_TRUE(p.proposals.empty());
    ASSERT_EQ(p.conflicts.size(), 1U);
    EXPECT_EQ(p.conflicts[0].second, "this device");
    g.survive_ns = 10 * ns_per_s;
    g.detect_ns = 5 * ns_per_s;
    EXPECT_TRUE(made(g).proposals.empty());
}

// Whatever is proposed keeps what was asked, and what is not proposed is explained.
TEST(make_plan, proposals_keep_their_promise)
{
    unsigned proposed = 0;
    unsigned conflicts = 0;
    for (const std::uint64_t survive : {std::uint64_t{0}, 20 * ns_per_ms, ns_per_s, 30 * ns_per_s})
        for (const std::uint64_t detect :
             {std::uint64_t{0}, 10 * ns_per_ms, 2 * ns_per_s, 90 * ns_per_s})
            for (const std::uint64_t rtt : {std::uint64_t{0}, 100 * ns_per_us, 5 * ns_per_ms})
                for (const floor_state floor : {floor_state::on, floor_state::off}) {
                    if (survive + detect + rtt == 0)
                        continue;
                    goals g;
                    g.floor = floor;
                    if (survive != 0)
                        g.survive_ns = survive;
                    if (detect != 0)
                        g.detect_ns = detect;
                    if (rtt != 0)
                        g.rtt_ns = rtt;
                    const plan p = made(g);
                    EXPECT_EQ(p.proposals.empty(), !p.conflicts.empty());
                    conflicts += p.conflicts.empty() ? 0 : 1;
                    for (const proposal &x : p.proposals) {
                        proposed++;
                        EXPECT_GE(x.survives_ns, survive);
                        if (detect != 0) {
                            EXPECT_LE(x.detects_ns, detect);
                        }
                        EXPECT_EQ(x.profile.has_value(), x.how == route::profile);
                        EXPECT_LE(x.qp.timeout, 31U);
                        EXPECT_GE(x.qp.retry_cnt, 1U);
                        if (rtt != 0 && x.profile) {
                            EXPECT_GE(std::uint64_t{4000}
                                          << x.profile->timeout_range[0].range_low_bound,
                                      2 * rtt);
                        }
                    }
                }
    EXPECT_GT(proposed, 60U);
    EXPECT_GT(conflicts, 5U);
}

TEST(compare, r13_factors)
{
    model_request a, b;
    a.qp = qp(14, 7);
    b.qp = qp(20, 7);
    const result<std::vector<comparison>> c = compare(a, b);
    ASSERT_TRUE(c);
    ASSERT_EQ(c->size(), 6U);
    EXPECT_EQ((*c)[0].ratio_milli, 64'000U) << "nominal";
    EXPECT_EQ((*c)[3].ratio_milli, 16'320U) << "default firmware: 16.3";
    EXPECT_EQ((*c)[5].ratio_milli, never) << "rxe never fails at 7";
    b.qp.timeout = 0;
    EXPECT_EQ((*compare(a, b))[0].ratio_milli, never);
    b.qp.timeout = 99;
    EXPECT_EQ(compare(a, b).err().code, EINVAL);
}

TEST(judge_outages, r34_and_r36)
{
    model_request q;
    q.qp = qp(18, 7);
    std::vector<std::uint64_t> flaps(10, ns_per_s);
    const result<std::vector<outage_report>> short_ones = judge_outages(q, flaps);
    ASSERT_TRUE(short_ones);
    for (const outage_report &r : *short_ones) {
        EXPECT_EQ(r.worst, verdict::survives) << info(r.answer.model).name;
        EXPECT_EQ(r.longest_ns, ns_per_s);
        EXPECT_EQ(r.cumulative_ns, 10 * ns_per_s);
    }
    flaps.push_back(10 * ns_per_s);
    const std::vector<outage_report> all = *judge_outages(q, flaps);
    EXPECT_EQ(all[0].worst, verdict::dies) << "nominal: 7.516 s";
    EXPECT_EQ(all[3].worst, verdict::survives) << "default firmware: 14.67 s";
    EXPECT_EQ(all[0].verdicts[3], verdict::survives);
    EXPECT_EQ(all[0].verdicts[10], verdict::dies);
    EXPECT_TRUE(says(all[0].notes, trap::not_measured, "measure"));
    // R36: 228 s with 14/7 and no error seen.
    q.qp = qp(14, 7);
    const std::uint64_t outage[] = {228 * ns_per_s};
    const std::vector<outage_report> r36 = *judge_outages(q, outage);
    EXPECT_EQ(r36[0].worst, verdict::dies);
    EXPECT_EQ(r36[3].worst, verdict::dies);
    EXPECT_TRUE(says(r36[3].notes, trap::info, "nobody polls"));
}

} // namespace
} // namespace adp::retry::test
