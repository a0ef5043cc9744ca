// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The vendor's --set strings, alone and in pasted commands, lists of settings, command line words.
#include "core_test.h"

namespace adp::test {

namespace {

std::string assignment_refusal(std::initializer_list<std::string> words)
{
    const std::vector<std::string> list(words);
    const auto r = reg::parse_assignments(list);
    return r ? std::string{} : r.err().reason;
}

// The document's sample sets these; the raw form leaves prev_range_index_0 out.
std::uint64_t sample_fields()
{
    std::uint64_t fields = bit(ADP_FIELD_ROCE_ADP_RETRANS_EN) | bit(ADP_FIELD_ADP_RETX_PROFILE_ID);
    for (std::uint32_t n = ADP_FIELD_TIME_BASE; n <= ADP_FIELD_PREV_RANGE_INDEX_0; n++)
        fields |= bit(n);
    return fields & ~bit(ADP_FIELD_RETX_TOTAL_TIMEOUT);
}

} // namespace

TEST(set_string, the_vendors_named_one)
{
    const auto p = parse(fixture("roce_accl/set-named.txt"));
    EXPECT_EQ(p.format, ADP_FORMAT_MLXREG);
    EXPECT_EQ(p.accl.fields, sample_fields());
    EXPECT_EQ(put_over(p, before), after);
    EXPECT_TRUE(p.notes.empty());
}

TEST(set_string, the_vendors_raw_one)
{
    const auto p = parse(fixture("roce_accl/set-raw.txt"));
    EXPECT_EQ(p.format, ADP_FORMAT_MSTREG);
    EXPECT_EQ(p.accl.fields, sample_fields() & ~bit(ADP_FIELD_PREV_RANGE_INDEX_0));
    EXPECT_EQ(put_over(p, before), after);
}

TEST(set_string, in_command_lines)
{
    const std::string named = fixture("roce_accl/set-named.txt");
    std::string string = named.substr(0, named.find('\n'));
    const std::string commands[] = {
        "[]$ ###sudo mlxreg -d 1a:00.0 --reg_name ROCE_ACCL --set " + string + "\n",
        "mlxreg -d 1a:00.0 --reg_name roce_accl --set \"" + string + "\" --yes",
        "mlxreg -d 1a:00.0 --set='" + string + "' --reg_name ROCE_ACCL",
        "sudo mstreg -d 1a:00.0 \\\n  --reg_name ROCE_ACCL \\\n  --set " + string + "\n$ echo done",
        "#!/bin/sh\nDEV=1a:00.0\nmlxreg -d $DEV --yes --reg_name ROCE_ACCL --set \"" + string +
            "\"\n",
        "[Service]\nType=oneshot\nExecStart=/usr/bin/mlxreg -d 1a:00.0 --reg_name ROCE_ACCL "
        "--set " +
            string + "\r\n",
        "mlxreg --reg_name ROCE_ACCL --set \xe2\x80\x9c" + string + "\xe2\x80\x9d",
        "mlxreg --reg_name ROCE_ACCL --set time_base=8\nmlxreg --reg_name ROCE_ACCL --set " +
            string,
    };
    for (const std::string &c : commands) {
        const auto p = parse(c);
        EXPECT_EQ(p.format, ADP_FORMAT_MLXREG) << c;
        EXPECT_EQ(put_over(p, before), after) << c;
    }
    EXPECT_TRUE(has_note(parse(commands[7]), "2 commands"));
    const std::string raw = fixture("roce_accl/set-raw.txt");
    const auto p = parse("$ mlxreg -d 1a:00.0 --reg_id 0x402c --reg_len 0x40 --set \"" +
                         raw.substr(0, raw.find('\n')) + "\"");
    EXPECT_EQ(p.format, ADP_FORMAT_MSTREG);
    EXPECT_EQ(put_over(p, before), after);
}

TEST(set_string, index_in_an_option_of_its_own)
{
    const auto p = parse("mlxreg --reg_name ROCE_ACCL --set time_base=8 -i adp_retx_profile_id=1");
    EXPECT_EQ(p.accl.fields, bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_ADP_RETX_PROFILE_ID));
    EXPECT_EQ(p.accl.profile.adp_retx_profile_id, 1U);
}

TEST(set_string, wrong_commands)
{
    EXPECT_HAS(refusal("mlxreg --reg_name PAOS --set admin_status=1"), "'PAOS', not ROCE_ACCL");
    EXPECT_HAS(refusal("mlxreg --reg_id 0x5006 --set 0x4.0:1=1"), "0x5006, not ROCE_ACCL (0x402c)");
    EXPECT_HAS(refusal("mlxreg --reg_id x --set 0x4.0:1=1"), "--reg_id");
    EXPECT_HAS(refusal("mlxreg --reg_name ROCE_ACCL --set"), "no value behind it");
    EXPECT_HAS(refusal("mlxreg --reg_name ROCE_ACCL --set \"time_base=4"),
               "line 1, column 35: a quote");
}

