// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// ROCE_ACCL of the firmware model: the vendor's example, select bits, refusals.
#include "mailbox.h"
#include "preset.h"
#include "rules.h"

#include <gtest/gtest.h>

using namespace sim_test;
using adp::sim::make_preset;
using adp::sim::model;
using adp::sim::rule;

namespace {

model device(const char *preset)
{
    return make_preset(preset)->front();
}

// Which bits of the register each select bit lets a write change; from the vendor's document and
// mstflint's register table, not from the table in the library.
struct guard {
    unsigned select;
    unsigned dword;
    std::uint32_t mask;
};
constexpr guard guards[] = {
    {0, 1, 0x00000001},  {1, 1, 0x00000002}, {2, 1, 0x00000004},  {3, 1, 0x00000008},
    {4, 1, 0x00000010},  {5, 1, 0x00000020}, {6, 1, 0x00000040},  {7, 1, 0x00000080},
    {8, 1, 0x00000100},  {9, 1, 0x0000fe00}, {10, 1, 0x07000000}, {11, 2, 0x00300000},
    {27, 1, 0x08000000},
};

} // namespace

TEST(accl, starts_as_in_the_vendors_document)
{
    const dwords before = raw_table("raw-before.txt");
    ASSERT_EQ(before.size(), 16U);
    auto devices = *make_preset("default");
    for (model &m : devices) {
        const answer a = query_accl(m);
        EXPECT_EQ(a.outcome.err, 0);
        EXPECT_EQ(a.status(), 0U);
        EXPECT_EQ(a.all(), before) << m.ibdev;
    }
}

TEST(accl, vendors_set_reads_back_as_previewed)
{
    const dwords preview = raw_table("raw-set-preview.txt");
    ASSERT_EQ(preview.size(), 16U);
    for (const std::uint32_t select : {0x1800065fU, 0x10000001U}) {
        model m = device("default");
        dwords sent = preview;
        sent[0] = select;
        const answer written = write_accl(m, sent);
        EXPECT_EQ(written.status(), 0U);
        EXPECT_EQ(query_accl(m).all(), preview);
        EXPECT_EQ(query_accl(m, 1).all(), preview);
        EXPECT_EQ(written.all(), preview);
    }
}

TEST(accl, query_by_name_length_is_padded_with_zeros)
{
    model m = device("default");
    const answer a = access(m, false, 0x402c, dwords(0x80 / 4));
    dwords expected = raw_table("raw-before.txt");
    expected.resize(0x80 / 4);
    EXPECT_EQ(a.status(), 0U);
    EXPECT_EQ(a.all(), expected);
    EXPECT_EQ(access(m, true, 0x402c,
                     [] {
                         dwords d = vendor_sample();
                         d.resize(0x80 / 4);
                         return d;
                     }())
                  .status(),
              0U);
    EXPECT_EQ(query_accl(m).all(), raw_table("raw-set-preview.txt"));
}

TEST(accl, each_select_bit_guards_its_field_and_no_other)
{
    for (const guard &g : guards) {
        for (const std::uint32_t fill : {0xffffffffU, 0U}) {
            model m = device("full");
            if (fill == 0) { // from all ones to all zeros
                m.accl[1] |= 0x0f00ffff;
                m.accl[2] |= 0x00300000;
            } else {
                m.accl[1] = 0;
            }
            const dwords before = query_accl(m).all();
            dwords sent(16, fill);
            sent[0] = 1U << g.select;
            ASSERT_EQ(write_accl(m, sent).status(), 0U) << g.select;
            const dwords after = query_accl(m).all();
            for (unsigned i = 0; i < 16; i++)
                EXPECT_EQ(before[i] ^ after[i], i == g.dword ? g.mask : 0U)
                    << "select " << g.select << " dword " << i << " fill " << fill;
        }
    }
}

TEST(accl, all_select_bits_of_the_full_device_are_tried)
{
    model m = device("full");
    std::uint32_t tried = 1U << 28;
    for (const guard &g : guards)
        tried |= 1U << g.select;
    EXPECT_EQ(query_accl(m).data(0), tried);
}

