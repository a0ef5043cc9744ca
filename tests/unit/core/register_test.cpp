// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The descriptions of the registers and their codecs, against dwords written by hand.
#include "core_test.h"

#include "register/histogram.h"
#include "register/text_dump.h"

#include <algorithm>

namespace adp::test {

TEST(field, get_and_put)
{
    const reg::field f{"f", 0x04, 10, 6, reg::access::rw, -1, {}, {}};
    std::uint32_t dwords[2] = {0xffffffff, 0xffffffff};
    reg::put(dwords, f, 0);
    EXPECT_EQ(dwords[0], 0xffffffffU);
    EXPECT_EQ(dwords[1], 0xffff03ffU);
    reg::put(dwords, f, 0x1ff); // masked
    EXPECT_EQ(dwords[1], 0xffffffffU);
    reg::put(dwords, f, 46);
    EXPECT_EQ(reg::get(dwords, f), 46U);
    EXPECT_EQ(reg::get(std::span<const std::uint32_t>{dwords}.first(1), f), 0U); // beyond
    reg::put(std::span<std::uint32_t>{dwords}.first(0), f, 1);
}

TEST(field, wire_order)
{
    const std::uint8_t bytes[] = {0x18, 0x00, 0x06, 0x5f, 0x10, 0x00, 0x00};
    std::uint32_t dwords[2] = {1, 2};
    reg::load(dwords, bytes);
    EXPECT_EQ(dwords[0], 0x1800065fU);
    EXPECT_EQ(dwords[1], 2U); // half a dword is none
    std::uint8_t out[6] = {};
    reg::store(out, dwords);
    EXPECT_EQ(out[0], 0x18U);
    EXPECT_EQ(out[3], 0x5fU);
    EXPECT_EQ(out[4], 0U);
}

TEST(roce_accl, decodes_the_vendors_register)
{
    const adp_accl a = reg::decode(after);
    EXPECT_EQ(a.profile.adp_retx_profile_id, 1U);
    EXPECT_EQ(a.profile.roce_adp_retrans_en, 1U);
    EXPECT_EQ(a.roce_slow_restart_en, 1U);
    EXPECT_EQ(a.roce_tx_window_en, 0U);
    EXPECT_EQ(a.adp_retx_base_timeout_min, 4000U);
    EXPECT_EQ(a.adp_retx_profile_max_id, 1U);
    EXPECT_EQ(a.adp_retx_profile_max_range_num, 4U);
    EXPECT_EQ(a.profile.qp_total_timeout, 1U);
    EXPECT_EQ(a.profile.range_num, 1U);
    EXPECT_EQ(a.profile.time_unit, 1U);
    EXPECT_EQ(a.profile.time_base, 4U);
    EXPECT_EQ(a.profile.timeout_init_range_size, 2U);
    EXPECT_EQ(a.profile.timeout_range[0].range_size, 2U);
    EXPECT_EQ(a.profile.timeout_range[0].timeout_retry_num, 1U);
    EXPECT_EQ(a.profile.timeout_range[0].dec_mode, 1U);
    for (const std::uint32_t bits : a.unknown)
        EXPECT_EQ(bits, 0U);
}

TEST(roce_accl, encode_leaves_the_rest)
{
    reg::accl_image image;
    image.fill(0xffffffff);
    adp_accl a{};
    reg::encode(a, bit(ADP_FIELD_TIME_BASE) | bit(ADP_FIELD_DEC_MODE_0 + 15), image);
    EXPECT_EQ(image[4], 0xffff0000U);
    EXPECT_EQ(image[9], 0xf3ffffffU);
    EXPECT_EQ(image[10], 0xffffffffU);
    EXPECT_EQ(reg::decode(image).unknown[10], 0xffffffffU);
    EXPECT_EQ(reg::decode(image).unknown[0], 0xe7fff000U);
    EXPECT_EQ(reg::decode(image).unknown[1], 0x80ff0000U);
    EXPECT_EQ(reg::decode(image).unknown[2], 0x88c00000U);
}

TEST(roce_accl, select_bits)
{
    EXPECT_EQ(reg::select_bits(reg::profile_fields()), 0x10000001U);
    EXPECT_EQ(reg::select_bits(bit(ADP_FIELD_ACK_DSCP)), 1U << 9);
    EXPECT_EQ(reg::select_bits(bit(ADP_FIELD_ADP_RETX_PROFILE_MAX_ID)), 0U);
    EXPECT_EQ(reg::supported_fields(1), bit(ADP_FIELD_ROCE_ADP_RETRANS_EN));
    EXPECT_EQ(reg::supported_fields(1U << 28), reg::profile_block_fields());
}

TEST(dump, rows_say_what_the_firmware_supports)
{
    auto image = after;
    image[1] |= 7U << 24; // cc_burst_size
    image[12] = 0x80;
    const auto d = reg::dump(reg::roce_accl, image);
    ASSERT_EQ(d.rows.size(), 14U + ADP_FIELD_COUNT);
    ASSERT_EQ(d.unknown.size(), 1U);
    EXPECT_EQ(d.unknown[0].offset, 0x30U);
    EXPECT_EQ(d.unknown[0].bits, 0x80U);
    for (const auto &r : d.rows) {
        if (r.f->name == "cc_burst_size") {
            EXPECT_EQ(r.meaning, "1.5 KB");
            EXPECT_EQ(r.supported, reg::support::yes);
        } else if (r.f->name == "adaptive_routing_forced_en") {
            EXPECT_EQ(r.supported, reg::support::no);
        } else if (r.f->name == "adp_retx_profile_max_id") {
            EXPECT_EQ(r.supported, reg::support::not_told);
            EXPECT_EQ(reg::access_name(r.f->acc), "RO");
        } else if (r.f->name == "dec_mode_0") {
            EXPECT_EQ(r.meaning, "divide by 2");
        } else if (r.f->name == "time_unit") {
            EXPECT_EQ(r.meaning, "microseconds");
        } else if (r.f->name == "adp_retx_profile_id") {
            EXPECT_EQ(reg::access_name(r.f->acc), "INDEX");
            EXPECT_EQ(r.value, 1U);
        }
    }
    image[4] &= ~(3U << 22);
    image[6] |= 3U << 26;
    for (const auto &r : reg::dump(reg::roce_accl, image).rows)
        if (r.f->name == "time_unit" || r.f->name == "dec_mode_0") {
            EXPECT_EQ(r.meaning, "reserved");
        }
    EXPECT_TRUE(reg::dump(reg::roce_accl, {}).unknown.empty());
}

TEST(preview, of_the_vendors_set)
{
    const auto set = parse(fixture("roce_accl/set-named.txt"));
    const auto p = reg::preview(before, set.accl, set.accl.fields, "mlx5_0");
    EXPECT_EQ(p.after, after);
    auto written = after;
    written[0] = 0x10000001;
    EXPECT_EQ(p.written, written);
    EXPECT_EQ(p.changed, bit(ADP_FIELD_ADP_RETX_PROFILE_ID) | bit(ADP_FIELD_TIME_BASE) |
                             bit(ADP_FIELD_TIME_UNIT) | bit(ADP_FIELD_RANGE_NUM) |
                             bit(ADP_FIELD_QP_TOTAL_TIMEOUT) |
                             bit(ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE) | bit(ADP_FIELD_RANGE_SIZE_0) |
                             bit(ADP_FIELD_TIMEOUT_RETRY_NUM_0) | bit(ADP_FIELD_DEC_MODE_0));
    EXPECT_HAS(p.command,
               "mstreg -d mlx5_0 --reg_id 0x402c --reg_len 0x40 --set \"0x0.0:32=0x10000001,");
    // The command read back does what the set does.
    EXPECT_EQ(put_over(parse(p.command), before), after);
    EXPECT_EQ(put_over(parse(reg::command_for(p.written, "mlx5_0")), before), after);
    // Read-only fields cannot be part of it.
    EXPECT_EQ(reg::preview(before, set.accl, bit(ADP_FIELD_ADP_RETX_PROFILE_MAX_ID), "x").after,
              before);
}

TEST(histogram, configuration)
{
    // count_enable, clear_on_read, vhca_id_valid, time_unit 2, bin_width_mode 1, time_unit_cap 0xf;
    // bin_num 0x20, bin_num_max 0x40, vhca_id 0x1234; bin0_width 0x10, bin1_width 0x20.
    std::uint32_t dwords[32] = {0xe9f00000, 0x20401234, 0x00100020};
    adp_histogram h{};
    reg::decode_histogram_config(dwords, h);
    EXPECT_EQ(h.count_enable, 1U);
    EXPECT_EQ(h.clear_on_read, 1U);
    EXPECT_EQ(h.vhca_id_valid, 1U);
    EXPECT_EQ(h.time_unit, 2U);
    EXPECT_EQ(h.bin_width_mode, 1U);
    EXPECT_EQ(h.time_unit_cap, 0xfU);
    EXPECT_EQ(h.bin_num, 0x20U);
    EXPECT_EQ(h.bin_num_max, 0x40U);
    EXPECT_EQ(h.vhca_id, 0x1234U);
    EXPECT_EQ(h.bin0_width, 0x10U);
    EXPECT_EQ(h.bin1_width, 0x20U);
    h = adp_histogram{};
    reg::encode_histogram_config(h, ADP_HISTOGRAM_SET_COUNT_ENABLE | ADP_HISTOGRAM_SET_BIN_WIDTH,
                                 dwords);
    EXPECT_EQ(dwords[0], 0x68f00000U);
    EXPECT_EQ(dwords[1], 0x20401234U);
    EXPECT_EQ(dwords[2], 0U);
    reg::encode_histogram_config(h, UINT32_MAX, dwords);
    EXPECT_EQ(dwords[0], 0x00f00000U); // time_unit_cap is read only
    EXPECT_EQ(dwords[1], 0x00400000U);
    adp_histogram other{};
    other.bin1_width = 5;
    other.bin_num_max = 9;
    EXPECT_EQ(reg::histogram_differences(h, other, UINT32_MAX),
              "bin1_width: asked 0, the device shows 5");
    EXPECT_EQ(reg::histogram_differences(h, other, ADP_HISTOGRAM_SET_BIN_NUM), "");
}

TEST(histogram, what_no_device_could_take)
{
    adp_histogram h{};
    h.bin0_width = h.bin1_width = 65535;
    h.vhca_id = 65535;
    h.count_enable = h.clear_on_read = h.vhca_id_valid = h.bin_width_mode = 1;
    EXPECT_EQ(reg::histogram_faults(h, UINT32_MAX), "");
    for (std::uint32_t adp_histogram::*member :
         {&adp_histogram::count_enable, &adp_histogram::clear_on_read,
          &adp_histogram::vhca_id_valid, &adp_histogram::bin_width_mode}) {
        adp_histogram wrong = h;
        wrong.*member = 2;
        EXPECT_NE(reg::histogram_faults(wrong, UINT32_MAX), "");
        EXPECT_EQ(reg::histogram_faults(wrong, ADP_HISTOGRAM_SET_BIN_NUM), ""); // not asked for
    }
    for (std::uint32_t adp_histogram::*member :
         {&adp_histogram::bin0_width, &adp_histogram::bin1_width, &adp_histogram::vhca_id}) {
        adp_histogram wrong = h;
        wrong.*member = 65536;
        EXPECT_NE(reg::histogram_faults(wrong, UINT32_MAX).find("at most 65535"),
                  std::string::npos);
    }
    h.bin1_width = 0;
    EXPECT_NE(reg::histogram_faults(h, ADP_HISTOGRAM_SET_BIN_WIDTH), "");
}

TEST(histogram, bins)
{
    std::uint32_t dwords[10] = {0x03000000, 0, 0, 0, 0, 7, 0x1, 0x80000000, 0xffffffff, 0xffffffff};
    adp_histogram h{};
    reg::decode_histogram(dwords, h);
    EXPECT_EQ(h.bins_read, 3U);
    EXPECT_EQ(h.bin[0], 7U);
    EXPECT_EQ(h.bin[1], 0x180000000U);
    EXPECT_EQ(h.bin[2], UINT64_MAX);
    reg::decode_histogram(std::span<const std::uint32_t>{dwords}.first(7), h); // cut
    EXPECT_EQ(h.bins_read, 1U);
    EXPECT_EQ(h.bin[1], 0U);
    reg::decode_histogram({}, h);
    EXPECT_EQ(h.bins_read, 0U);
    EXPECT_EQ(reg::histogram_bytes(255), 2056U);
    EXPECT_EQ(reg::histogram.size, 2056U);
    h.bin_num = 3;
    h.bin[0] = 7;
    h.bin[1] = 0x180000000U;
    h.bin[2] = UINT64_MAX;
    std::uint32_t out[10] = {};
    reg::encode_histogram(h, out);
    EXPECT_TRUE(std::equal(out, out + 10, dwords));
    const std::uint32_t cap[1] = {1U << 17};
    const std::uint32_t no[1] = {~(1U << 17)};
    EXPECT_TRUE(reg::announces_histogram(cap));
    EXPECT_FALSE(reg::announces_histogram(no));
    EXPECT_FALSE(reg::announces_histogram({}));
}

} // namespace adp::test