TEST(set_string, wrong_values_are_named)
{
    EXPECT_HAS(
        refusal("roce_adp_retrans_en=1,time_base=65536"),
        "line 1, column 33: time_base: 65536 (0x10000) does not fit its 16 bits (at most 65535)");
    EXPECT_HAS(refusal("time_base=4,dec_mode_0=4"),
               "line 1, column 24: dec_mode_0: 4 (0x4) does not fit");
    EXPECT_HAS(refusal("time_base=4,roce_adp_retrans_en=2"), "its 1 bit (at most 1)");
    EXPECT_HAS(refusal("time_base=4,time_unit=-1"), "time_unit: '-1' is negative");
    EXPECT_HAS(refusal("time_base=4,time_unit="), "time_unit: no value");
    EXPECT_HAS(refusal("time_base=4,time_unit=1us"), "has the text 'us'");
    EXPECT_HAS(refusal("time_base=010,time_unit=1"), "octal");
    EXPECT_HAS(refusal("time_base=4,time_unit=0x1ffffffff"), "does not fit 32 bits");
    EXPECT_HAS(refusal("time_base=4,TIME_BASE=5"), "line 1, column 23: time_base is given twice");
    EXPECT_HAS(refusal("time_bse=4,time_unit=1"),
               "'time_bse' is not a field of ROCE_ACCL, did you mean time_base?");
    EXPECT_HAS(refusal("time_base=4,tx_window=1"), "did you mean roce_tx_window_en?");
    EXPECT_HAS(refusal("time_base=4,,time_unit=1"), "nothing before the comma");
    EXPECT_HAS(refusal("time_base=4,"), "nothing behind the last comma");
    EXPECT_HAS(refusal("time_base=4,time_unit"), "'time_unit': '=' and a value are missing");
    EXPECT_HAS(refusal("time_base=4,=1"), "no name before '='");
    EXPECT_HAS(refusal("time_base=4,0x10.22:2=1"), "names and raw bits");
}

TEST(raw_set_string, wrong_ones)
{
    EXPECT_HAS(refusal("0x4.0:1=2"), "0x4.0:1: 2 (0x2) does not fit its 1 bit");
    EXPECT_HAS(refusal("0x5.0:1=1"), "address 0x5 is not a multiple of 4");
    EXPECT_HAS(refusal("0x40.0:1=1"), "address 0x40 is behind the register");
    EXPECT_HAS(refusal("0x10.0:0=0"), "size 0");
    EXPECT_HAS(refusal("0x10.0:33=0"), "size 33");
    EXPECT_HAS(refusal("0x10.17:16=0"), "offset 17 and size 16");
    EXPECT_HAS(refusal("0x10.4294967295:2=0"), "do not lie within a dword");
    EXPECT_HAS(refusal("0x10.0:16=4,0x10.15:1=0"), "bit 15 of 0x10 is given twice");
    EXPECT_HAS(refusal("0x10.0:8=4"),
               "0x10.0:8 gives only a part of time_base (bits 15:0 of 0x10)");
    EXPECT_HAS(refusal("0x10.a:16=4"), "offset");
    EXPECT_HAS(refusal("0x10.0:=4"), "size");
    EXPECT_HAS(refusal("0x10.0:16=x"), "value of 0x10.0:16");
    EXPECT_HAS(refusal("010.0:16=4"), "octal");
}

TEST(raw_set_string, whole_dwords_and_select_bits)
{
    const auto p = parse("0x0.0:32=0x10000000,0x4.0:1=1,0x10.0:32=0x90400004");
    EXPECT_EQ(p.accl.profile.time_base, 4U);
    EXPECT_EQ(p.accl.profile.qp_total_timeout, 1U);
    EXPECT_EQ(p.accl.fields, bit(ADP_FIELD_ROCE_ADP_RETRANS_EN) | bit(ADP_FIELD_TIME_BASE) |
                                 bit(ADP_FIELD_TIME_UNIT) | bit(ADP_FIELD_START_RANGE_INDEX) |
                                 bit(ADP_FIELD_RANGE_NUM) | bit(ADP_FIELD_QP_TOTAL_TIMEOUT));
    // roce_adp_retrans_field_select is 0.
    ASSERT_EQ(p.notes.size(), 1U);
    EXPECT_HAS(p.notes[0], "roce_adp_retrans_en is given, but its select bit 0 is 0");
    EXPECT_TRUE(has_note(parse("0x10.16:6=1"), "bits 0x00010000 of the dword at 0x10"));
    EXPECT_TRUE(has_note(parse("0x8.0:20=4000"), "read only"));
}