TEST(accl, profile_select_guards_the_profile_alone)
{
    model m = device("full");
    dwords sent = vendor_sample(1U << 28);
    sent[1] = 0x1fffffff;
    sent[2] = 0xffffffff;
    sent[3] = 0xffffffff;
    ASSERT_EQ(write_accl(m, sent).status(), 0U);
    const dwords after = query_accl(m).all();
    EXPECT_EQ(after[1], 0x10000005U);
    EXPECT_EQ(after[2], 0x41000fa0U);
    EXPECT_EQ(after[3], 0U);
    EXPECT_EQ(after[4], 0x90400004U);
    EXPECT_EQ(after[6], 0x04010002U);
}

TEST(accl, without_profile_select_the_profile_stays)
{
    model m = device("default");
    write_accl(m, vendor_sample());
    const dwords before = query_accl(m).all();
    dwords sent(16, 0xffffffff);
    sent[0] = 1;
    sent[1] = 0;
    ASSERT_EQ(write_accl(m, sent).status(), 0U);
    dwords expected = before;
    expected[1] = 0x10000004; // only roce_adp_retrans_en fell
    EXPECT_EQ(query_accl(m).all(), expected);
}

TEST(accl, profile_is_replaced_as_a_whole)
{
    model m = device("default");
    dwords wide = vendor_sample();
    wide[4] = 0x30400004; // three ranges
    wide[6] = 0x04010002;
    wide[7] = 0x04010402;
    wide[8] = 0x14010802;
    ASSERT_EQ(write_accl(m, wide).status(), 0U);
    EXPECT_EQ(query_accl(m).data(8), 0x14010802U);
    ASSERT_EQ(write_accl(m, vendor_sample()).status(), 0U);
    EXPECT_EQ(query_accl(m).all(), raw_table("raw-set-preview.txt"));
}

TEST(accl, nothing_selected_changes_nothing)
{
    model m = device("full");
    const dwords before = query_accl(m).all();
    dwords sent(16, 0xffffffff);
    sent[0] = 0;
    EXPECT_EQ(write_accl(m, sent).status(), 0U);
    EXPECT_EQ(query_accl(m).all(), before);
}

TEST(accl, unknown_bits_are_ignored_and_kept)
{
    model m = device("default");
    m.accl[0] |= 0x40000000; // as some later firmware might show
    m.accl[1] |= 0x90010000;
    m.accl[2] |= 0x00800000;
    m.accl[10] = 0xdeadbeef;
    m.accl[4] |= 0x08000000;
    const dwords before = query_accl(m).all();
    dwords sent = vendor_sample(0x1800065f | 0xe7fff000);
    sent[10] = 0x55555555;
    ASSERT_EQ(write_accl(m, sent).status(), 0U);
    const dwords after = query_accl(m).all();
    EXPECT_EQ(after[0], before[0]);
    EXPECT_EQ(after[1], 0x90010005U);
    EXPECT_EQ(after[2], before[2]);
    EXPECT_EQ(after[10], before[10]);
    EXPECT_EQ(after[4], 0x98400004U);
}

TEST(accl, unsupported_select_bits_are_refused_and_nothing_is_applied)
{
    for (const unsigned bit : {5U, 7U, 8U, 11U}) { // not in 0x1800065f
        model m = device("default");
        const model before = m;
        dwords sent = vendor_sample(0x10000001U | 1U << bit);
        sent[1] = 0x10000000;
        const answer a = write_accl(m, sent);
        EXPECT_EQ(a.status(), 3U) << bit;
        EXPECT_EQ(a.syndrome(), static_cast<std::uint32_t>(rule::select_unsupported));
        EXPECT_EQ(m, before) << bit;
        EXPECT_EQ(a.all(), dwords(16)) << "a refusal carries no data";
    }
}

namespace {

struct refusal_case {
    const char *what;
    unsigned dword;
    std::uint32_t value;
    rule broken;
};

class profile_refusal : public testing::TestWithParam<refusal_case> {};

} // namespace

