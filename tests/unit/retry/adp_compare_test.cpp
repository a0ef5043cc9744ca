// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The engine under a profile against the plain second coding, event by event, over thousands of
// random profiles, readings and streams of events; and stretches that are computed against the same
// stretches played.
#include "common.h"

#include "adp_naive.h"

#include "retry/encoding.h"

#include <random>

namespace adp::retry::test {
namespace {

using chance = std::mt19937_64;

unsigned pick(chance &c, unsigned least, unsigned most)
{
    return least + static_cast<unsigned>(c() % (most - least + 1));
}

// Anything that can be run, sensible or not.
adp_profile random_profile(chance &c)
{
    adp_profile p{};
    p.time_unit = 1;
    p.time_base = pick(c, 0, 3) != 0 ? 1U << pick(c, 2, 9) : pick(c, 1, 3000);
    p.range_num = pick(c, 1, 4);
    p.start_range_index = pick(c, 0, p.range_num - 1);
    p.qp_total_timeout = pick(c, 0, 1);
    p.retx_total_timeout = pick(c, 0, 24);
    p.timeout_init_low_bound = pick(c, 0, 12);
    p.timeout_init_range_size = pick(c, 0, 5);
    unsigned low = pick(c, 0, 6);
    for (unsigned i = 0; i < p.range_num; i++) {
        const bool tidy = pick(c, 0, 4) != 0;
        p.timeout_range[i].range_low_bound = tidy ? low : pick(c, 0, 14);
        p.timeout_range[i].range_size = pick(c, 0, 4);
        p.timeout_range[i].timeout_retry_num = pick(c, 0, 4);
        p.timeout_range[i].dec_mode = pick(c, 0, 3);
        p.timeout_range[i].prev_range_index = pick(c, 0, 7);
        low += pick(c, 1, 4);
    }
    return p;
}

adp_readings random_readings(chance &c)
{
    adp_readings r;
    for (const reading_info &info : readings())
        if (pick(c, 0, 4) == 0 && info.max <= 4)
            r.*info.member = pick(c, info.min, info.max);
    if (pick(c, 0, 9) == 0)
        r.floor_ns = pick(c, 0, 50000);
    r.draw_when_idle = 0; // its draws are the library's own; reading_test has it
    r.max_delay_factor = 4;
    r.applies_to_running = 1;
    return r;
}

struct world {
    explicit world(std::uint64_t seed)
        : c(seed), profile(random_profile(c)), knobs(random_readings(c)),
          setting(qp(pick(c, 1, 20), pick(c, 0, 7))),
          config(config_of(model_id::profile, setting, &profile, knobs)),
          naive(profile, setting.timeout, setting.retry_cnt, knobs)
    {
    }