TEST(settings_list, of_public_start_up_units)
{
    const auto p = parse(fixture("roce_accl/R30-spectrumx-profile.txt"));
    EXPECT_EQ(p.accl.fields, bit(ADP_FIELD_ROCE_ADP_RETRANS_EN) | bit(ADP_FIELD_ROCE_TX_WINDOW_EN) |
                                 bit(ADP_FIELD_ROCE_SLOW_RESTART_EN) |
                                 bit(ADP_FIELD_ADAPTIVE_ROUTING_FORCED_EN));
    EXPECT_EQ(p.accl.profile.roce_adp_retrans_en, 1U);
    EXPECT_EQ(p.accl.roce_tx_window_en, 1U);
    EXPECT_EQ(p.accl.roce_slow_restart_en, 0U);
    EXPECT_EQ(p.accl.adaptive_routing_forced_en, 1U);
    EXPECT_EQ(parse("# kept\nroce_tx_window_en = 1 # on\nroce_slow_restart_en=0").accl.fields,
              bit(ADP_FIELD_ROCE_TX_WINDOW_EN) | bit(ADP_FIELD_ROCE_SLOW_RESTART_EN));
}

TEST(settings_list, old_firmware_invents_no_zeros)
{
    const auto p = parse(fixture("roce_accl/R32-old-roce-accl.txt"));
    EXPECT_EQ(p.format, ADP_FORMAT_NAMED);
    EXPECT_EQ(p.accl.fields, 0x3fU);
    EXPECT_EQ(p.accl.profile.fields, bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(p.accl.roce_slow_restart_en, 1U);
    EXPECT_EQ(p.accl.adaptive_routing_forced_en, 1U);
    EXPECT_EQ(p.accl.roce_tx_window_en, 0U);
    EXPECT_EQ(p.accl.supported & bit(ADP_FIELD_TIME_BASE), 0U);
    EXPECT_NE(p.accl.supported & bit(ADP_FIELD_SELECTIVE_REPEAT_FORCED_EN), 0U);
}

TEST(settings_list, what_a_connectx4_supports)
{
    const auto p = parse(fixture("roce_accl/R15-cx4-fieldmask.txt"));
    EXPECT_EQ(p.accl.fields, 0U);
    EXPECT_EQ(p.accl.supported, bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(p.selects_held, 7U);
}

TEST(assignments, both_forms)
{
    const std::vector<std::string> words{"time_base", "0x8", "range_size_0=3", "roce_tx_window_en",
                                         "1"};
    const auto p = reg::parse_assignments(words);
    ASSERT_TRUE(p) << p.err().reason;
    EXPECT_EQ(p->accl.fields, bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_RANGE_SIZE_0) |
                                  bit(ADP_FIELD_ROCE_TX_WINDOW_EN));
    EXPECT_EQ(p->accl.profile.time_base, 8U);
    EXPECT_EQ(p->accl.profile.timeout_range[0].range_size, 3U);
    EXPECT_EQ(p->accl.roce_tx_window_en, 1U);
    EXPECT_EQ(p->accl.profile.fields, bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_RANGE_SIZE_0));
    const std::string set = fixture("roce_accl/set-named.txt");
    const std::vector<std::string> one{set.substr(0, set.find('\n'))};
    const auto whole = reg::parse_assignments(one);
    ASSERT_TRUE(whole);
    EXPECT_EQ(put_over(*whole, before), after);
}

TEST(assignments, refusals)
{
    EXPECT_HAS(assignment_refusal({}), "no field");
    EXPECT_HAS(assignment_refusal({"time_base"}), "time_base: a value is missing");
    EXPECT_HAS(assignment_refusal({"time_base", "65536"}), "does not fit its 16 bits");
    EXPECT_HAS(assignment_refusal({"time_base", "-1"}), "negative");
    EXPECT_HAS(assignment_refusal({"time_base", "4x"}), "has the text 'x'");
    EXPECT_HAS(assignment_refusal({"time_base", ""}), "no value");
    EXPECT_HAS(assignment_refusal({"time_base", "010"}), "octal");
    EXPECT_HAS(assignment_refusal({"time_base", "1", "time_base=1"}), "given twice");
    EXPECT_HAS(assignment_refusal({"tx_window", "1"}), "did you mean roce_tx_window_en?");
    EXPECT_HAS(assignment_refusal({"nonsense", "1"}), "'nonsense' is not a field");
    EXPECT_HAS(assignment_refusal({"adp_retx_base_timeout_min", "1"}), "read only");
    EXPECT_HAS(assignment_refusal({"adp_retx_profile_select=1"}), "select bit");
    EXPECT_HAS(assignment_refusal({"0x10.0:16=4"}), "raw bits");
    EXPECT_HAS(assignment_refusal({"time_base=4,"}), "comma");
    EXPECT_EQ(assignment_refusal({"time_base=4,"}).find("line"), std::string::npos);
}

} // namespace adp::test
