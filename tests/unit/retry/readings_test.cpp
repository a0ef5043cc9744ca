// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The 24 places that the vendor's text leaves open: each default, and each knob. Numbers are
// computed by hand from the profile (4 us << exponent).
#include "common.h"

#include "retry/adp_algorithm.h"
#include "retry/encoding.h"
#include "retry/readings.h"

#include <cerrno>
#include <set>

namespace adp::retry::test {
namespace {

constexpr std::uint64_t us4(unsigned exponent)
{
    return std::uint64_t{4000} << exponent;
}

// Ranges: 0 = 3..5 twice each, 1 = 8..9 once each, back to 0. Initial value 3 .. 4.
adp_profile plain()
{
    adp_profile p{};
    p.time_base = 4;
    p.time_unit = 1;
    p.range_num = 2;
    p.retx_total_timeout = 30;
    p.timeout_init_low_bound = 3;
    p.timeout_init_range_size = 2;
    p.timeout_range[0] = {3, 2, 2, 1, 0};
    p.timeout_range[1] = {8, 1, 1, 1, 0};
    return p;
}

adp_readings with(std::uint32_t adp_readings::*member, std::uint32_t value)
{
    adp_readings r;
    r.*member = value;
    return r;
}

adp_algorithm make(const adp_profile &p, const adp_readings &r = {}, const qp_setting &q = qp(0, 7))
{
    result<adp_algorithm> a = adp_algorithm::make(p, q, r);
    EXPECT_TRUE(a) << (a ? "" : a.err().reason);
    return *a;
}

std::set<unsigned> drawn(const adp_algorithm &a)
{
    std::set<unsigned> out;
    for (std::uint64_t seed = 0; seed < 200; seed++) {
        rng chance(seed);
        adp_state s;
        a.draw(s, chance);
        out.insert(s.exponent);
    }
    return out;
}

// Exponents of n waits in a row, the initial one first.
std::vector<unsigned> waits(const adp_algorithm &a, unsigned initial, std::size_t n)
{
    adp_state s;
    a.start_at(s, initial);
    std::vector<unsigned> out;
    for (std::size_t i = 0; i < n; i++) {
        out.push_back(s.exponent);
        a.expire(s);
    }
    return out;
}

// The state after the initial value and n more expiries.
adp_state after(const adp_algorithm &a, unsigned initial, unsigned n)
{
    adp_state s;
    a.start_at(s, initial);
    for (unsigned i = 0; i <= n; i++)
        a.expire(s);
    return s;
}

using list = std::vector<unsigned>;
using r = adp_readings;

TEST(reading, r01_initial_draw)
{
    EXPECT_EQ(drawn(make(plain())), (std::set<unsigned>{3, 4}));
    EXPECT_EQ(drawn(make(plain(), with(&r::init_inclusive_top, 1))), (std::set<unsigned>{3, 4, 5}));
    adp_profile p = plain();
    p.timeout_init_range_size = 0; // just the low bound, either way
    EXPECT_EQ(drawn(make(p)), (std::set<unsigned>{3}));
    EXPECT_EQ(drawn(make(p, with(&r::init_inclusive_top, 1))), (std::set<unsigned>{3}));
}

TEST(reading, r02_exponent_or_time)
{
    bool between = false;
    for (std::uint64_t seed = 0; seed < 100; seed++) {
        rng a(seed), b(seed);
        adp_state s, t;
        make(plain()).draw(s, a);
        EXPECT_TRUE(s.wait_ns == us4(3) || s.wait_ns == us4(4));
        make(plain(), with(&r::draw_time, 1)).draw(t, b);
        EXPECT_GE(t.wait_ns, us4(3));
        EXPECT_LE(t.wait_ns, us4(4));
        EXPECT_EQ(t.exponent, t.wait_ns == us4(4) ? 4U : 3U) << "the power of two not above";
        between = between || (t.wait_ns != us4(3) && t.wait_ns != us4(4));
    }
    EXPECT_TRUE(between);
}

TEST(reading, r03_drawn_once_or_when_idle)
{
    adp_profile p = plain();
    p.timeout_init_range_size = 20;
    const auto first_waits = [&](std::uint32_t when_idle) {
        rig<> rig_(
            config_of(model_id::profile, qp(31, 7), &p, with(&r::draw_when_idle, when_idle)));
        std::set<std::uint64_t> seen;
        for (unsigned i = 0; i < 50; i++) {
            const outcome o = rig_.e.post(i * 1000, request_kind::send, 1);
            seen.insert(o.wait_ns);
            (void)rig_.e.ack(i * 1000 + 1, o.psn);
        }
        return seen.size();
    };
    EXPECT_EQ(first_waits(0), 1U);
    EXPECT_GT(first_waits(1), 3U);
}

TEST(reading, r04_initial_value_used_once_or_twice)
{
    EXPECT_EQ(waits(make(plain()), 3, 3), (list{3, 4, 4}));
    EXPECT_EQ(waits(make(plain(), with(&r::initial_uses, 2)), 3, 4), (list{3, 3, 4, 4}));
}

TEST(reading, r05_falls_within)
{
    // 5 is the top of range 0: within it, so it goes on to range 1; else to the start range.
    EXPECT_EQ(waits(make(plain()), 5, 2), (list{5, 8}));
    EXPECT_EQ(waits(make(plain(), with(&r::match_open_top, 1)), 5, 2), (list{5, 3}));
    // Two ranges match: the first one counts.
    adp_profile p = plain();
    p.timeout_range[1] = {5, 4, 1, 1, 0};
    EXPECT_EQ(after(make(p), 4, 0).range, 0U);
}

TEST(reading, r06_range_top)
{
    EXPECT_EQ(waits(make(plain()), 3, 9), (list{3, 4, 4, 5, 5, 8, 9, 9, 9}));
    EXPECT_EQ(waits(make(plain(), with(&r::range_top_inclusive, 0)), 3, 6),
              (list{3, 4, 4, 8, 8, 8}));
}

TEST(reading, r07_retry_num)
{
    EXPECT_EQ(waits(make(plain()), 3, 4), (list{3, 4, 4, 5}));
    EXPECT_EQ(waits(make(plain(), with(&r::retry_num_extra, 1)), 3, 5), (list{3, 4, 4, 4, 5}));
    adp_profile p = plain();
    p.timeout_range[0].timeout_retry_num = 0; // as one
    EXPECT_EQ(waits(make(p), 3, 4), (list{3, 4, 5, 8}));
    EXPECT_EQ(waits(make(p, with(&r::retry_num_extra, 1)), 3, 4), (list{3, 4, 5, 8}));
}

TEST(reading, r08_uses_of_every_value_or_of_the_first)
{
    adp_profile p = plain();
    p.start_range_index = 0;
    // From outside: range 0 from its low bound.
    EXPECT_EQ(waits(make(p), 1, 7), (list{1, 3, 3, 4, 4, 5, 5}));
    EXPECT_EQ(waits(make(p, with(&r::uses_first_only, 1)), 1, 6), (list{1, 3, 3, 4, 5, 8}));
}

TEST(reading, r09_next_range)
{
    adp_profile p = plain();
    p.timeout_range[1] = {4, 4, 1, 1, 0}; // overlaps range 0, which ends at 5
    EXPECT_EQ(waits(make(p), 5, 4), (list{5, 5, 6, 7}));
    EXPECT_EQ(waits(make(p, with(&r::next_may_shrink, 1)), 5, 4), (list{5, 4, 5, 6}));
}

TEST(reading, r10_after_the_last_range)
{
    const adp_algorithm hold = make(plain());
    EXPECT_EQ(waits(hold, 9, 5), (list{9, 9, 9, 9, 9}));
    EXPECT_EQ(hold.repeats(after(hold, 9, 3)), never);
    // 9 is the last value: with the knob the queue pair fails when it is used up.
    adp_profile p = plain();
    const engine_config c =
        config_of(model_id::profile, qp(31, 7), &p, with(&r::fail_after_last, 1));
    rig<> rig_(c);
    rig_.e.start_at(8);
    outcome o = rig_.e.post(0, request_kind::send, 1);
    EXPECT_EQ(o.wait_ns, us4(8));
    o = rig_.e.expired(us4(8));
    EXPECT_TRUE(o.retransmit);
    EXPECT_EQ(o.wait_ns, us4(9));
    o = rig_.e.expired(us4(8) + us4(9));
    EXPECT_TRUE(o.failed);
    EXPECT_EQ(o.status, 12U);
}

TEST(reading, r11_dec_mode)
{
    adp_profile p = plain();
    p.timeout_range[0] = {3, 6, 1, 0, 0};
    const auto fallen = [&](std::uint32_t mode, std::uint32_t text_order) {
        p.timeout_range[0].dec_mode = mode;
        const adp_algorithm a = make(p, with(&r::dec_text_order, text_order));
        adp_state s = after(a, 7, 0); // at 8
        EXPECT_EQ(s.exponent, 8U);
        a.progress(s);
        return s.exponent;
    };
    EXPECT_EQ(fallen(0, 0), 6U) << "TO_DIV_4";
    EXPECT_EQ(fallen(1, 0), 7U) << "TO_DIV_2";
    EXPECT_EQ(fallen(2, 0), 3U) << "TO_LOW_BOUND";
    EXPECT_EQ(fallen(0, 1), 7U);
    EXPECT_EQ(fallen(1, 1), 6U);
    EXPECT_EQ(fallen(2, 1), 3U);
}

TEST(reading, r12_when_the_previous_range_is_entered)
{
    const auto two = [](std::uint32_t on_reach) {
        const adp_algorithm a = make(plain(), with(&r::prev_on_reach, on_reach));
        adp_state s = after(a, 8, 0); // range 1, at 9
        EXPECT_EQ(s.range, 1U);
        a.progress(s); // to 8, the low bound
        const std::uint8_t first = s.range;
        a.progress(s);
        return std::pair<unsigned, unsigned>(first, s.range);
    };
    EXPECT_EQ(two(0), (std::pair<unsigned, unsigned>(1, 0)));
    EXPECT_EQ(two(1), (std::pair<unsigned, unsigned>(0, 0)));
}

TEST(reading, r13_with_which_value)
{
    const auto entered = [](std::uint32_t low) {
        const adp_algorithm a = make(plain(), with(&r::prev_enter_low, low));
        adp_state s = after(a, 8, 0);
        a.progress(s); // 8
        a.progress(s); // into range 0
        return s.exponent;
    };
    EXPECT_EQ(entered(0), 5U) << "its top";
    EXPECT_EQ(entered(1), 3U);
    // Never above the present value.
    adp_profile p = plain();
    p.timeout_range[0] = {3, 20, 1, 1, 0};
    p.timeout_range[1] = {5, 1, 1, 1, 0};
    p.start_range_index = 1;
    const adp_algorithm a = make(p);
    adp_state s = after(a, 1, 0);
    EXPECT_EQ(s.exponent, 5U);
    a.progress(s);
    EXPECT_EQ(s.range, 0U);
    EXPECT_EQ(s.exponent, 5U);
}

TEST(reading, r14_previous_range_not_below)
{
    adp_profile p = plain();
    p.timeout_range[0].prev_range_index = 1;
    const auto range_after = [&](std::uint32_t unchecked) {
        const adp_algorithm a = make(p, with(&r::prev_unchecked, unchecked));
        adp_state s = after(a, 1, 0); // range 0, at its low bound
        a.progress(s);
        return std::pair<unsigned, unsigned>(s.range, s.exponent);
    };
    EXPECT_EQ(range_after(0), (std::pair<unsigned, unsigned>(0, 3)));
    EXPECT_EQ(range_after(1), (std::pair<unsigned, unsigned>(1, 3))) << "never raised";
}

TEST(reading, r15_start_range)
{
    adp_profile p = plain();
    p.start_range_index = 1;
    EXPECT_EQ(waits(make(p), 3, 2), (list{3, 4})) << "within range 0: it goes on there";
    EXPECT_EQ(waits(make(p), 1, 2), (list{1, 8})) << "in none: start range";
    EXPECT_EQ(waits(make(p, with(&r::start_always, 1)), 3, 2), (list{3, 8}));
}

TEST(reading, r16_what_progress_is)
{
    const adp_profile p = two_ranges();
    const auto after_half = [&](std::uint32_t per_ack) {
        rig<> rig_(
            config_of(model_id::profile, qp(31, 7), &p, with(&r::progress_per_ack, per_ack)));
        (void)rig_.e.post(0, request_kind::write, 2);
        std::uint64_t now = 0;
        for (unsigned i = 0; i < 3; i++) {
            now += us4(i == 0 ? 10 : 11);
            (void)rig_.e.expired(now);
        }
        EXPECT_EQ(rig_.e.state().adp.exponent, 12U);
        (void)rig_.e.ack(now + 1, 0); // the first of two packets
        return std::pair<unsigned, bool>(rig_.e.state().adp.exponent,
                                         rig_.e.state().since_ns == now + 1);
    };
    EXPECT_EQ(after_half(1), (std::pair<unsigned, bool>(11, true)));
    EXPECT_EQ(after_half(0), (std::pair<unsigned, bool>(12, false)));
}

TEST(reading, r17_cap)
{
    adp_profile p = plain();
    p.timeout_range[1] = {20, 1, 1, 1, 0}; // 4.19 s
    const auto wait = [&](std::uint32_t knob, unsigned timeout) {
        const adp_algorithm a = make(p, with(&r::cap_uses_floor, knob), qp(timeout, 7));
        return after(a, 20, 0).wait_ns;
    };
    EXPECT_EQ(wait(0, 14), ack_timeout_ns(14));
    EXPECT_EQ(wait(1, 14), ack_timeout_ns(16)) << "the floor of code 16";
    EXPECT_EQ(wait(1, 18), ack_timeout_ns(18));
    EXPECT_EQ(wait(2, 14), us4(21)) << "not capped";
    EXPECT_EQ(wait(0, 0), us4(21)) << "timeout 0: no cap";
    EXPECT_EQ(wait(1, 0), us4(21));
}

TEST(reading, r18_total_by_the_queue_pair)
{
    adp_profile p = plain();
    p.qp_total_timeout = 1;
    EXPECT_EQ(make(p, {}, qp(14, 7)).total_ns(), 7 * ack_timeout_ns(14));
    EXPECT_EQ(make(p, with(&r::total_adds_one, 1), qp(14, 7)).total_ns(), 8 * ack_timeout_ns(14));
    EXPECT_EQ(make(p, {}, qp(14, 0)).total_ns(), 0U) << "fails at the first expiry";
    EXPECT_EQ(make(p, {}, qp(0, 7)).total_ns(), never);
    qp_setting extended = qp(14, 7);
    extended.extended_retry_cnt = 20;
    EXPECT_EQ(make(p, {}, extended).total_ns(), 20 * ack_timeout_ns(14));
    EXPECT_EQ(expiries(config_of(model_id::profile, qp(14, 0), &p)).size(), 1U);
}

TEST(reading, r19_total_by_the_profile)
{
    adp_profile p = plain();
    p.retx_total_timeout = 20;
    EXPECT_EQ(make(p).total_ns(), us4(20));
    EXPECT_EQ(make(p, with(&r::total_is_factor, 1)).total_ns(), 20 * us4(0));
    p.retx_total_timeout = 0;
    EXPECT_EQ(make(p).total_ns(), us4(0)) << "one base: fails at the first expiry";
    p.retx_total_timeout = 41;
    EXPECT_EQ(adp_algorithm::make(p, qp(0, 7), {}).err().code, EINVAL);
    EXPECT_TRUE(adp_algorithm::make(p, qp(0, 7), with(&r::total_is_factor, 1)));
}

TEST(reading, r20_when_the_total_is_looked_at)
{
    const adp_profile p = two_ranges();
    // 68 expiries up to 4245.193 ms; the total is 4194.304 ms.
    const auto at_expiry = expiries(config_of(model_id::profile, qp(14, 7), &p));
    EXPECT_EQ(at_expiry.size(), 68U);
    EXPECT_GT(at_expiry.back(), us4(20));
    const auto cut =
        expiries(config_of(model_id::profile, qp(14, 7), &p, with(&r::truncate_last, 1)));
    EXPECT_EQ(cut.size(), 68U);
    EXPECT_EQ(cut.back(), us4(20));
    EXPECT_EQ(cut[66], at_expiry[66]);
}

TEST(reading, r21_retry_cnt)
{
    const adp_profile p = two_ranges();
    EXPECT_EQ(expiries(config_of(model_id::profile, qp(14, 3), &p)).size(), 68U);
    EXPECT_EQ(
        expiries(config_of(model_id::profile, qp(14, 3), &p, with(&r::retry_cnt_counts, 1))).size(),
        4U)
        << "three repetitions, the fourth expiry is the error";
}

TEST(reading, r22_floor)
{
    adp_profile p = plain();
    p.time_base = 1; // 1 us: below the floor, which a device would refuse
    p.timeout_init_low_bound = 0;
    p.timeout_init_range_size = 1;
    const auto first = [&](std::uint32_t floor) {
        const adp_algorithm a = make(p, with(&r::floor_ns, floor));
        adp_state s;
        a.start_at(s, 0);
        return s.wait_ns;
    };
    EXPECT_EQ(first(4000), 4000U);
    EXPECT_EQ(first(0), 1000U);
    EXPECT_EQ(first(16000), 16000U);
}

TEST(reading, r23_delay)
{
    const adp_profile p = two_ranges();
    // Default: the engine is exact, the models allow a factor of four.
    EXPECT_EQ(expiries(config_of(model_id::profile, qp(31, 7), &p))[0], us4(10));
    EXPECT_EQ(adp_readings{}.max_delay_factor, 4U);
    engine_options late;
    late.delay_factor = 4;
    bool above_three = false;
    for (std::uint64_t seed = 0; seed < 100; seed++) {
        const auto t = expiries(config_of(model_id::profile, qp(31, 7), &p, {}, late), seed)[0];
        EXPECT_GE(t, us4(10));
        EXPECT_LE(t, 4 * us4(10));
        above_three = above_three || t > 3 * us4(10);
    }
    EXPECT_TRUE(above_three);
    late.delay_factor = 5;
    EXPECT_FALSE(engine_config::make(model_id::profile, qp(0, 7), &p, {}, late));
}

TEST(reading, r24_a_changed_profile)
{
    const adp_profile p = two_ranges();
    adp_profile shorter = p;
    shorter.retx_total_timeout = 11; // 8.2 ms; the next expiry is at 12.3 ms
    const auto fails_at_next = [&](std::uint32_t applies) {
        const engine_config before = config_of(model_id::profile, qp(31, 7), &p);
        const engine_config after_ = config_of(model_id::profile, qp(31, 7), &shorter,
                                               with(&r::applies_to_running, applies));
        rig<> rig_(before);
        (void)rig_.e.post(0, request_kind::send, 1);
        (void)rig_.e.expired(us4(10));
        rig_.e.use(after_);
        const std::uint64_t next = us4(10) + us4(11); // armed before the change
        return rig_.e.expired(next).failed;
    };
    EXPECT_TRUE(fails_at_next(1));
    EXPECT_FALSE(fails_at_next(0));
}

TEST(readings, table_is_whole)
{
    ASSERT_EQ(readings().size(), 24U);
    const adp_readings defaults;
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < readings().size(); i++) {
        const reading_info &info = readings()[i];
        EXPECT_EQ(info.number, i + 1);
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_LE(info.min, defaults.*info.member);
        EXPECT_GE(info.max, defaults.*info.member);
        EXPECT_LT(info.min, info.max);
        EXPECT_FALSE(info.question.empty() || info.basis.empty());
    }
}

TEST(readings, set_by_name)
{
    adp_readings x;
    EXPECT_TRUE(set_reading(x, "prev_on_reach", 1));
    EXPECT_EQ(x.prev_on_reach, 1U);
    EXPECT_EQ(set_reading(x, "prev_on_reach", 2).err().code, EINVAL);
    EXPECT_EQ(set_reading(x, "initial_uses", 0).err().code, EINVAL);
    EXPECT_EQ(set_reading(x, "nothing", 1).err().code, EINVAL);
    EXPECT_EQ(x.prev_on_reach, 1U) << "a refused value changes nothing";
}

TEST(adp_algorithm, refuses_what_cannot_be_run)
{
    const auto refused = [](auto &&change) {
        adp_profile p = plain();
        change(p);
        const result<adp_algorithm> a = adp_algorithm::make(p, qp(14, 7), {});
        return !a && a.err().code == EINVAL && !a.err().reason.empty();
    };
    EXPECT_TRUE(refused([](adp_profile &p) { p.time_unit = 0; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.time_unit = 2; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.time_base = 0; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.time_base = 0x10000; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.range_num = 0; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.range_num = 5; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.start_range_index = 2; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.retx_total_timeout = 255; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.timeout_range[1].timeout_retry_num = 1024; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.timeout_range[0].range_low_bound = 256; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.timeout_range[0].dec_mode = 4; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.timeout_range[0].prev_range_index = 8; }));
    EXPECT_TRUE(refused([](adp_profile &p) { p.timeout_init_low_bound = 256; }));
    EXPECT_FALSE(refused([](adp_profile &) {}));
    // What is not valid is not looked at.
    EXPECT_FALSE(refused([](adp_profile &p) { p.timeout_range[3].dec_mode = 9; }));
}

TEST(adp_algorithm, huge_exponents_do_not_wrap)
{
    adp_profile p = plain();
    p.timeout_init_low_bound = 255;
    p.timeout_init_range_size = 255;
    p.timeout_range[1] = {255, 255, 1023, 3, 7};
    const adp_algorithm a = make(p);
    rng chance(3);
    adp_state s;
    a.draw(s, chance);
    EXPECT_EQ(s.wait_ns, long_time);
    for (unsigned i = 0; i < 5000; i++)
        a.expire(s);
    EXPECT_EQ(s.wait_ns, long_time);
    for (unsigned i = 0; i < 100; i++)
        a.progress(s);
    EXPECT_GT(s.wait_ns, 0U);
}

} // namespace
} // namespace adp::retry::test
