// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Profile files (TOML), JSON and hex digits.
#include "core_test.h"

namespace adp::test {

namespace {

constexpr const char *raw_hex = "1800065f100000054100"
                                "0fa000000000"
                                "90400004"
                                "00000002"
                                "04010002"
                                "0000000000000000000000000000000000000000000000000000000000000000"
                                "00000000";

std::string spread(const std::string &digits, std::size_t group, const std::string &before_group,
                   const std::string &between)
{
    std::string out;
    for (std::size_t i = 0; i < digits.size(); i += group)
        out += (i == 0 ? "" : between) + before_group + digits.substr(i, group);
    return out;
}

const std::string toml = "time_base = 4\nqp_total_timeout = 1\ntimeout_init_low_bound = 0\n"
                         "timeout_init_range_size = 2\n";
const std::string toml_range = "[[timeout_range]]\nrange_low_bound = 0\nrange_size = 2\n"
                               "timeout_retry_num = 1\ndec_mode = 1\n";

} // namespace

TEST(hex, with_anything_between)
{
    const std::string digits =
        std::string{raw_hex} + std::string(128 - std::string{raw_hex}.size(), '0');
    for (const std::string &text :
         {digits, digits + "\n", spread(digits, 8, "0x", "\n"), spread(digits, 2, "", ":"),
          spread(digits, 4, "", " "), spread(digits, 32, "", "\r\n"),
          spread(digits, 8, "0X", ", ")}) {
        const auto p = parse(text);
        EXPECT_EQ(p.format, ADP_FORMAT_HEX) << text;
        EXPECT_EQ(image_of(p.accl), after) << text;
        EXPECT_TRUE(p.whole);
    }
    EXPECT_HAS(refusal(digits.substr(1)), "127 hex digits; the register has 128");
    EXPECT_HAS(refusal(digits + "0"), "129 hex digits");
    EXPECT_EQ(image_of(parse(digits + std::string(128, '0')).accl), after);
    EXPECT_TRUE(has_note(parse(digits + std::string(127, '0') + "1"), "not all 0"));
    EXPECT_NE(refusal(digits.substr(2) + "zz"), "");
}

TEST(toml, the_vendors_sample)
{
    const auto p = parse(fixture("profile/vendor-sample.toml"));
    EXPECT_EQ(p.format, ADP_FORMAT_TOML);
    EXPECT_EQ(p.accl.fields, reg::profile_fields());
    EXPECT_EQ(put_over(p, before), after);
    EXPECT_FALSE(p.whole);
}

TEST(toml, two_ranges)
{
    const auto p = parse(fixture("profile/two-ranges.toml")).accl.profile;
    EXPECT_EQ(p.fields, reg::profile_block_fields() & ~bit(ADP_FIELD_ADP_RETX_PROFILE_ID));
    EXPECT_EQ(p.range_num, 2U);
    EXPECT_EQ(p.time_unit, 1U);
    EXPECT_EQ(p.start_range_index, 0U);
    EXPECT_EQ(p.retx_total_timeout, 23U);
    EXPECT_EQ(p.timeout_range[1].range_low_bound, 18U);
    EXPECT_EQ(p.timeout_range[1].range_size, 2U);
    EXPECT_EQ(p.timeout_range[1].timeout_retry_num, 3U);
    EXPECT_EQ(p.timeout_range[2].range_size, 0U);
}

TEST(toml, other_spellings)
{
    const adp_profile expected = parse(toml + toml_range).accl.profile;
    const std::string inline_ranges =
        toml + "timeout_range = [\n  { range_low_bound = 0, range_size = 2, timeout_retry_num = 1, "
               "dec_mode = 1 },\n]\n";
    const std::string hex = "time_base = 0x4\nqp_total_timeout = true\ntimeout_init_low_bound = 0\n"
                            "timeout_init_range_size = 0b10\n" +
                            toml_range;
    for (const std::string &text : {inline_ranges, hex, "\r\n" + toml + "\r\n" + toml_range}) {
        const adp_profile p = parse(text).accl.profile;
        EXPECT_EQ(p.fields, expected.fields) << text;
        EXPECT_EQ(p.qp_total_timeout, 1U) << text;
        EXPECT_EQ(p.time_base, 4U) << text;
        EXPECT_EQ(p.timeout_init_range_size, 2U) << text;
        EXPECT_EQ(p.timeout_range[0].range_size, 2U) << text;
    }
}

TEST(toml, what_is_missing_is_listed_at_once)
{
    EXPECT_HAS(
        refusal("time_base = 4\n[[timeout_range]]\nrange_low_bound = 0\n[[timeout_range]]\n"
                "range_low_bound = 3\nrange_size = 1\ntimeout_retry_num = 1\n"),
        "missing: qp_total_timeout, timeout_init_low_bound, timeout_init_range_size, "
        "retx_total_timeout, timeout_range[0].range_size, timeout_range[0].timeout_retry_num, "
        "timeout_range[0].dec_mode, timeout_range[1].dec_mode, timeout_range[1].prev_range_index");
    EXPECT_HAS(refusal(toml), "missing: timeout_range");
    // With qp_total_timeout 0 nothing says when a queue pair fails.
    EXPECT_HAS(refusal("time_base = 4\nqp_total_timeout = 0\ntimeout_init_low_bound = 0\n"
                       "timeout_init_range_size = 2\n" +
                       toml_range),
               "missing: retx_total_timeout");
    EXPECT_HAS(refusal(toml + "range_num = 2\n" + toml_range),
               "line 5, column 13: range_num is 2, but timeout_range has 1 entry");
    EXPECT_EQ(refusal(toml + "range_num = 0\n"), "");
}

TEST(toml, unknown_keys_and_wrong_values)
{
    EXPECT_HAS(refusal("time_bse = 4\n" + toml),
               "line 1, column 12: 'time_bse' is not a key of a profile, did you mean time_base?");
    EXPECT_HAS(refusal(toml + toml_range + "range_sise = 1\n"),
               "not a key of timeout_range[0], did you mean range_size?");
    EXPECT_HAS(refusal("base_timeout_min = 1\nx = 2\n" + toml), "; 'x' is not a key");
    EXPECT_HAS(
        refusal("time_base = 65536\n" + toml.substr(14) + toml_range),
        "line 1, column 13: time_base: 65536 (0x10000) does not fit its 16 bits (at most 65535)");
    EXPECT_HAS(refusal("time_base = -4\n" + toml.substr(14) + toml_range),
               "time_base: -4 is negative");
    EXPECT_HAS(refusal("time_base = 4.5\n" + toml.substr(14) + toml_range),
               "4.5 is not a whole number");
    EXPECT_HAS(refusal("time_base = 4294967296\n" + toml.substr(14) + toml_range),
               "does not fit 32 bits");
    EXPECT_HAS(refusal("time_base = '4'\n" + toml.substr(14) + toml_range),
               "a string in place of a number");
    EXPECT_HAS(refusal("time_base = true\n" + toml.substr(14) + toml_range), "true or false");
    EXPECT_HAS(refusal("time_base = 2025-01-01\n" + toml.substr(14) + toml_range),
               "not a whole number");
    EXPECT_HAS(refusal("time_base = [4]\n" + toml.substr(14) + toml_range),
               "an array in place of a number");
    EXPECT_HAS(refusal("time_base = 010\n" + toml), "line 1, column");
    EXPECT_HAS(refusal("time_base = 4 us\n" + toml), "TOML: ");
    EXPECT_HAS(refusal("time_base = \n" + toml), "TOML: ");
    EXPECT_HAS(refusal("time_base = 4\n" + toml), "line 2");
    EXPECT_HAS(refusal(toml + "timeout_range = 3\n"), "a number in place of a list of ranges");
    EXPECT_HAS(refusal(toml + "timeout_range = [3]\n"),
               "timeout_range[0]: a number in place of a range");
    EXPECT_HAS(refusal(toml + toml_range + toml_range + toml_range + toml_range + toml_range),
               "has 5 entries; the register has room for 4");
}

TEST(toml, endless_keys_and_nesting)
{
    std::string dots = "a";
    for (int i = 0; i < 100000; i++)
        dots += ".a";
    EXPECT_HAS(refusal("b = 2\n" + dots + " = 1\n"), "too many dots");
    for (const char *header : {"[[ [a]]", "[[[a", "[.a]", "[", "[ ]", "[[", "[=", "[\"", "['"})
        EXPECT_NE(refusal("b = 2\n" + std::string{header}), "") << header;
    EXPECT_NE(refusal("a = " + std::string(100000, '[') + "\nb = 2\n"), "");
    EXPECT_NE(refusal("a = " + std::string(50, '[') + std::string(50, ']') + "\nb = 2\n"), "");
}

TEST(json, profile_show)
{
    const std::string text = fixture("profile/show.json");
    const auto p = parse(text);
    EXPECT_EQ(p.format, ADP_FORMAT_JSON);
    EXPECT_EQ(p.accl.profile.fields, reg::profile_fields());
    EXPECT_EQ(put_over(p, before), after);
    EXPECT_EQ(p.accl.adp_retx_base_timeout_min, 4000U);
    EXPECT_NE(p.accl.fields & bit(ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM), 0U);
    // The element alone, and the profile alone.
    EXPECT_EQ(put_over(parse(text.substr(1, text.rfind(']') - 1)), before), after);
    const std::string bare =
        text.substr(text.find("{\"time_base"), text.rfind("}]") - text.find("{\"time_base"));
    const auto b = parse(bare);
    EXPECT_EQ(b.accl.fields, reg::profile_fields() & ~bit(ADP_FIELD_ADP_RETX_PROFILE_ID) &
                                 ~bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(b.accl.profile.timeout_range[0].timeout_retry_num, 1U);
}

TEST(json, profile_show_of_a_firmware_without_profiles)
{
    EXPECT_HAS(
        refusal(
            "[{\"dev\":\"sim0\",\"active_id\":null,\"active_id_reason\":\"old\",\"adp_enabled\":1,"
            "\"profile\":{\"time_base\":null,\"time_base_reason\":\"this firmware has no ADP "
            "profiles\",\"timeout_range\":[{\"range_size\":null,\"range_size_reason\":\"old\"}]}}"
            "]"),
        "the profile is not complete; missing: time_base, qp_total_timeout");
}

TEST(json, accl_show)
{
    const std::string raw =
        "\"raw\":[\"0x1800065f\",\"0x10000005\",\"0x41000fa0\",\"0x0\",\"0x90400004\",\"0x2\","
        "\"0x04010002\",\"0x0\",\"0x0\",\"0x0\",\"0x0\",\"0x0\",\"0x0\",\"0x0\",\"0x0\",\"0x0\"]";
    const auto p = parse("[{\"dev\":\"mlx5_0\"," + raw + ",\"fields\":{\"time_base\":4}}]");
    EXPECT_EQ(image_of(p.accl), after);
    EXPECT_TRUE(p.whole);
    EXPECT_HAS(refusal("{" + raw + ",\"fields\":{\"time_base\":8}}"),
               "raw and fields differ: time_base");
    const auto named =
        parse("{\"fields\":{\"time_base\":4,\"roce_adp_retrans_en\":1,\"cc_burst_size\":null,"
              "\"new_field\":3},\"supported\":{\"roce_adp_retrans_en\":1,\"time_base\":1}}");
    EXPECT_EQ(named.accl.fields, bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(named.accl.raw[0], 0x10000001U);
    ASSERT_EQ(named.unknown_rows.size(), 1U);
    EXPECT_EQ(named.unknown_rows[0].value, 3U);
    EXPECT_HAS(refusal("{\"raw\":[\"0x0\"]}"), "not a list of 16 dwords");
    EXPECT_HAS(refusal("{\"raw\":{}}"), "not a list of 16 dwords");
    EXPECT_HAS(refusal("{\"fields\":3}"), "in place of an object");
}

TEST(json, wrong_ones)
{
    EXPECT_HAS(refusal("[]"), "an array of 0 elements");
    EXPECT_HAS(refusal("[{}, {}]"), "an array of 2 elements; a register is one");
    EXPECT_HAS(refusal("{}"), "missing: time_base, qp_total_timeout");
    EXPECT_HAS(
        refusal("{\"dev\":\"mlx5_0\",\"profile\":null,\"profile_reason\":\"firmware too old\"}"),
        "no profile in it: 'firmware too old'");
    EXPECT_HAS(refusal("{\n  \"time_base\": 4,\n  \"time_base\": 8\n}"),
               "line 3, column 3: JSON: 'time_base' is given twice");
    EXPECT_HAS(refusal("{\n  \"time_base\": 65536\n}"), "line 2, column 16: time_base: 65536");
    EXPECT_HAS(refusal("{\"time_base\": -1}"), "-1 is negative");
    EXPECT_HAS(refusal("{\"time_base\": 1.5}"), "1.5 is not a whole number");
    EXPECT_HAS(refusal("{\"time_base\": 18446744073709551616}"), "not a whole number");
    EXPECT_HAS(refusal("{\"time_base\": 1e999}"), "JSON: ");
    EXPECT_HAS(refusal("{\"time_base\": \"4\"}"), "a string in place");
    EXPECT_HAS(refusal("{\"time_base\": 4"), "line 1, column 15: JSON: syntax error");
    EXPECT_HAS(refusal("{\"time_base\": 4} x"), "JSON: syntax error");
    EXPECT_HAS(refusal("{\"time_base\": 010}"), "JSON: syntax error");
    EXPECT_HAS(refusal("{\"time_bass\": 4}"), "did you mean time_base?");
    EXPECT_HAS(refusal("{\"profile\": 4}"), "a number in place of a profile");
    EXPECT_HAS(refusal("[{\"profile\":" + std::string(100000, '[')), "nested too deeply");
    std::string many = "{\"profile\":[";
    for (int i = 0; i < 2000; i++)
        many += "1,";
    EXPECT_HAS(refusal(many), "too many members");
}

} // namespace adp::test
