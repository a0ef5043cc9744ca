// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The rules of a profile: each one kept and broken.
#include "core_test.h"

#include "profile/check.h"
#include "profile/walk.h"

#include <algorithm>
#include <functional>
#include <set>

namespace adp::test {

namespace {

constexpr adp_profile_limits published{};

// Breaks no rule and earns no warning: ranges 262 ms .. 524 ms and 1.05 s .. 4.19 s, total 33.6 s.
adp_profile good()
{
    adp_profile p{};
    p.fields = reg::profile_fields();
    p.adp_retx_profile_id = 1;
    p.roce_adp_retrans_en = 1;
    p.time_base = 4;
    p.time_unit = 1;
    p.range_num = 2;
    p.timeout_init_low_bound = 16;
    p.timeout_init_range_size = 2;
    p.retx_total_timeout = 23;
    p.timeout_range[0] = {16, 1, 2, 2, 0};
    p.timeout_range[1] = {18, 2, 3, 0, 0};
    return p;
}

std::vector<profile::finding> of(const adp_profile &p, const adp_profile_limits &limits = published)
{
    return profile::check(p, limits);
}

// "id field" of every finding.
std::set<std::string> ids(const std::vector<profile::finding> &findings)
{
    std::set<std::string> all;
    for (const auto &f : findings)
        all.insert(std::string{f.id} + " " + f.field);
    return all;
}

std::set<std::string> changed(const std::function<void(adp_profile &)> &change,
                              const adp_profile_limits &limits = published)
{
    adp_profile p = good();
    change(p);
    return ids(of(p, limits));
}

using found = std::set<std::string>;

} // namespace

TEST(check, a_good_profile)
{
    EXPECT_EQ(ids(of(good())), found{});
    EXPECT_FALSE(profile::has_error(of(good())));
}

TEST(check, the_vendors_sample_is_valid_and_foolish)
{
    const auto findings = of(vendor_sample());
    EXPECT_EQ(ids(findings), found{"many-timer-events qp_total_timeout"});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_FALSE(findings[0].error);
    // 7 * 4.096 us * 2^14 = 469.762048 ms; 4, 8 and 16 us once, then 16 us.
    EXPECT_HAS(findings[0].rule, "about 29362 timeouts");
    EXPECT_HAS(findings[0].rule, "469.762048 ms (retry_cnt 7, timeout 14)");
}

// What is known of the queue pairs counts, not the best of them.
TEST(check, of_known_queue_pairs)
{
    const auto rules = [](std::uint32_t timeout, std::uint32_t retries) {
        std::string all;
        for (const profile::finding &f :
             profile::check(vendor_sample(), {}, profile::queue_pairs{timeout, retries}))
            all += f.rule + "\n";
        return all;
    };
    // 3 * 67.108864 ms; 4 and 8 us once, then 16 us: 2 + (201326592 - 12000) / 16000, rounded up.
    EXPECT_HAS(rules(14, 3), "about 12585 timeouts");
    EXPECT_HAS(rules(14, 3), "201.326592 ms (3 times timeout 14)");
    EXPECT_HAS(rules(14, 0), "may fail at its first timeout");
    EXPECT_EQ(rules(0, 7), "") << "whether a timer runs at all is not known";
}

TEST(check, profile_id)
{
    EXPECT_EQ(changed([](auto &p) { p.adp_retx_profile_id = 0; }),
              found{"profile-id adp_retx_profile_id"});
    EXPECT_EQ(changed([](auto &p) { p.adp_retx_profile_id = 2; }),
              found{"profile-id adp_retx_profile_id"});
    EXPECT_EQ(changed([](auto &p) { p.adp_retx_profile_id = 2; }, {0, 3, 0, 0, 0}), found{});
}

TEST(check, time_unit_and_base)
{
    for (const std::uint32_t unit : {0U, 2U, 3U})
        EXPECT_EQ(changed([unit](auto &p) { p.time_unit = unit; }), found{"time-unit time_unit"});
    EXPECT_EQ(changed([](auto &p) { p.time_base = 5; }), found{"time-base-power-of-two time_base"});
    EXPECT_EQ(changed([](auto &p) { p.time_base = 2; }), found{"time-base-minimum time_base"});
    EXPECT_EQ(changed([](auto &p) { p.time_base = 3; }),
              (found{"time-base-minimum time_base", "time-base-power-of-two time_base"}));
    EXPECT_EQ(changed([](auto &p) { p.time_base = 0; }),
              (found{"time-base-minimum time_base", "time-base-power-of-two time_base"}));
    EXPECT_EQ(changed([](auto &p) { p.time_base = 2; }, {0, 0, 0, 2000, 0}), found{});
    EXPECT_EQ(changed([](auto &) {}, {0, 0, 0, 8000, 0}), found{"time-base-minimum time_base"});
    EXPECT_EQ(changed([](auto &p) { p.time_base = 8192; }), found{"time-base-coarse time_base"});
    EXPECT_EQ(changed([](auto &p) { p.time_base = 2048; }), found{});
}

TEST(check, range_num)
{
    EXPECT_EQ(changed([](auto &p) { p.range_num = 0; }), (found{"range-num range_num"}));
    EXPECT_EQ(changed([](auto &p) { p.range_num = 2; }, {0, 0, 1, 0, 0}),
              found{"range-num range_num"});
    EXPECT_TRUE(
        changed([](auto &p) { p.range_num = 5; }, {0, 0, 7, 0, 0}).count("range-num range_num"));
    EXPECT_TRUE(changed([](auto &p) { p.range_num = 7; }).count("range-num range_num"));
}

TEST(check, start_range_index)
{
    EXPECT_EQ(changed([](auto &p) { p.start_range_index = 1; }), found{});
    EXPECT_EQ(changed([](auto &p) { p.start_range_index = 2; }),
              found{"start-range-index start_range_index"});
}

TEST(check, range_order)
{
    EXPECT_TRUE(changed([](auto &p) {
                    p.timeout_range[1].range_low_bound = 16;
                }).count("range-order range_low_bound_1"));
    EXPECT_TRUE(changed([](auto &p) {
                    p.timeout_range[1].range_low_bound = 15;
                }).count("range-order range_low_bound_1"));
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[1].range_low_bound = 17; }),
              found{"range-overlap range_low_bound_1"});
    // Behind range_num nothing counts.
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[3] = {1, 1, 0, 3, 7}; }), found{});
}

