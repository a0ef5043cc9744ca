// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The tables that mlxreg and mstreg print.
#include "core_test.h"

#include <algorithm>

namespace adp::test {

namespace {

constexpr std::uint64_t all = bit(ADP_FIELD_COUNT) - 1;

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string without_line(const std::string &text, const std::string &start)
{
    const std::size_t at = text.find(start);
    EXPECT_NE(at, std::string::npos) << start;
    return text.substr(0, at) + text.substr(text.find('\n', at) + 1);
}

// The same text as another terminal gives it.
std::string with_crlf(const std::string &text)
{
    std::string out;
    for (const char c : text)
        out += c == '\n' ? std::string{"\r\n"} : std::string{c};
    return out;
}

} // namespace

TEST(named_table, reads_the_vendors_dumps)
{
    const auto b = parse(fixture("roce_accl/named-before.txt"));
    EXPECT_EQ(b.format, ADP_FORMAT_NAMED);
    EXPECT_EQ(image_of(b.accl), before);
    const auto a = parse(fixture("roce_accl/named-after.txt"));
    EXPECT_EQ(image_of(a.accl), after);
    // The document's dump has every row but the newer cc_probe_mp_mode.
    EXPECT_EQ(a.accl.fields, all & ~bit(ADP_FIELD_CC_PROBE_MP_MODE));
    EXPECT_EQ(a.accl.profile.fields, reg::profile_fields());
    EXPECT_EQ(a.accl.supported, reg::supported_fields(0x1800065f));
    EXPECT_EQ(a.accl.profile.time_base, 4U);
    EXPECT_EQ(a.accl.profile.timeout_range[0].dec_mode, 1U);
    EXPECT_EQ(a.accl.adp_retx_base_timeout_min, 4000U);
    EXPECT_FALSE(a.whole);
}

TEST(named_table, unknown_rows_are_kept)
{
    const auto p = parse(replaced(fixture("roce_accl/named-before.txt"),
                                  "ps_metadata_reg_id                         \t| 0x00000000",
                                  "ps_metadata_reg_id                         \t| 0x0000002a"));
    ASSERT_EQ(p.unknown_rows.size(), 2U);
    EXPECT_EQ(p.unknown_rows[0].name, "ps_metadata_reg_id_select");
    EXPECT_EQ(p.unknown_rows[1].name, "ps_metadata_reg_id");
    EXPECT_EQ(p.unknown_rows[1].value, 0x2aU);
    EXPECT_TRUE(has_note(p, "ps_metadata_reg_id (0x2a)"));
    EXPECT_EQ(image_of(p.accl), before);
}

TEST(named_table, as_pasted_from_terminals_and_web_pages)
{
    const std::string text = fixture("roce_accl/named-after.txt");
    std::string blanks = text;
    std::replace(blanks.begin(), blanks.end(), '\t', ' ');
    std::string upper = text;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' && c != 'x' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    const std::string variants[] = {
        blanks,
        with_crlf(text),
        "[]$ sudo mlxreg -d 1a:00.0 --yes --reg_name ROCE_ACCL --get\n" + text + "[]$ \n",
        "[root@host ~]# mstreg -d 1a:00.0 --reg_name ROCE_ACCL --get | cat\n" + text,
        "\x1b[1;32muser@host\x1b[0m:\x1b]0;title\x07~$ mlxreg --get\n" + text + "\x1b[?2004h",
        "\xef\xbb\xbf" + text,
        replaced(text, "time_base                                  \t",
                 "time_base\xc2\xa0\xc2\xa0"),
        upper,
        replaced(text, "\nrange_num    ",
                 "\nkernel: mlx5_core 0000:1a:00.0: link up\nrange_num    "),
        "adp: 2025-10-01T00:00:00 | 17 devices\n" + text,
    };
    for (const std::string &v : variants) {
        const auto p = parse(v);
        EXPECT_EQ(image_of(p.accl), after) << v.substr(0, 200);
        EXPECT_EQ(p.accl.profile.fields, reg::profile_fields()) << v.substr(0, 200);
    }
    EXPECT_TRUE(has_note(parse(variants[8]), "1 line between the rows"));
}

