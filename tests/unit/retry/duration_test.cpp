// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/duration.h"
#include "retry/types.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>

namespace adp::retry {
namespace {

TEST(duration, good)
{
    const struct {
        const char *text;
        std::uint64_t ns;
    } cases[] = {{"3s", 3'000'000'000},
                 {"1000000.00us", 1'000'000'000},
                 {"1000.00us", 1'000'000},
                 {"50 ms", 50'000'000},
                 {"0s", 0},
                 {"1.5ms", 1'500'000},
                 {".5us", 500},
                 {"2m", 120'000'000'000},
                 {"2min", 120'000'000'000},
                 {"1h", 3'600'000'000'000},
                 {"0.000000001s", 1},
                 {"4.2950000000s", 4'295'000'000},
                 {"7ns", 7}};
    for (const auto &c : cases) {
        const result<std::uint64_t> r = parse_duration(c.text);
        ASSERT_TRUE(r) << c.text;
        EXPECT_EQ(*r, c.ns) << c.text;
    }
    EXPECT_EQ(*parse_duration("3", "s"), 3'000'000'000U);
    EXPECT_EQ(*parse_duration("0.25", "ms"), 250'000U);
}

TEST(duration, bad)
{
    for (const char *text : {"",
                             " ",
                             "-1s",
                             "-0.5s",
                             "s",
                             "ms",
                             ".",
                             ".s",
                             "1",
                             "1.5",
                             "10 x",
                             "3 S",
                             "3sec",
                             "1 s ",
                             "1..5s",
                             "1e3s",
                             "0x10s",
                             "99999999999999999999s",
                             "5000000000s",
                             "1.0000000005s",
                             "146y",
                             "+1s",
                             "1,5s",
                             "nan",
                             "inf"}) {
        const result<std::uint64_t> r = parse_duration(text);
        ASSERT_FALSE(r) << text;
        EXPECT_EQ(r.err().code, EINVAL) << text;
        EXPECT_NE(r.err().reason.find(std::string("'") + text + "'"), std::string::npos);
    }
    EXPECT_NE(parse_duration("50").err().reason.find("no unit"), std::string::npos);
    EXPECT_NE(parse_duration("-50ms").err().reason.find("negative"), std::string::npos);
}

TEST(duration, format_has_four_digits)
{
    const struct {
        std::uint64_t ns;
        const char *text;
    } cases[] = {{0, "0 s"},
                 {never, "never"},
                 {1, "1 ns"},
                 {8192, "8.192 us"},
                 {16384, "16.38 us"},
                 {67'108'864, "67.11 ms"},
                 {469'762'048, "469.8 ms"},
                 {3'662'096'000, "3.662 s"},
                 {59'765'542'000, "59.77 s"},
                 {8'796'093'022'208, "8796 s"},
                 {999'999'999, "1000 ms"},
                 {1'000'000'000, "1 s"},
                 {120'000'000'000, "120 s"}};
    for (const auto &c : cases)
        EXPECT_EQ(format_duration(c.ns), c.text);
}

TEST(duration, units_and_numbers)
{
    EXPECT_TRUE(has_time_unit("3s"));
    EXPECT_TRUE(has_time_unit("10 us"));
    EXPECT_FALSE(has_time_unit("20"));
    EXPECT_FALSE(has_time_unit("s"));
    EXPECT_FALSE(has_time_unit("0x1f"));
    EXPECT_EQ(*parse_number("0x1F"), 31U);
    EXPECT_EQ(*parse_number("18446744073709551615"), UINT64_MAX);
    for (const char *bad : {"", "0x", "x", "-1", "1.5", "12 ", "18446744073709551616", "1k"})
        EXPECT_FALSE(parse_number(bad)) << bad;
    for (const char *zeros : {"0", "00", "0x010"})
        EXPECT_TRUE(parse_number(zeros)) << zeros;
    for (const char *octal : {"010", "014", "0099"})
        EXPECT_NE(parse_number(octal).err().reason.find("octal"), std::string::npos) << octal;
}

TEST(times, stop_instead_of_wrapping)
{
    EXPECT_EQ(add_time(never, 1), never);
    EXPECT_EQ(add_time(long_time - 1, 5), long_time);
    EXPECT_EQ(times(never, 0), 0U);
    EXPECT_EQ(times(1, long_time), long_time);
    EXPECT_EQ(times(UINT64_MAX - 1, 3), long_time);
    EXPECT_EQ(shift_time(4000, 61), long_time);
    EXPECT_EQ(shift_time(4000, 200), long_time);
    EXPECT_EQ(shift_time(0, 200), 0U);
    EXPECT_EQ(shift_time(4000, 10), 4'096'000U);
}

TEST(traps, names_are_stable)
{
    EXPECT_STREQ(trap_name(trap::over_field), "over_field");
    EXPECT_STREQ(trap_name(trap::not_measured), "not_measured");
    EXPECT_STREQ(trap_name(trap::info), "info");
}

} // namespace
} // namespace adp::retry