    chance c;
    adp_profile profile;
    adp_readings knobs;
    qp_setting setting;
    engine_config config;
    adp_naive naive;
};

TEST(adp_twice, event_by_event)
{
    std::uint64_t events = 0;
    std::uint64_t deaths = 0;
    std::uint64_t progresses = 0;
    for (std::uint64_t seed = 0; seed < 6000; seed++) {
        SCOPED_TRACE(seed);
        world w(seed);
        std::array<request, 8> replay{};
        engine e(w.config, replay, seed * 7 + 1);
        std::uint64_t now = pick(w.c, 0, 1000);
        std::uint64_t since = now;
        outcome o = e.post(now, request_kind::write, 3);
        ASSERT_TRUE(o.accepted);
        const adp_state first = e.state().adp;
        ASSERT_GE(first.exponent, w.profile.timeout_init_low_bound);
        ASSERT_LE(first.exponent,
                  w.profile.timeout_init_low_bound + w.profile.timeout_init_range_size);
        w.naive.begin(first.exponent,
                      w.knobs.draw_time ? first.wait_ns : w.naive.power(first.exponent));
        std::uint64_t deadline = now + o.wait_ns;
        unsigned unacked = 3; // of the request in flight
        ASSERT_EQ(o.wait_ns, w.naive.timer(0));
        for (unsigned step = 0; step < 150; step++) {
            events++;
            if (pick(w.c, 0, 9) < 7) { // the timer runs out
                now = deadline;
                o = e.expired(now);
                const bool lives = w.naive.expired(now - since);
                ASSERT_EQ(!lives, o.failed) << "step " << step;
                if (!lives) {
                    ASSERT_EQ(o.status, 12);
                    deaths++;
                    break;
                }
                ASSERT_TRUE(o.retransmit);
            } else if (pick(w.c, 0, 3) == 0) { // a NAK: spends nothing, starts the timer anew
                now += w.c() % (deadline - now + 1);
                o = e.nak(now, e.state().una, nak_code::sequence_error);
                ASSERT_TRUE(o.retransmit);
                ASSERT_FALSE(o.failed);
            } else { // one packet is acknowledged
                now += w.c() % (deadline - now + 1);
                o = e.ack(now, e.state().una);
                progresses++;
                unacked--;
                const bool finished = unacked == 0;
                ASSERT_EQ(o.completed, finished ? 1U : 0U);
                w.naive.progress(finished);
                if (w.knobs.progress_per_ack != 0 || finished)
                    since = now;
                if (finished) {
                    ASSERT_EQ(o.timer, outcome::disarm);
                    now += pick(w.c, 1, 1000);
                    since = now;
                    o = e.post(now, request_kind::write, 3);
                    unacked = 3;
                }
            }
            ASSERT_EQ(o.timer, outcome::arm_ack);
            ASSERT_EQ(e.state().adp.exponent, static_cast<unsigned>(w.naive.g)) << "step " << step;
            if (e.state().adp.at == adp_state::ranged) {
                ASSERT_EQ(e.state().adp.range, w.naive.current_range);
            }
            ASSERT_EQ(o.wait_ns, w.naive.timer(now - since)) << "step " << step;
            deadline = now + o.wait_ns;
        }
    }
    EXPECT_GT(events, 200'000U);
    EXPECT_GT(deaths, 1000U);
    EXPECT_GT(progresses, 30'000U);
}

// The time to error without any answer, by the plain coding.
TEST(adp_twice, time_to_error)
{
    unsigned ended = 0;
    for (std::uint64_t seed = 10'000; seed < 13'000; seed++) {
        SCOPED_TRACE(seed);
        world w(seed);
        std::array<request, 1> replay{};
        engine e(w.config, replay, seed);
        const outcome o = e.post(0, request_kind::send, 1);
        const adp_state first = e.state().adp;
        w.naive.begin(first.exponent,
                      w.knobs.draw_time ? first.wait_ns : w.naive.power(first.exponent));
        std::uint64_t now = w.naive.timer(0);
        std::uint64_t n = 1;
        bool lives = true;
        while (n < 3000 && (lives = w.naive.expired(now))) {
            now += w.naive.timer(now);
            n++;
        }
        const stretch s = e.play_alone(o.wait_ns, lives ? now : never);
        if (lives) { // too long for the plain coding: compared up to there
            ASSERT_FALSE(s.ended);
            ASSERT_EQ(s.at_ns, now);
            ASSERT_EQ(s.expiries, n - 1);
        } else {
            ended++;
            ASSERT_TRUE(s.ended);
            ASSERT_EQ(s.at_ns, now);
            ASSERT_EQ(s.expiries, n);
            ASSERT_EQ(s.copies, n - 1);
        }
    }
    EXPECT_GT(ended, 1000U);
}

TEST(adp_twice, computed_stretches_are_played_ones)
{
    for (std::uint64_t seed = 20'000; seed < 22'000; seed++) {
        SCOPED_TRACE(seed);
        world w(seed);
        std::array<request, 1> a_slot{}, b_slot{};
        engine a(w.config, a_slot, seed), b(w.config, b_slot, seed);
        std::uint64_t at = a.post(0, request_kind::send, 1).wait_ns;
        ASSERT_EQ(b.post(0, request_kind::send, 1).wait_ns, at);
        for (unsigned part = 0; part < 6; part++) {
            const std::uint64_t until = at + w.c() % (std::uint64_t{1} << pick(w.c, 14, 26));
            const stretch s = a.play_alone(at, until);
            std::uint64_t n = 0;
            std::uint64_t copies = 0;
            bool failed = false;
            while (at < until && !failed) {
                const outcome o = b.expired(at);
                n++;
                copies += o.retransmit ? 1 : 0;
                failed = o.failed;
                if (!failed)
                    at += o.wait_ns;
            }
            ASSERT_EQ(s.ended, failed);
            ASSERT_EQ(s.expiries, n);
            ASSERT_EQ(s.copies, copies);
            ASSERT_EQ(s.at_ns, at);
            ASSERT_EQ(a.state().adp, b.state().adp);
            if (failed)
                break;
        }
    }
}

} // namespace
} // namespace adp::retry::test