TEST(named_table, journal_prefixes_stand_before_each_line)
{
    std::string text;
    std::string line;
    std::string dump = fixture("roce_accl/named-after.txt");
    for (const char c : dump) {
        if (c != '\n') {
            line += c;
            continue;
        }
        text += "Oct 01 10:00:00 host adp-collect[77]: " + line + "\n";
        line.clear();
    }
    const auto p = parse(text);
    EXPECT_EQ(image_of(p.accl), after);
    EXPECT_FALSE(has_note(p, "no line that ends it"));
}

// mstreg --detailed and --full_path, as mstflint 4.36 prints them (mlxreg_ui.cpp).
TEST(named_table, detailed_and_full_path)
{
    const auto detailed =
        parse("Field Name                     | Hex Value  | Decimal    | Enum/Type\n"
              "=====================================================================\n"
              "roce_adp_retrans_en            | 0x00000001 | 1          |\n"
              "cc_burst_size                  | 0x00000007 | 7          | BURST_1_5KB\n"
              "=====================================================================\n");
    EXPECT_EQ(detailed.accl.fields,
              bit(ADP_FIELD_ROCE_ADP_RETRANS_EN) | bit(ADP_FIELD_CC_BURST_SIZE));
    EXPECT_EQ(detailed.accl.cc_burst_size, 7U);
    const auto path = parse("Field Name                                 | Data\n"
                            "=====================================================\n"
                            "adp_retx_profile.time_base                 | 0x00000008\n"
                            "adp_retx_profile.timeout_range[2].dec_mode | 0x00000002\n"
                            "=====================================================\n");
    EXPECT_EQ(path.accl.fields, bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_DEC_MODE_0 + 10));
    EXPECT_EQ(path.accl.profile.time_base, 8U);
    EXPECT_EQ(path.accl.profile.timeout_range[2].dec_mode, 2U);
}