TEST_P(profile_refusal, is_refused_with_its_own_syndrome)
{
    model m = device("default");
    ASSERT_EQ(write_accl(m, vendor_sample()).status(), 0U);
    const model before = m;
    dwords sent = vendor_sample(0x10000001);
    sent[1] = 0x10000000;
    sent[4] = 0x30400008; // three good ranges, so that one word breaks one rule
    sent[6] = 0x04010002;
    sent[7] = 0x04010402;
    sent[8] = 0x14010802;
    model good = m;
    ASSERT_EQ(write_accl(good, sent).status(), 0U);
    sent[GetParam().dword] = GetParam().value;
    const answer a = write_accl(m, sent);
    EXPECT_EQ(a.status(), 3U);
    EXPECT_EQ(a.syndrome(), static_cast<std::uint32_t>(GetParam().broken));
    EXPECT_EQ(m, before);
    EXPECT_FALSE(adp::sim::rule_text(a.syndrome()).empty());
}

INSTANTIATE_TEST_SUITE_P(
    accl, profile_refusal,
    testing::Values(refusal_case{"id_0", 1, 0x00000000, rule::id_reserved},
                    refusal_case{"id_2", 1, 0x20000000, rule::id_above_max},
                    refusal_case{"id_7", 1, 0x70000000, rule::id_above_max},
                    refusal_case{"range_num_0", 4, 0x00400008, rule::range_num_zero},
                    refusal_case{"range_num_5", 4, 0x50400008, rule::range_num_above_max},
                    refusal_case{"range_num_7", 4, 0x70400008, rule::range_num_above_max},
                    refusal_case{"time_unit_0", 4, 0x30000008, rule::time_unit_reserved},
                    refusal_case{"time_unit_2", 4, 0x30800008, rule::time_unit_reserved},
                    refusal_case{"time_base_0", 4, 0x30400000, rule::time_base_no_power},
                    refusal_case{"time_base_6", 4, 0x30400006, rule::time_base_no_power},
                    refusal_case{"time_base_2", 4, 0x30400002, rule::time_base_below_min},
                    refusal_case{"start_3", 4, 0x33400008, rule::start_index_beyond},
                    refusal_case{"start_7", 4, 0x37400008, rule::start_index_beyond},
                    refusal_case{"equal_low_bounds", 7, 0x04010002, rule::ranges_unsorted},
                    refusal_case{"falling_low_bounds", 8, 0x14010302, rule::ranges_unsorted},
                    refusal_case{"dec_mode_3", 6, 0x0c010002, rule::dec_mode_reserved},
                    refusal_case{"prev_1_of_1", 7, 0x14010402, rule::prev_index_not_below},
                    refusal_case{"prev_2_of_2", 8, 0x24010802, rule::prev_index_not_below},
                    refusal_case{"prev_7_of_2", 8, 0x74010802, rule::prev_index_not_below}),
    [](const auto &tested) { return tested.param.what; });

TEST(accl, edges_that_are_legal)
{
    for (const auto &[dword, value] : std::initializer_list<std::pair<unsigned, std::uint32_t>>{
             {4, 0x90400004}, // base exactly at the minimum
             {4, 0x90408000}, // the greatest power of two that fits
             {6, 0x3bff00ff}, // range 0: prev_range_index is not looked at, dec_mode 2, all retries
             {7, 0x7fffffff}, // beyond range_num: not looked at
             {5, 0xff00ffff}}) {
        model m = device("default");
        dwords sent = vendor_sample();
        sent[dword] = value;
        EXPECT_EQ(write_accl(m, sent).status(), 0U) << std::hex << value;
        const std::uint32_t named = dword == 5 ? 0xff00ffff : dword == 4 ? 0xf7c0ffff : 0x7fffffff;
        EXPECT_EQ(query_accl(m).data(dword), value & named) << std::hex << value;
    }
}

TEST(accl, query_of_another_profile)
{
    model m = device("default");
    answer a = query_accl(m, 1); // never set
    dwords expected = raw_table("raw-before.txt");
    expected[1] |= 0x10000000;
    EXPECT_EQ(a.status(), 0U);
    EXPECT_EQ(a.all(), expected);
    EXPECT_EQ(query_accl(m).all(), raw_table("raw-before.txt")) << "a query changes nothing";
    for (const std::uint32_t id : {2U, 7U}) {
        a = query_accl(m, id);
        EXPECT_EQ(a.status(), 3U);
        EXPECT_EQ(a.syndrome(), static_cast<std::uint32_t>(rule::id_above_max));
    }
}

