// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Text that is no register: refused with a reason, in bounded time.
#include "core_test.h"

#include "register/text_scan.h"

#include <random>

namespace adp::test {

TEST(hostile_text, empty_and_blank)
{
    for (const char *text : {"", " ", "\n\n\t\r\n", "\xef\xbb\xbf", "\x1b[0m\n"})
        EXPECT_HAS(refusal(text), "no text");
    EXPECT_NE(refusal("# only a comment\n"), "");
}

TEST(hostile_text, binary_and_not_utf8)
{
    EXPECT_HAS(refusal(std::string_view{"time_base=4\0,x", 14}), "line 1, column 12: a zero byte");
    EXPECT_HAS(refusal("\x7f"
                       "ELF\x02\x01\x01"),
               "no form");
    EXPECT_HAS(refusal("time_base=4\ntime_unit=\xff\n"),
               "line 2, column 11: byte 0xff is not UTF-8");
    for (const char *bad :
         {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xf0\x80\x80\x80"})
        EXPECT_HAS(refusal(bad), "not UTF-8") << bad;
    EXPECT_EQ(
        image_of(
            parse("caf\xc3\xa9 \xf0\x9f\x98\x80\n" + fixture("roce_accl/raw-before.txt")).accl),
        before);
    const std::string utf16{"\xff\xfe"
                            "t\0i\0m\0e\0",
                            10};
    EXPECT_HAS(refusal(utf16), "not UTF-8");
}

TEST(hostile_text, too_large)
{
    std::string text(reg::max_text, ' ');
    text.replace(0, 11, "time_base=4");
    EXPECT_EQ(parse(text).accl.profile.time_base, 4U);
    EXPECT_HAS(refusal(text + " "), "1048577 bytes are more than a register or a profile takes");
    EXPECT_HAS(refusal(std::string(100U << 20U, 'a')), "104857600 bytes");
}

// The worst cases of each form at full size: none takes more than linear time, or this test times
// out.
TEST(hostile_text, full_size)
{
    const auto filled = [](const std::string &unit) {
        std::string text;
        while (text.size() + unit.size() <= reg::max_text)
            text += unit;
        return text;
    };
    for (const char *unit : {"[",
                             "{\"a\":",
                             "[[a]]\n",
                             "a=1\n",
                             "a.b=1\n",
                             "0x0 | 0x0\n",
                             "time_base | 0x1\n",
                             "x | 0x1\n",
                             "Field Name | Data\ntime_base | 0x1\n",
                             "Field Name | Data\n====\nx | 0x1\n========\n",
                             "--set a\\\n",
                             "--set\n",
                             "mlxreg --set ",
                             "a=1,",
                             "0x4.0:1=1,",
                             "time_unit ",
                             "\x1b[",
                             "\x1b]",
                             "0",
                             "a",
                             "|",
                             "=",
                             "#",
                             "\"",
                             "'",
                             "\\",
                             "\n",
                             "time_base 1\n",
                             "-E- x\n",
                             "\xe2\x80\x9c"})
        static_cast<void>(reg::parse_text(filled(unit)));
    for (const char *start :
         {"{\"a\":[", "{\"fields\":{", "[{", "mlxreg --set \"", "Field Name | Data\n"})
        for (const char *unit :
             {"1,", "\"a\":1,", "[],", "x ", "{},", "time_base | 0x1\n", "range_sise=1,"})
            static_cast<void>(reg::parse_text(start + filled(unit).substr(0, reg::max_text - 32)));
}

// Any change of a byte gives a result or a reason, never anything else.
TEST(hostile_text, damaged_inputs)
{
    std::mt19937 random(4711); // NOLINT: always the same
    for (const char *name :
         {"roce_accl/named-after.txt", "roce_accl/raw-set-preview.txt", "roce_accl/set-named.txt",
          "roce_accl/set-raw.txt", "profile/vendor-sample.toml", "profile/show.json",
          "roce_accl/R32-old-roce-accl.txt"}) {
        const std::string text = fixture(name);
        for (int i = 0; i < 400; i++) {
            std::string damaged = text;
            for (int k = 0; k < 3; k++)
                damaged[random() % damaged.size()] = static_cast<char>(random() % 128);
            if (i % 4 == 0)
                damaged.resize(random() % damaged.size());
            const auto r = reg::parse_text(damaged);
            if (r) {
                EXPECT_EQ(r->accl.profile.fields, r->accl.fields & reg::profile_fields());
            } else {
                EXPECT_FALSE(r.err().reason.empty());
            }
        }
    }
}

TEST(number, what_is_one)
{
    EXPECT_EQ(*reg::number("0"), 0U);
    EXPECT_EQ(*reg::number("00"), 0U);
    EXPECT_EQ(*reg::number("4294967295"), 4294967295U);
    EXPECT_EQ(*reg::number("0xffffffff"), 4294967295U);
    EXPECT_EQ(*reg::number("0X1F"), 31U);
    EXPECT_EQ(*reg::number("0x0000000000001"), 1U);
    for (const char *bad :
         {"", " 1", "1 ", "+1", "-0", "0x", "0xg", "1e3", "1.0", "1_000", "0b1", "012",
          "4294967296", "0x100000000", "99999999999999999999999", "\xc2\xb2"})
        EXPECT_FALSE(reg::number(bad)) << bad;
}

} // namespace adp::test