TEST(check, prev_range_index)
{
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[1].prev_range_index = 1; }),
              found{"prev-range-index prev_range_index_1"});
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[1].prev_range_index = 7; }),
              found{"prev-range-index prev_range_index_1"});
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[0].prev_range_index = 1; }),
              found{"prev-range-unused prev_range_index_0"});
    const auto third = [](std::uint32_t prev) {
        return [prev](adp_profile &p) {
            p.range_num = 3;
            p.timeout_range[2] = {21, 0, 1, 0, prev};
        };
    };
    EXPECT_EQ(changed(third(1)), found{});
    EXPECT_EQ(changed(third(0)), found{"prev-range-chain prev_range_index_2"});
    EXPECT_EQ(changed(third(2)), found{"prev-range-index prev_range_index_2"});
}

TEST(check, dec_mode)
{
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[1].dec_mode = 3; }),
              found{"dec-mode dec_mode_1"});
    for (const std::uint32_t mode : {0U, 1U, 2U})
        EXPECT_EQ(changed([mode](auto &p) { p.timeout_range[1].dec_mode = mode; }), found{});
}

TEST(check, times_beyond_64_bits)
{
    // 4000 ns << 51 is 9.007e18, below 2^63 = 9.223e18; << 52 is not.
    EXPECT_FALSE(changed([](auto &p) {
                     p.timeout_range[1].range_size = 33;
                 }).count("time-overflow range_low_bound_1, range_size_1"));
    EXPECT_TRUE(changed([](auto &p) {
                    p.timeout_range[1].range_size = 34;
                }).count("time-overflow range_low_bound_1, range_size_1"));
    EXPECT_TRUE(changed([](auto &p) {
                    p.timeout_init_low_bound = 255;
                    p.timeout_init_range_size = 255;
                }).count("time-overflow timeout_init_low_bound, timeout_init_range_size"));
    EXPECT_EQ(changed([](auto &p) { p.retx_total_timeout = 40; }),
              found{"many-timer-events retx_total_timeout"});
    EXPECT_TRUE(changed([](auto &p) {
                    p.retx_total_timeout = 41;
                }).count("total-overflow retx_total_timeout"));
    EXPECT_EQ(changed(
                  [](auto &p) {
                      p.retx_total_timeout = 255;
                      p.qp_total_timeout = 1;
                      p.time_base = 4096;
                  },
                  {0, 0, 0, 0, 31}),
              found{"time-base-coarse time_base"});
}

