// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core_test.h"

#include "profile/describe.h"
#include "profile/time.h"

namespace adp::test {

namespace {

std::string line_of(const adp_profile &p, const std::string &key)
{
    for (const auto &l : profile::describe(p))
        if (l.key == key)
            return l.text;
    return {};
}

} // namespace

TEST(time, exact_with_units)
{
    EXPECT_EQ(profile::time_text(0), "0 ns");
    EXPECT_EQ(profile::time_text(999), "999 ns");
    EXPECT_EQ(profile::time_text(4000), "4 us");
    EXPECT_EQ(profile::time_text(4096), "4.096 us");
    EXPECT_EQ(profile::time_text(32768000), "32.768 ms");
    EXPECT_EQ(profile::time_text(1000000001), "1.000000001 s");
    EXPECT_EQ(profile::time_text(8796093022208), "8796.093022208 s");
    EXPECT_EQ(profile::time_text(profile::beyond), "more than 292 years");
    EXPECT_EQ(profile::time_ns(4000, 13), 32768000U); // 4 us << 13 = 32.768 ms
    EXPECT_EQ(profile::time_ns(1, 63), std::uint64_t{1} << 63);
    EXPECT_EQ(profile::time_ns(2, 63), profile::beyond);
    EXPECT_EQ(profile::time_ns(3, 62), profile::beyond);
    EXPECT_EQ(profile::time_ns(1, 64), profile::beyond);
    EXPECT_EQ(profile::time_ns(0, 500), 0U);
    EXPECT_EQ(profile::ack_timeout_ns(14), 67108864U);
    EXPECT_EQ(profile::ack_timeout_ns(0), profile::beyond);
}

TEST(describe, the_vendors_sample)
{
    const adp_profile p = vendor_sample();
    EXPECT_EQ(line_of(p, "adaptive retransmission"), "on");
    EXPECT_EQ(line_of(p, "profile"), "1");
    EXPECT_EQ(line_of(p, "base"), "4 us");
    EXPECT_EQ(line_of(p, "initial timeout"),
              "4 us or 8 us, drawn once per queue pair, as read from the vendor's text");
    EXPECT_EQ(line_of(p, "range 0"),
              "4 us .. 16 us, 1 retry each, then double; on progress divide by 2");
    EXPECT_EQ(line_of(p, "end"),
              "16 us is held until the queue pair fails, as read from the vendor's text");
    EXPECT_EQ(line_of(p, "total"),
              "a queue pair fails after retry_cnt x timeout of the queue pair without progress");
    EXPECT_HAS(line_of(p, "accuracy"), "up to 4 times");
    EXPECT_HAS(line_of(p, "cap"), "ack timeout");
}

TEST(describe, two_ranges)
{
    const adp_profile p = parse(fixture("profile/two-ranges.toml")).accl.profile;
    EXPECT_EQ(
        line_of(p, "initial timeout"),
        "262.144 ms or 524.288 ms, drawn once per queue pair, as read from the vendor's text");
    EXPECT_EQ(line_of(p, "range 0"),
              "262.144 ms .. 524.288 ms, 2 retries each, then double, then range 1; "
              "on progress to the low bound");
    EXPECT_EQ(line_of(p, "range 1"),
              "1.048576 s .. 4.194304 s, 3 retries each, then double; on progress divide by 4; at "
              "1.048576 s back to range 0, as read from the vendor's text");
    EXPECT_EQ(line_of(p, "total"), "a queue pair fails after 33.554432 s without progress");
    EXPECT_EQ(line_of(p, "profile"), "");
}

TEST(describe, single_values_and_odd_ones)
{
    adp_profile p = vendor_sample();
    p.timeout_init_range_size = 0;
    p.timeout_range[0] = {14, 0, 0, 3, 0};
    EXPECT_EQ(line_of(p, "initial timeout"), "4 us for every queue pair");
    EXPECT_EQ(line_of(p, "range 0"), "65.536 ms, 0 retries (counted as 1)");
    EXPECT_HAS(line_of(p, "start"), "where it lies in no range, range 0 follows");
    p.timeout_init_range_size = 5;
    EXPECT_HAS(line_of(p, "initial timeout"), "4 us, doubled any number of times up to 64 us");
    p.timeout_range[0].range_size = 255;
    EXPECT_HAS(line_of(p, "range 0"), "65.536 ms .. more than 292 years");
    p.qp_total_timeout = 0;
    EXPECT_HAS(line_of(p, "total"), "after 4 us without progress: at its first timeout");
}

TEST(describe, only_what_is_held)
{
    adp_profile p = vendor_sample();
    p.adp_retx_profile_id = 0;
    EXPECT_EQ(line_of(p, "profile"), "0, the firmware's own timeouts");
    EXPECT_EQ(line_of(p, "base"), "");
    p.fields = 0;
    EXPECT_TRUE(profile::describe(p).empty());
    p.fields = bit(ADP_FIELD_RANGE_SIZE_0);
    EXPECT_TRUE(profile::describe(p).empty());
    p.fields = bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_RANGE_NUM);
    EXPECT_EQ(profile::describe(p).size(), 2U); // base, accuracy
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT + 40; n++) {
        adp_profile wild{};
        wild.fields = UINT64_MAX;
        wild.range_num = wild.timeout_init_low_bound = wild.timeout_init_range_size = UINT32_MAX;
        for (auto &r : wild.timeout_range)
            r = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
        static_cast<void>(profile::meaning(wild, n % 64));
        EXPECT_FALSE(profile::describe(wild).empty());
    }
}

TEST(differences, field_by_field_with_times)
{
    const adp_profile a = vendor_sample();
    adp_profile b = a;
    EXPECT_TRUE(profile::differences(a, b).empty());
    b.timeout_range[0].range_low_bound = 3;
    b.timeout_range[0].dec_mode = 2;
    b.fields &= ~bit(ADP_FIELD_START_RANGE_INDEX);
    const auto changes = profile::differences(a, b);
    ASSERT_EQ(changes.size(), 4U);
    EXPECT_EQ(changes[0].field, "start_range_index");
    EXPECT_EQ(changes[0].before, 0U);
    EXPECT_FALSE(changes[0].after);
    EXPECT_EQ(changes[1].field, "range_size_0"); // the same number, another time
    EXPECT_EQ(changes[1].before_text, "up to 16 us");
    EXPECT_EQ(changes[1].after_text, "up to 128 us");
    EXPECT_EQ(changes[2].field, "range_low_bound_0");
    EXPECT_EQ(changes[2].before, 0U);
    EXPECT_EQ(changes[2].after, 3U);
    EXPECT_EQ(changes[2].before_text, "4 us");
    EXPECT_EQ(changes[2].after_text, "32 us");
    EXPECT_EQ(changes[3].field, "dec_mode_0");
    EXPECT_EQ(changes[3].after_text, "to the low bound");
}

} // namespace adp::test
