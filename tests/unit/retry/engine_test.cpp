// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The requester: one timer, two budgets, reload, NAKs, reads, the replay buffer, PSN wrap.
#include "common.h"

#include "retry/encoding.h"

#include <cerrno>
#include <random>
#include <set>

namespace adp::retry::test {
namespace {

constexpr std::uint64_t T10 = 4'194'304; // timeout 10

engine_config ibta(unsigned retry_cnt = 3, unsigned rnr_retry = 7)
{
    qp_setting s = qp(10, retry_cnt);
    s.rnr_retry = rnr_retry;
    return config_of(model_id::ibta_min, s);
}

TEST(engine, one_timer_on_the_oldest)
{
    rig<> r(ibta());
    outcome o = r.e.post(0, request_kind::write, 2); // PSN 0, 1
    EXPECT_EQ(o.timer, outcome::arm_ack);
    EXPECT_EQ(o.wait_ns, T10);
    o = r.e.post(100, request_kind::write, 1); // PSN 2
    EXPECT_EQ(o.timer, outcome::keep) << "the timer of the oldest goes on";
    EXPECT_EQ(o.psn, 2U);
    o = r.e.ack(200, 0);
    EXPECT_EQ(o.completed, 0U);
    EXPECT_EQ(o.timer, outcome::arm_ack) << "against the new oldest";
    o = r.e.ack(300, 1);
    EXPECT_EQ(o.completed, 1U);
    o = r.e.ack(400, 2);
    EXPECT_EQ(o.completed, 1U);
    EXPECT_EQ(o.timer, outcome::disarm);
    EXPECT_EQ(r.e.state().timer, engine_state::off);
    EXPECT_EQ(r.e.state().outstanding, 0U);
    o = r.e.expired(500);
    EXPECT_FALSE(o.retransmit || o.failed) << "a timer that was disarmed";
}

TEST(engine, acknowledgements_are_cumulative)
{
    rig<> r(ibta());
    for (unsigned i = 0; i < 5; i++)
        (void)r.e.post(i, request_kind::send, 3);
    const outcome o = r.e.ack(100, 10); // into the middle of the fourth
    EXPECT_EQ(o.completed, 3U);
    EXPECT_EQ(r.e.state().una, 11U);
    EXPECT_EQ(r.e.state().outstanding, 4U);
    EXPECT_EQ(r.e.ack(200, 14).completed, 2U);
}

TEST(engine, retransmits_from_the_oldest_and_fails_with_12)
{
    rig<> r(ibta(3));
    (void)r.e.post(0, request_kind::write, 2);
    (void)r.e.ack(10, 0);
    std::uint64_t now = 10;
    for (unsigned i = 0; i < 3; i++) {
        now += T10;
        const outcome o = r.e.expired(now);
        EXPECT_TRUE(o.retransmit);
        EXPECT_EQ(o.psn, 1U);
        EXPECT_EQ(o.wait_ns, T10);
        EXPECT_EQ(r.e.units_spent(), i + 1);
    }
    const outcome o = r.e.expired(now + T10);
    EXPECT_TRUE(o.failed);
    EXPECT_FALSE(o.retransmit);
    EXPECT_EQ(o.status, 12U);
    EXPECT_EQ(o.syndrome, 0x15U);
    EXPECT_EQ(o.vendor, 0x81U);
    EXPECT_EQ(o.timer, outcome::disarm);
    EXPECT_EQ(o.moved.req_transport_retries_exceeded, 1U);
    EXPECT_EQ(o.moved.req_rnr_retries_exceeded, 0U);
    EXPECT_EQ(r.e.state().status, 12U);
    // Nothing moves a failed queue pair.
    EXPECT_FALSE(r.e.post(0, request_kind::send, 1).accepted);
    EXPECT_EQ(r.e.ack(0, 1).completed, 0U);
    EXPECT_FALSE(r.e.nak(0, 1, nak_code::sequence_error).retransmit);
    EXPECT_EQ(r.e.rnr_nak(0, 1, 1).timer, outcome::keep);
    EXPECT_EQ(r.e.response(0, 1).completed, 0U);
}

TEST(engine, reload_on_progress_only)
{
    rig<> r(ibta(3));
    (void)r.e.post(0, request_kind::write, 10);
    for (unsigned i = 0; i < 3; i++)
        (void)r.e.expired(i);
    EXPECT_EQ(r.e.units_spent(), 3U);
    (void)r.e.ack(10, psn_mask); // an old duplicate
    EXPECT_EQ(r.e.units_spent(), 3U);
    (void)r.e.ack(10, 10); // never sent
    EXPECT_EQ(r.e.units_spent(), 3U);
    (void)r.e.ack(10, 0);
    EXPECT_EQ(r.e.units_spent(), 0U);
    EXPECT_EQ(r.e.state().since_ns, 10U);
}

TEST(engine, adaptive_phase_starts_anew_with_progress)
{
    rig<> r(config_of(model_id::mlx5_default, qp(20, 7)));
    const std::uint64_t first = r.e.post(0, request_kind::write, 3).wait_ns;
    const std::uint64_t second = r.e.expired(1).wait_ns;
    EXPECT_NE(first, second);
    EXPECT_EQ(r.e.ack(2, 0).wait_ns, first);
    EXPECT_EQ(r.e.expired(3).wait_ns, second);
    EXPECT_EQ(r.e.units_spent(), 0U) << "only the end of the phase spends a unit";
}

TEST(engine, sequence_nak_spends_and_goes_back)
{
    rig<> r(ibta(2));
    (void)r.e.post(0, request_kind::write, 4);
    outcome o = r.e.nak(5, 2, nak_code::sequence_error); // 0 and 1 are confirmed by it
    EXPECT_TRUE(o.retransmit);
    EXPECT_EQ(o.psn, 2U);
    EXPECT_EQ(o.timer, outcome::arm_ack);
    EXPECT_EQ(o.moved.packet_seq_err, 1U);
    EXPECT_EQ(r.e.state().outstanding, 2U);
    EXPECT_EQ(r.e.units_spent(), 1U) << "a NAK that advances does not reload";
    o = r.e.nak(6, 2, nak_code::sequence_error);
    EXPECT_EQ(r.e.units_spent(), 2U);
    o = r.e.nak(7, 2, nak_code::sequence_error);
    EXPECT_TRUE(o.failed);
    EXPECT_EQ(o.status, 12U);
}

TEST(engine, nak_advance_reloads_is_a_knob)
{
    engine_options options;
    options.nak_advance_reloads = true;
    rig<> r(config_of(model_id::ibta_min, qp(10, 2), nullptr, {}, options));
    (void)r.e.post(0, request_kind::write, 4);
    (void)r.e.expired(1);
    (void)r.e.nak(5, 1, nak_code::sequence_error);
    EXPECT_EQ(r.e.units_spent(), 1U) << "reloaded, then one spent";
    (void)r.e.nak(6, 1, nak_code::sequence_error);
    EXPECT_EQ(r.e.units_spent(), 2U) << "this one does not advance";
}

TEST(engine, remote_errors)
{
    const struct {
        nak_code code;
        unsigned status, syndrome, vendor;
    } cases[] = {{nak_code::invalid_request, 9, 0x12, 0x8a},
                 {nak_code::remote_access, 10, 0x13, 0x88},
                 {nak_code::remote_operation, 11, 0x14, 0}};
    for (const auto &c : cases) {
        rig<> r(ibta());
        (void)r.e.post(0, request_kind::write, 1);
        (void)r.e.post(0, request_kind::write, 1);
        const outcome o = r.e.nak(1, 1, c.code);
        EXPECT_EQ(o.completed, 1U) << "the first one was carried out";
        EXPECT_TRUE(o.failed);
        EXPECT_EQ(o.status, c.status);
        EXPECT_EQ(o.syndrome, c.syndrome);
        EXPECT_EQ(o.vendor, c.vendor);
        EXPECT_EQ(o.moved.req_cqe_error, 1U);
        EXPECT_EQ(o.moved.req_transport_retries_exceeded, 0U);
    }
}

TEST(engine, budgets_are_independent)
{
    // All of one budget spent, nothing of the other, and the other way round.
    rig<> r(ibta(2, 3));
    (void)r.e.post(0, request_kind::send, 1);
    (void)r.e.expired(1);
    (void)r.e.expired(2);
    EXPECT_EQ(r.e.units_spent(), 2U);
    EXPECT_EQ(r.e.state().rnr_left, 3U);
    for (unsigned i = 0; i < 3; i++) {
        const outcome o = r.e.rnr_nak(10 + i, 0, 21);
        EXPECT_EQ(o.timer, outcome::arm_rnr);
        EXPECT_EQ(o.wait_ns, 15'360'000U);
        EXPECT_EQ(o.moved.rnr_nak_retry_err, 1U);
        EXPECT_EQ(r.e.units_spent(), 2U);
        const outcome again = r.e.expired(20 + i);
        EXPECT_TRUE(again.retransmit);
        EXPECT_EQ(again.timer, outcome::arm_ack);
        EXPECT_EQ(r.e.units_spent(), 2U) << "the RNR timer spends nothing";
    }
    EXPECT_EQ(r.e.state().rnr_left, 0U);
    const outcome o = r.e.rnr_nak(30, 0, 21);
    EXPECT_TRUE(o.failed);
    EXPECT_EQ(o.status, 13U);
    EXPECT_EQ(o.syndrome, 0x16U);
    EXPECT_EQ(o.vendor, 0x87U);
    EXPECT_EQ(o.moved.req_rnr_retries_exceeded, 1U);
    EXPECT_EQ(o.moved.req_transport_retries_exceeded, 0U);
}

TEST(engine, rnr_reloads_with_progress)
{
    rig<> r(ibta(7, 1));
    (void)r.e.post(0, request_kind::send, 1);
    (void)r.e.post(0, request_kind::send, 1);
    (void)r.e.rnr_nak(1, 0, 1);
    EXPECT_EQ(r.e.state().rnr_left, 0U);
    (void)r.e.expired(2);
    (void)r.e.ack(3, 0);
    EXPECT_EQ(r.e.state().rnr_left, 1U);
    EXPECT_FALSE(r.e.rnr_nak(4, 1, 1).failed);
}

TEST(engine, rnr_seven_is_for_ever)
{
    rig<> r(ibta(7, 7));
    (void)r.e.post(0, request_kind::send, 1);
    for (unsigned i = 0; i < 1000; i++) {
        ASSERT_EQ(r.e.rnr_nak(2 * i, 0, i & 31U).wait_ns, rnr_timer_ns(i & 31U));
        ASSERT_TRUE(r.e.expired(2 * i + 1).retransmit);
    }
}

TEST(engine, r92_everything_after_an_rnr_nak_is_sent_again)
{
    rig<> r(ibta());
    for (unsigned i = 0; i < 4; i++)
        (void)r.e.post(0, request_kind::send, 1);
    outcome o = r.e.rnr_nak(1000, 1, 7);
    EXPECT_EQ(o.completed, 1U) << "what lies before is confirmed";
    EXPECT_EQ(o.wait_ns, 120'000U);
    EXPECT_EQ(r.e.rnr_nak(1001, 1, 7).timer, outcome::keep) << "a second NAK for the same packet";
    o = r.e.expired(121'000);
    EXPECT_TRUE(o.retransmit);
    EXPECT_EQ(o.psn, 1U);
    EXPECT_EQ(r.e.state().outstanding, 3U);
}

TEST(engine, rxe_rnr_in_jiffies)
{
    engine_options options;
    options.rxe_jiffy_ns = 4 * ns_per_ms;
    rig<> r(config_of(model_id::rxe, qp(10, 6), nullptr, {}, options));
    (void)r.e.post(0, request_kind::send, 1);
    EXPECT_EQ(r.e.rnr_nak(1, 0, 1).wait_ns, 4 * ns_per_ms);
}

TEST(engine, rxe_seven_is_never_spent)
{
    rig<> r(config_of(model_id::rxe, qp(10, 7)));
    (void)r.e.post(0, request_kind::send, 1);
    for (unsigned i = 0; i < 300; i++)
        ASSERT_TRUE(r.e.expired(i).retransmit);
    ASSERT_TRUE(r.e.nak(300, 0, nak_code::sequence_error).retransmit);
    EXPECT_EQ(r.e.units_spent(), 0U);
}

TEST(engine, timer_off)
{
    rig<> r(config_of(model_id::ibta_min, qp(0, 7)));
    const outcome o = r.e.post(0, request_kind::send, 1);
    EXPECT_NE(o.timer, outcome::arm_ack);
    EXPECT_EQ(r.e.state().timer, engine_state::off);
    EXPECT_TRUE(r.e.nak(1, 0, nak_code::sequence_error).retransmit) << "NAKs still work";
    EXPECT_EQ(r.e.ack(2, 0).completed, 1U);
}

TEST(engine, read_responses_confirm_what_lies_before)
{
    rig<> r(ibta());
    (void)r.e.post(0, request_kind::write, 2); // 0, 1
    (void)r.e.post(0, request_kind::read, 3);  // 2, 3, 4
    (void)r.e.post(0, request_kind::write, 1); // 5
    outcome o = r.e.response(10, 2);
    EXPECT_EQ(o.completed, 1U);
    EXPECT_EQ(r.e.state().una, 3U);
    o = r.e.response(11, 3);
    EXPECT_EQ(o.completed, 0U);
    o = r.e.response(12, 4);
    EXPECT_EQ(o.completed, 1U);
    EXPECT_EQ(r.e.ack(13, 5).completed, 1U);
}

TEST(engine, missing_response_is_an_implied_nak_once)
{
    rig<> r(ibta(3));
    (void)r.e.post(0, request_kind::read, 4); // 0 .. 3
    (void)r.e.response(1, 0);
    outcome o = r.e.response(2, 2); // 1 is missing
    EXPECT_TRUE(o.retransmit);
    EXPECT_EQ(o.psn, 1U);
    EXPECT_EQ(o.moved.implied_nak_seq_err, 1U);
    EXPECT_EQ(r.e.units_spent(), 1U);
    o = r.e.response(3, 3); // the burst behind the gap
    EXPECT_FALSE(o.retransmit);
    EXPECT_EQ(r.e.units_spent(), 1U);
    o = r.e.response(4, 1);
    EXPECT_EQ(r.e.units_spent(), 0U);
    o = r.e.response(5, 3); // another gap
    EXPECT_EQ(o.moved.implied_nak_seq_err, 1U);
    (void)r.e.expired(6);
    o = r.e.response(7, 3); // and again after an expiry
    EXPECT_EQ(o.moved.implied_nak_seq_err, 1U);
    EXPECT_EQ(r.e.units_spent(), 3U);
}

TEST(engine, acknowledgement_cannot_confirm_a_read)
{
    rig<> r(ibta());
    (void)r.e.post(0, request_kind::write, 1);  // 0
    (void)r.e.post(0, request_kind::read, 2);   // 1, 2
    (void)r.e.post(0, request_kind::atomic, 1); // 3
    (void)r.e.post(0, request_kind::write, 1);  // 4
    outcome o = r.e.ack(1, 4);
    EXPECT_EQ(o.completed, 1U);
    EXPECT_TRUE(o.retransmit) << "the response is missing";
    EXPECT_EQ(o.psn, 1U);
    o = r.e.nak(2, 4, nak_code::sequence_error);
    EXPECT_EQ(o.psn, 1U) << "back to the read, not to the NAK's packet";
    EXPECT_EQ(r.e.response(3, 3).moved.implied_nak_seq_err, 0U) << "the same gap";
    (void)r.e.response(4, 1);
    (void)r.e.response(5, 2);
    EXPECT_EQ(r.e.response(6, 3).completed, 1U);
    EXPECT_EQ(r.e.response(7, 4).completed, 0U) << "a response to a write";
    EXPECT_EQ(r.e.ack(8, 4).completed, 1U);
}

TEST(engine, replay_buffer_is_bounded)
{
    engine_options options;
    options.max_packets = 10;
    rig<4> r(config_of(model_id::ibta_min, qp(10, 3), nullptr, {}, options));
    EXPECT_FALSE(r.e.post(0, request_kind::write, 11).accepted);
    EXPECT_TRUE(r.e.post(0, request_kind::write, 8).accepted);
    EXPECT_FALSE(r.e.post(0, request_kind::write, 3).accepted);
    EXPECT_TRUE(r.e.post(0, request_kind::write, 0).accepted) << "an empty message is one packet";
    EXPECT_TRUE(r.e.post(0, request_kind::write, 1).accepted);
    EXPECT_FALSE(r.e.post(0, request_kind::write, 1).accepted);
    EXPECT_EQ(r.e.state().outstanding, 10U);
    (void)r.e.ack(1, 7);
    for (unsigned i = 0; i < 2; i++)
        EXPECT_TRUE(r.e.post(0, request_kind::write, 1).accepted);
    EXPECT_FALSE(r.e.post(0, request_kind::write, 1).accepted) << "four requests";
    std::array<request, 1> none{};
    const engine_config c = ibta();
    engine e(c, std::span<request>(none).first(0), 1);
    EXPECT_FALSE(e.post(0, request_kind::write, 1).accepted);
}

TEST(engine, psn_wraps)
{
    rig<> r(ibta(), 1, 0xfffffe);
    EXPECT_EQ(r.e.post(0, request_kind::write, 4).psn, 0xfffffeU);
    EXPECT_EQ(r.e.next_psn(), 2U);
    EXPECT_EQ(r.e.post(0, request_kind::read, 2).psn, 2U);
    EXPECT_EQ(r.e.ack(1, 0xffffff).completed, 0U);
    EXPECT_EQ(r.e.state().una, 0U);
    EXPECT_EQ(r.e.ack(2, 0xffffff).completed, 0U) << "a duplicate from before the wrap";
    EXPECT_EQ(r.e.response(3, 2).completed, 1U);
    EXPECT_EQ(r.e.response(4, 3).completed, 1U);
}

TEST(engine, config_refuses)
{
    engine_options options;
    options.max_packets = 0;
    EXPECT_FALSE(engine_config::make(model_id::ibta_min, qp(10, 3), nullptr, {}, options));
    options.max_packets = max_window;
    EXPECT_FALSE(engine_config::make(model_id::ibta_min, qp(10, 3), nullptr, {}, options));
    options = {};
    options.delay_factor = 0;
    EXPECT_FALSE(engine_config::make(model_id::ibta_min, qp(10, 3), nullptr, {}, options));
    qp_setting s = qp(10, 3);
    s.extended_retry_cnt = 70000;
    EXPECT_FALSE(engine_config::make(model_id::ibta_min, s));
}

TEST(engine, a_change_while_it_waits)
{
    // Default model to profile and back: spent units stay spent, the running timer ends as armed.
    const engine_config before = config_of(model_id::ibta_min, qp(10, 3));
    const engine_config less = config_of(model_id::ibta_min, qp(8, 1));
    const adp_profile p = two_ranges();
    const engine_config profile = config_of(model_id::profile, qp(10, 3), &p);
    std::array<request, 2> replay{};
    engine e(before, replay, 1);
    (void)e.post(0, request_kind::send, 1);
    (void)e.expired(T10);
    (void)e.expired(2 * T10);
    e.use(less);
    const outcome o = e.expired(3 * T10);
    EXPECT_TRUE(o.failed) << "two spent, a budget of two";

    engine f(before, replay, 1);
    (void)f.post(0, request_kind::send, 1);
    f.use(profile);
    const outcome q = f.expired(T10);
    EXPECT_TRUE(q.retransmit);
    EXPECT_EQ(q.moved.roce_adp_retrans, 1U);
    EXPECT_EQ(q.wait_ns, T10) << "8.192 ms, capped by timeout 10";
    f.use(less);
    EXPECT_EQ(f.expired(3 * T10).wait_ns, ack_timeout_ns(8));
}

TEST(engine, a_profile_with_fewer_ranges_takes_over)
{
    const adp_profile p = two_ranges();
    const adp_profile one = vendor_sample();
    const engine_config before = config_of(model_id::profile, qp(18, 7), &p);
    const engine_config after = config_of(model_id::profile, qp(18, 7), &one);
    std::array<request, 1> replay{};
    engine e(before, replay, 1);
    std::uint64_t now = e.post(0, request_kind::send, 1).wait_ns;
    for (unsigned i = 0; i < 12; i++) {
        const outcome o = e.expired(now);
        now += o.wait_ns;
    }
    EXPECT_EQ(e.state().adp.range, 1U);
    e.use(after);
    const stretch s = e.play_alone(now, never);
    EXPECT_TRUE(s.ended);
    EXPECT_EQ(e.state().adp.range, 0U);
}

TEST(engine, floor_off_draws_its_first_wait_anew)
{
    const engine_config c = config_of(model_id::mlx5_floor_off, qp(10, 7));
    std::set<std::uint64_t> firsts;
    rig<> r(c, 5);
    std::uint64_t now = 0;
    for (unsigned i = 0; i < 200; i++) {
        const outcome o = r.e.post(now, request_kind::send, 1);
        EXPECT_GE(o.wait_ns, T10 / 2);
        EXPECT_LE(o.wait_ns, (6 * T10 + 4) / 5);
        firsts.insert(o.wait_ns);
        now += 1000;
        (void)r.e.ack(now, o.psn);
    }
    EXPECT_GT(firsts.size(), 150U);
}

// Anything at all: no event leaves the engine in a state that cannot be.
TEST(engine, random_events_keep_it_whole)
{
    std::mt19937_64 c(11);
    const adp_profile p = two_ranges();
    std::uint64_t failed = 0;
    for (unsigned round = 0; round < 3000; round++) {
        const auto model = static_cast<model_id>(c() % 7);
        qp_setting s = qp(static_cast<unsigned>(c() % 32), static_cast<unsigned>(c() % 8));
        s.rnr_retry = static_cast<unsigned>(c() % 8);
        engine_options options;
        options.nak_advance_reloads = c() % 2 == 0;
        options.max_packets = 1 + static_cast<std::uint32_t>(c() % 50);
        rig<8> r(config_of(model, s, &p, {}, options), round,
                 static_cast<std::uint32_t>(c()) & psn_mask);
        std::uint64_t now = 0;
        std::uint64_t requests = 0;
        std::uint64_t completed = 0;
        for (unsigned step = 0; step < 100; step++) {
            now += c() % 5'000'000;
            const engine_state before = r.e.state();
            const auto near = static_cast<std::uint32_t>(c() % 12) + r.e.state().una - 2;
            outcome o;
            switch (c() % 7) {
            case 0:
            case 1:
                o = r.e.post(now, static_cast<request_kind>(c() % 4),
                             static_cast<std::uint32_t>(c() % 6));
                requests += o.accepted ? 1 : 0;
                break;
            case 2: o = r.e.ack(now, near & psn_mask); break;
            case 3: o = r.e.response(now, near & psn_mask); break;
            case 4:
                o = r.e.nak(now, near & psn_mask,
                            static_cast<nak_code>(c() % 8 == 0 ? c() % 4 : 0));
                break;
            case 5: o = r.e.rnr_nak(now, near & psn_mask, static_cast<unsigned>(c())); break;
            default: o = r.e.expired(now);
            }
            completed += o.completed;
            const engine_state &a = r.e.state();
            ASSERT_LE(a.count, 8U);
            ASSERT_LE(a.outstanding, options.max_packets);
            ASSERT_EQ(a.count == 0, a.outstanding == 0);
            ASSERT_EQ(completed + a.count, requests);
            ASSERT_LE(a.una, psn_mask);
            // The timer runs exactly while something is unacknowledged (or never, where it is off).
            if (a.outstanding == 0 || a.status != 0) {
                ASSERT_EQ(a.timer, engine_state::off);
            } else if (s.timeout != 0) {
                ASSERT_NE(a.timer, engine_state::off);
            }
            if (o.timer == outcome::arm_ack || o.timer == outcome::arm_rnr) {
                ASSERT_GT(o.wait_ns, 0U);
            }
            ASSERT_EQ(o.failed, before.status == 0 && a.status != 0);
            if (o.failed) {
                failed++;
                ASSERT_TRUE(o.status >= 9 && o.status <= 13);
            }
        }
    }
    EXPECT_GT(failed, 500U);
}

} // namespace
} // namespace adp::retry::test