TEST(check, widths_all_at_once)
{
    const auto all = changed([](auto &p) {
        p.adp_retx_profile_id = 8;
        p.roce_adp_retrans_en = 2;
        p.time_base = 0x10000;
        p.time_unit = 4;
        p.start_range_index = 8;
        p.range_num = 8;
        p.qp_total_timeout = 2;
        p.timeout_init_low_bound = 256;
        p.timeout_init_range_size = 256;
        p.retx_total_timeout = 256;
        p.timeout_range[3] = {256, 256, 1024, 4, 8};
    });
    std::size_t wide = 0;
    for (const std::string &f : all)
        wide += f.starts_with("width ") ? 1 : 0;
    EXPECT_EQ(wide, 15U);
    EXPECT_TRUE(all.count("width timeout_retry_num_3"));
    EXPECT_TRUE(all.count("time-unit time_unit"));
    // Values that no register holds do not upset the rules that reckon.
    EXPECT_TRUE(
        changed([](auto &p) {
            p.timeout_range[0] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
            p.timeout_init_low_bound = UINT32_MAX;
            p.timeout_init_range_size = UINT32_MAX;
            p.range_num = UINT32_MAX;
        }).count("width range_size_0"));
}

TEST(check, every_error_at_once)
{
    adp_profile p = good();
    p.time_unit = 0;
    p.time_base = 3;
    p.range_num = 4;
    p.start_range_index = 5;
    p.timeout_range[2] = {18, 0, 1, 3, 2};
    p.timeout_range[3] = {1, 0, 1, 0, 0};
    const auto findings = of(p);
    const found expected{"time-unit time_unit",
                         "time-base-power-of-two time_base",
                         "time-base-minimum time_base",
                         "start-range-index start_range_index",
                         "range-order range_low_bound_2",
                         "range-order range_low_bound_3",
                         "prev-range-index prev_range_index_2",
                         "dec-mode dec_mode_2"};
    found errors;
    bool warned = false;
    for (const auto &f : findings) {
        EXPECT_FALSE(f.error && warned) << "errors first";
        warned = warned || !f.error;
        if (f.error)
            errors.insert(std::string{f.id} + " " + f.field);
    }
    EXPECT_EQ(errors, expected);
}

TEST(check, initial_timeout)
{
    EXPECT_EQ(changed([](auto &p) { p.timeout_init_range_size = 0; }),
              found{"initial-fixed timeout_init_range_size"});
    EXPECT_EQ(changed([](auto &p) { p.timeout_init_low_bound = 15; }),
              found{"initial-outside timeout_init_low_bound, timeout_init_range_size"});
    EXPECT_EQ(changed([](auto &p) { p.timeout_init_low_bound = 19; }), found{});
    EXPECT_EQ(changed([](auto &p) { p.timeout_init_low_bound = 20; }),
              found{"initial-outside timeout_init_low_bound, timeout_init_range_size"});
    // 16 .. 20 lies in one range or the other.
    EXPECT_EQ(changed([](auto &p) { p.timeout_init_range_size = 5; }), found{});
}

TEST(check, retry_num_and_switch)
{
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[0].timeout_retry_num = 0; }),
              found{"retry-num-0 timeout_retry_num_0"});
    EXPECT_EQ(changed([](auto &p) { p.roce_adp_retrans_en = 0; }),
              found{"adp-off roce_adp_retrans_en"});
}