TEST(named_table, of_an_old_firmware_holds_no_profile)
{
    std::string text = fixture("roce_accl/named-before.txt");
    const std::string cut = text.substr(0, text.find("adp_retx_profile_id")) +
                            "============================================================\n";
    const auto old_tool = parse(cut);
    EXPECT_EQ(old_tool.accl.fields & reg::profile_fields(), bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(old_tool.accl.fields & bit(ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN), 0U);
    // A new tool prints rows for what the firmware does not have.
    const auto new_tool =
        parse(replaced(text, "adp_retx_profile_select                    \t| 0x00000001",
                       "adp_retx_profile_select                    \t| 0x00000000"));
    EXPECT_EQ(new_tool.accl.profile.fields, bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(new_tool.accl.fields & bit(ADP_FIELD_ADP_RETX_PROFILE_MAX_ID), 0U);
    EXPECT_TRUE(has_note(new_tool, "holds no ADP profile"));
}

TEST(named_table, the_last_complete_one_counts)
{
    const std::string b = fixture("roce_accl/named-before.txt");
    const std::string a = fixture("roce_accl/named-after.txt");
    const auto both = parse(b + a);
    EXPECT_EQ(image_of(both.accl), after);
    EXPECT_TRUE(has_note(both, "2 tables"));
    const auto cut = parse(a + b.substr(0, b.find("range_num")));
    EXPECT_EQ(image_of(cut.accl), after);
    EXPECT_TRUE(has_note(cut, "not complete and was not used"));
    const auto only = parse(a.substr(0, a.find("timeout_init")));
    EXPECT_TRUE(has_note(only, "may be cut"));
    EXPECT_EQ(only.accl.fields & bit(ADP_FIELD_RETX_TOTAL_TIMEOUT), 0U);
    EXPECT_EQ(only.accl.profile.range_num, 1U);
}

TEST(named_table, the_vendors_whole_session)
{
    const auto p = parse(fixture("roce_accl/vendor-session.txt"));
    EXPECT_EQ(p.format, ADP_FORMAT_NAMED);
    EXPECT_EQ(image_of(p.accl), after);
    EXPECT_TRUE(has_note(p, "4 tables"));
}

TEST(named_table, rows_that_grep_left)
{
    const auto p = parse("$ mlxreg -d 1a:00.0 --reg_name ROCE_ACCL --get | grep -E 'time|adp'\n"
                         "time_base                 | 0x00000004\n"
                         "time_unit                 | 0x00000001\n");
    EXPECT_EQ(p.accl.fields, bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_TIME_UNIT));
    EXPECT_TRUE(has_note(p, "no heading"));
}

TEST(named_table, other_registers)
{
    const std::string paos = "Field Name | Data\n====================\nswid       | 0x00000000\n"
                             "local_port | 0x00000001\n====================\n";
    EXPECT_HAS(refusal(paos), "not ROCE_ACCL");
    EXPECT_HAS(refusal("mlxreg --reg_name PAOS --get\n" + paos), "'PAOS'");
    const auto p = parse(fixture("roce_accl/named-after.txt") + paos);
    EXPECT_EQ(image_of(p.accl), after);
    EXPECT_TRUE(has_note(p, "without any field of ROCE_ACCL"));
    // The fields of the register with their places, not their values.
    EXPECT_NE(refusal("Field Name | Address (Bytes) | Offset (Bits) | Size (Bits) | Access\n"
                      "==================================================================\n"
                      "time_base  | 0x00000010      | 0        | 16       | RW\n"
                      "==================================================================\n"),
              "");
}

TEST(named_table, wrong_values_are_named)
{
    const std::string text = fixture("roce_accl/named-after.txt");
    const auto with = [&](const std::string &value) {
        return refusal(replaced(text, "time_base                                  \t| 0x00000004",
                                "time_base                                  \t| " + value));
    };
    EXPECT_HAS(with("0x00010000"),
               "line 37, column 47: time_base: 65536 (0x10000) does not fit its 16 bits");
    EXPECT_HAS(with("65536"), "does not fit its 16 bits (at most 65535)");
    EXPECT_HAS(with("0x100000000"), "does not fit 32 bits");
    EXPECT_HAS(with("-4"), "negative");
    EXPECT_HAS(with("4 us"), "has the text ' us' behind its number");
    EXPECT_HAS(with("four"), "'four' is not a number");
    EXPECT_HAS(with(""), "line 37, column 47: time_base: no value");
    EXPECT_HAS(with("010"), "octal");
    EXPECT_HAS(with("0x"), "no digits");
    EXPECT_HAS(refusal(replaced(text, "time_unit   ", "time_base   ")),
               "line 38, column 47: time_base is given twice, first in line 37");
}

TEST(raw_table, reads_the_vendors_dumps)
{
    const auto b = parse(fixture("roce_accl/raw-before.txt"));
    EXPECT_EQ(b.format, ADP_FORMAT_RAW);
    EXPECT_EQ(image_of(b.accl), before);
    EXPECT_EQ(b.accl.fields, all);
    EXPECT_TRUE(b.whole);
    const auto a = parse(fixture("roce_accl/raw-set-preview.txt"));
    EXPECT_EQ(image_of(a.accl), after);
    EXPECT_EQ(a.accl.profile.timeout_range[0].timeout_retry_num, 1U);
}

TEST(raw_table, newer_heading_and_preview)
{
    const std::string text = fixture("roce_accl/raw-set-preview.txt");
    EXPECT_EQ(image_of(parse(replaced(text, "Address\t|", "Address    |")).accl), after);
    EXPECT_TRUE(
        has_note(parse("You are about to send access register id: 0x402c with the following "
                       "data:\n" +
                       text),
                 "not a reading"));
}

TEST(raw_table, addresses)
{
    const std::string text = fixture("roce_accl/raw-before.txt");
    const std::string row8 = "0x00000008 | 0x41000fa0\n";
    const std::string rowc = "0x0000000c | 0x00000000\n";
    EXPECT_HAS(refusal(without_line(text, "0x00000008")),
               "line 5: address 0x8 is missing before this");
    EXPECT_HAS(refusal(without_line(without_line(text, "0x00000008"), "0x0000000c")),
               "addresses 0x8 to 0xc are missing");
    EXPECT_HAS(refusal(without_line(text, "0x00000000")), "line 3: address 0x0 is missing");
    EXPECT_HAS(refusal(replaced(text, row8, row8 + row8)), "line 6: address 0x8 is given twice");
    EXPECT_HAS(refusal(replaced(text, row8 + rowc, rowc + row8)), "line 5: address 0x8 is missing");
    EXPECT_HAS(refusal(replaced(text, "0x0000003c | 0x00000000", "0x00000008 | 0x00000000")),
               "line 18: address 0x8 is out of order");
    EXPECT_HAS(refusal(without_line(text, "0x0000003c")), "ends at 0x38; addresses 0x3c to 0x3c");
    EXPECT_HAS(refusal(replaced(text, "0x00000004 |", "0x00000005 |")), "not a multiple of 4");
    EXPECT_HAS(refusal(replaced(text, "0x00000004 |", "0x0000z004 |")), "line 4: address");
    EXPECT_HAS(refusal(replaced(text, "| 0x41000fa0", "| 0x41000fa0f")),
               "line 5, column 14: 0x00000008");
    EXPECT_HAS(refusal(replaced(text, "| 0x41000fa0", "| ?")), "not a number");
}

TEST(raw_table, longer_than_the_register)
{
    const std::string end = "=======================\n";
    std::string text = fixture("roce_accl/raw-before.txt");
    text.resize(text.rfind(end));
    std::string zero = text;
    for (int i = 0x40; i < 0x80; i += 4) {
        char row[32];
        snprintf(row, sizeof row, "0x%08x | 0x00000000\n", static_cast<unsigned>(i));
        zero += row;
    }
    const auto p = parse(zero + end);
    EXPECT_EQ(image_of(p.accl), before);
    EXPECT_TRUE(has_note(p, "the rest is 0"));
    const auto other =
        parse(replaced(zero + end, "0x00000044 | 0x00000000", "0x00000044 | 0x00000001"));
    EXPECT_EQ(image_of(other.accl), before);
    EXPECT_TRUE(has_note(other, "not all 0"));
}

TEST(raw_table, of_other_registers_and_firmware)
{
    const std::string text = fixture("roce_accl/raw-before.txt");
    EXPECT_HAS(refusal("mstreg -d 1a:00.0 --reg_id 0x5006 --reg_len 0x40 --get\n" + text),
               "register 0x5006, not ROCE_ACCL (0x402c)");
    EXPECT_EQ(
        image_of(parse("mstreg -d 1a:00.0 --reg_id 0x402c --reg_len 0x40 --get\n" + text).accl),
        before);
    const auto old = parse(replaced(text, "0x1800065f", "0x0000065f"));
    EXPECT_EQ(old.accl.profile.fields, bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(old.accl.fields & bit(ADP_FIELD_TIME_BASE), 0U);
    const auto unknown =
        parse(replaced(text, "0x00000030 | 0x00000000", "0x00000030 | 0x00000100"));
    EXPECT_TRUE(has_note(unknown, "bits 0x00000100 of the dword at 0x30"));
    EXPECT_EQ(unknown.accl.unknown[12], 0x100U);
}

TEST(tables, an_error_of_the_tool_is_shown)
{
    EXPECT_HAS(
        refusal("Sending access register...\n-E- Failed to send access register: Register not "
                "supported\n"),
        "line 2 is an error of the vendor's tool");
}

} // namespace adp::test