TEST(accl, several_profiles_keep_their_contents)
{
    model m = device("default");
    m.accl[2] = 0x43000fa0; // up to three profiles
    dwords first = vendor_sample(1U << 28), second = first;
    second[1] = 0x20000000;
    second[4] = 0x90400010;
    ASSERT_EQ(write_accl(m, first).status(), 0U);
    ASSERT_EQ(write_accl(m, second).status(), 0U);
    EXPECT_EQ(query_accl(m).data(1) >> 28, 2U);
    EXPECT_EQ(query_accl(m).data(4), 0x90400010U);
    EXPECT_EQ(query_accl(m, 1).data(4), 0x90400004U);
    EXPECT_EQ(query_accl(m, 1).data(1) >> 28, 1U);
    EXPECT_EQ(query_accl(m, 3).data(4), 0U);
    ASSERT_EQ(write_accl(m, first).status(), 0U);
    EXPECT_EQ(query_accl(m).data(1) >> 28, 1U);
    EXPECT_EQ(query_accl(m, 2).data(4), 0x90400010U);
}

TEST(accl, firmware_before_46_1006_swaps_two_fields)
{
    model m = device("pre-46");
    ASSERT_EQ(write_accl(m, vendor_sample()).status(), 0U);
    EXPECT_EQ(query_accl(m).data(6), 0x10010002U) << "dec_mode 1, prev 0 became dec_mode 0, prev 1";
    for (const char *fixed : {"28.46.1006", "28.46.1007", "28.47.0", "32.46.1006", "garbage", ""}) {
        m = device("pre-46");
        m.fw_ver = fixed;
        ASSERT_EQ(write_accl(m, vendor_sample()).status(), 0U);
        EXPECT_EQ(query_accl(m).data(6), 0x04010002U) << fixed;
    }
    for (const char *faulty : {"28.46.1005", "28.45.9999", "22.45.1020"}) {
        m = device("pre-46");
        m.fw_ver = faulty;
        ASSERT_EQ(write_accl(m, vendor_sample()).status(), 0U);
        EXPECT_EQ(query_accl(m).data(6), 0x10010002U) << faulty;
    }
}

TEST(accl, active_queue_pairs_hinder_only_old_firmware_and_only_profiles)
{
    model m = device("pre-46");
    m.active_qps = 1;
    const model before = m;
    answer a = write_accl(m, vendor_sample());
    EXPECT_EQ(a.status(), 9U);
    EXPECT_EQ(a.syndrome(), static_cast<std::uint32_t>(rule::queue_pairs_active));
    EXPECT_EQ(m, before);
    EXPECT_EQ(write_accl(m, vendor_sample(1)).status(), 0U);
    m = device("default");
    m.active_qps = 1000;
    EXPECT_EQ(write_accl(m, vendor_sample()).status(), 0U);
}

TEST(accl, firmware_without_profiles)
{
    model m = device("old-no-adp");
    const dwords before = query_accl(m).all();
    EXPECT_EQ(before[0], 0x7fU);
    for (unsigned i = 2; i < 16; i++)
        EXPECT_EQ(before[i], 0U) << i;
    EXPECT_EQ(query_accl(m, 1).all(), before) << "the index bits mean nothing to it";
    EXPECT_EQ(write_accl(m, vendor_sample(0x10000000)).syndrome(),
              static_cast<std::uint32_t>(rule::select_unsupported));
    dwords off(16);
    off[0] = 1;
    off[1] = 0x70000000;
    EXPECT_EQ(write_accl(m, off).status(), 0U);
    EXPECT_EQ(query_accl(m).data(1), before[1] & ~1U);
}

TEST(accl, the_connectx4_of_a_public_report)
{
    model m = device("cx4");
    dwords sent(16);
    sent[0] = 0x6; // roce_tx_window_en=1 roce_slow_restart_en=1
    sent[1] = 0x6;
    EXPECT_EQ(write_accl(m, sent).syndrome(), static_cast<std::uint32_t>(rule::select_unsupported));
    sent[0] = 0x1;
    EXPECT_EQ(write_accl(m, sent).status(), 0U);
}