TEST(check, ranges_that_do_not_touch_overlap)
{
    EXPECT_EQ(changed([](auto &p) { p.timeout_range[0].range_size = 2; }),
              found{"range-overlap range_low_bound_1"});
    // Range 2 lies within range 0, behind range 1.
    EXPECT_EQ(changed([](auto &p) {
                  p.range_num = 3;
                  p.timeout_range[0] = {16, 6, 1, 1, 0};
                  p.timeout_range[1] = {17, 0, 1, 1, 0};
                  p.timeout_range[2] = {20, 0, 1, 1, 1};
              }),
              (found{"range-overlap range_low_bound_1", "range-overlap range_low_bound_2"}));
}

TEST(check, ack_timeout_of_the_queue_pairs)
{
    // Code 20 is 4.294967296 s, code 19 half of it, code 17 536.870912 ms, code 16 268.435456 ms.
    EXPECT_EQ(changed([](auto &) {}, {0, 0, 0, 0, 20}), found{});
    EXPECT_EQ(changed([](auto &) {}, {0, 0, 0, 0, 19}), found{"above-ack-timeout range_size_1"});
    EXPECT_EQ(changed([](auto &) {}, {0, 0, 0, 0, 17}),
              found{"above-ack-timeout range_low_bound_1"});
    EXPECT_EQ(changed([](auto &) {}, {0, 0, 0, 0, 16}),
              (found{"above-ack-timeout range_low_bound_1", "above-ack-timeout range_size_0"}));
    EXPECT_EQ(changed([](auto &) {}, {0, 0, 0, 0, 32}), found{}); // no such code
}

TEST(check, total_timeout)
{
    EXPECT_EQ(changed([](auto &p) { p.retx_total_timeout = 18; }), found{});
    EXPECT_EQ(changed([](auto &p) { p.retx_total_timeout = 17; }),
              found{"total-short retx_total_timeout"});
    EXPECT_EQ(changed([](auto &p) { p.retx_total_timeout = 0; }),
              found{"total-short retx_total_timeout"});
    EXPECT_EQ(changed([](auto &p) {
                  p.timeout_range[0].range_size = 5;
                  p.range_num = 1;
                  p.retx_total_timeout = 20;
              }),
              found{"total-short retx_total_timeout"});
    // 7 * 4.096 us << 14 = 470 ms: less than the second initial timeout, 524 ms.
    EXPECT_TRUE(changed([](auto &p) { p.qp_total_timeout = 1; }, {0, 0, 0, 0, 14})
                    .count("total-short qp_total_timeout"));
    EXPECT_EQ(changed([](auto &p) { p.qp_total_timeout = 1; }), found{});
}

TEST(check, only_what_is_given_is_judged)
{
    adp_profile p{};
    EXPECT_EQ(ids(of(p)), found{"incomplete fields"});
    p.fields = bit(ADP_FIELD_ROCE_ADP_RETRANS_EN);
    EXPECT_TRUE(of(p).empty());
    p = good();
    p.time_unit = 0;
    p.fields &= ~bit(ADP_FIELD_TIME_UNIT);
    EXPECT_EQ(ids(of(p)), found{"incomplete time_unit"});
    p.fields = bit(ADP_FIELD_TIME_BASE);
    EXPECT_EQ(ids(of(p)),
              (found{"incomplete time_unit", "incomplete start_range_index", "incomplete range_num",
                     "incomplete qp_total_timeout", "incomplete timeout_init_range_size",
                     "incomplete timeout_init_low_bound"}));
    EXPECT_FALSE(profile::has_error(of(p)));
    // What the vendor's raw command leaves out has no meaning.
    const auto set = parse(fixture("roce_accl/set-raw.txt"));
    EXPECT_EQ(ids(of(set.accl.profile)), found{"many-timer-events qp_total_timeout"});
    p = good();
    p.fields &= ~bit(ADP_FIELD_PREV_RANGE_INDEX_0 + 5) & ~bit(ADP_FIELD_RETX_TOTAL_TIMEOUT);
    EXPECT_EQ(ids(of(p)),
              (found{"incomplete prev_range_index_1", "incomplete retx_total_timeout"}));
}

// Texts fit the public structure, whatever is broken.
TEST(check, findings_fit_adp_finding)
{
    adp_finding room{};
    std::set<std::string> seen;
    const auto judge = [&](const adp_profile &p, const adp_profile_limits &limits) {
        for (const auto &f : of(p, limits)) {
            EXPECT_LT(f.field.size(), sizeof room.field) << f.field;
            EXPECT_LT(f.value.size(), sizeof room.value) << f.value;
            EXPECT_LT(f.rule.size(), sizeof room.rule) << f.rule;
            EXPECT_FALSE(f.source.empty());
            seen.insert(std::string{f.id});
        }
    };
    std::uint32_t state = 1;
    const auto next = [&state](std::uint32_t most) {
        state = state * 1664525 + 1013904223;
        const std::uint32_t pick = (state >> 8) % 8;
        return pick == 0 ? most : pick == 1 ? UINT32_MAX : (state >> 12) % (most + 1);
    };
    for (int i = 0; i < 20000; i++) {
        adp_profile p = good();
        for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
            const std::uint32_t value = next(reg::accl_field(n).max());
            if (std::uint32_t *m = reg::member(p, n); m != nullptr && (state >> 5) % 6 == 0)
                *m = value;
            if ((state >> 5) % 97 == 0)
                p.fields &= ~bit(n);
        }
        judge(p, {0, next(7), next(7), next(5000), next(31)});
    }
    judge(vendor_sample(), published);
    // Every rule has spoken.
    for (const auto &r : profile::rules())
        EXPECT_TRUE(seen.count(std::string{r.id})) << r.id;
}

// Timer by timer, as the vendor's text tells it.
TEST(walk, events_counted_one_by_one)
{
    adp_profile p = good();
    p.timeout_range[0] = {0, 3, 2, 0, 0};
    p.timeout_range[1] = {5, 2, 3, 0, 0};
    std::vector<std::uint64_t> timers{8000}; // the initial timeout, base << 1, in range 0
    for (const unsigned t : {16000U, 16000U, 32000U, 32000U, 128000U, 128000U, 128000U, 256000U,
                             256000U, 256000U, 512000U, 512000U, 512000U})
        timers.push_back(t);
    for (int i = 0; i < 50; i++)
        timers.push_back(512000);
    std::uint64_t elapsed = 0;
    std::uint64_t count = 0;
    for (const std::uint64_t t : timers) {
        EXPECT_EQ(profile::timer_events(p, 1, elapsed + 1, profile::beyond), count + 1);
        elapsed += t;
        count++;
        EXPECT_EQ(profile::timer_events(p, 1, elapsed, profile::beyond), count);
    }
    // Capped at 100 us.
    EXPECT_EQ(profile::timer_events(p, 1, 8000 + 2 * 16000 + 2 * 32000 + 10 * 100000, 100000), 15U);
    EXPECT_EQ(profile::timer_events(p, 1, 0, profile::beyond), 0U);
}

TEST(walk, enters_ranges_as_read)
{
    adp_profile p = good();
    p.range_num = 3;
    p.timeout_range[0] = {4, 1, 1, 0, 0};
    p.timeout_range[1] = {5, 2, 1, 0, 0};
    p.timeout_range[2] = {6, 0, 4, 0, 1};
    const auto exponents_from = [&p](std::uint32_t initial) {
        std::vector<std::uint32_t> all;
        for (const auto &s : profile::escalation(p, initial))
            all.push_back(s.exponent);
        return all;
    };
    using list = std::vector<std::uint32_t>;
    // 5 is the top of range 0; range 1 is entered at 5 again; range 2 lies below 7 and is passed.
    EXPECT_EQ(exponents_from(4), (list{4, 5, 5, 6, 7, 7}));
    EXPECT_EQ(exponents_from(7), (list{7, 7}));
    EXPECT_EQ(exponents_from(9), (list{9, 4, 5, 5, 6, 7, 7})); // in no range: the start range
    p.start_range_index = 2;
    EXPECT_EQ(exponents_from(0), (list{0, 6, 6}));
    p.range_num = 0;
    EXPECT_EQ(exponents_from(3), (list{3, 3}));
}

} // namespace adp::test
