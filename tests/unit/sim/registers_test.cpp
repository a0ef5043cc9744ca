// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Commands around ROCE_ACCL: capabilities, identification, the histogram, lengths, unknown things.
#include "mailbox.h"
#include "preset.h"
#include "rules.h"

#include <cerrno>
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

void expect_refused(const answer &a, unsigned status, rule why)
{
    EXPECT_EQ(a.outcome.err, 0);
    EXPECT_EQ(a.status(), status);
    EXPECT_EQ(a.syndrome(), static_cast<std::uint32_t>(why));
}

// A byte of a capability page.
unsigned cap(const answer &a, std::size_t byte)
{
    return a.out.at(0x10 + byte);
}

} // namespace

TEST(capabilities, stand_at_the_public_places)
{
    model m = device("default");
    const answer a = query_cap(m, 0);
    ASSERT_EQ(a.status(), 0U);
    EXPECT_EQ(cap(a, 0x04) & 0x80, 0x80U) << "hca_cap_2";
    EXPECT_EQ(cap(a, 0x1a) & 0x20, 0x20U) << "access_register_user";
    EXPECT_EQ(cap(a, 0x29) & 0x40, 0x40U) << "roce_accl";
    EXPECT_EQ(cap(a, 0x2a) & 0x40, 0x40U) << "rts2rts_qp_udp_sport";
    EXPECT_EQ(cap(a, 0x2d) & 0x41, 0x41U) << "rts2rts_qp_counters_set_id, qcam_reg";
    EXPECT_EQ(cap(a, 0x30) & 0xe0, 0xe0U) << "out_of_seq, vport, retransmission counters";
    EXPECT_EQ(cap(a, 0x36) & 0x43, 0x41U) << "enhanced counters, port_type Ethernet";
    EXPECT_EQ(cap(a, 0x37), 1U) << "num_ports";
    EXPECT_EQ(cap(a, 0x43) & 0x04, 0x04U) << "roce";
    EXPECT_EQ(cap(a, 0x66) & 0x08, 0x08U) << "dp_ordering_ooo_all_rc";
    EXPECT_EQ(cap(a, 0x67) & 0x60, 0x60U) << "q_counter_aggregation, q_counter_other_vport";
    EXPECT_NE(cap(a, 0x8c) & 0x1f, 0U) << "log_max_uctx";
    EXPECT_EQ(cap(a, 0xd7) & 0x04, 0x04U) << "uctx_cap: tools resources";
    const answer roce = query_cap(m, 4);
    ASSERT_EQ(roce.status(), 0U);
    EXPECT_EQ(cap(roce, 0x1a) << 8 | cap(roce, 0x1b), 0xc000U) << "r_roce_min_src_udp_port";
    EXPECT_EQ(query_cap(m, 0x20).status(), 0U);
}

TEST(capabilities, follow_the_state)
{
    model m = device("default");
    *adp::sim::find_capability(m.caps, "roce_accl") = 0;
    *adp::sim::find_capability(m.caps, "num_ports") = 0xa5;
    *adp::sim::find_capability(m.caps, "vhca_id") = 0xbeef;
    const answer a = query_cap(m, 0);
    EXPECT_EQ(cap(a, 0x29) & 0x40, 0U);
    EXPECT_EQ(cap(a, 0x37), 0xa5U);
    EXPECT_EQ(cap(a, 0x06) << 8 | cap(a, 0x07), 0xbeefU);
    EXPECT_EQ(adp::sim::find_capability(m.caps, "no_such"), nullptr);
}

TEST(capabilities, short_output_is_filled_as_far_as_it_goes)
{
    model m = device("default");
    for (std::size_t size = 0x10; size < 0x40; size++) {
        const answer a = query_cap(m, 0, size);
        EXPECT_EQ(a.status(), 0U) << size;
        EXPECT_EQ(a.out.size(), size);
    }
    EXPECT_EQ(cap(query_cap(m, 0, 0x10 + 0x1b), 0x1a) & 0x20, 0x20U);
}

TEST(capabilities, unknown_pages_are_refused)
{
    model m = device("default");
    expect_refused(query_cap(m, 1), 3, rule::unknown_cap_page);
    expect_refused(query_cap(m, 0x7fff), 3, rule::unknown_cap_page);
    model old = device("cx4");
    expect_refused(query_cap(old, 0x20), 3, rule::unknown_cap_page);
}

TEST(command, unknown_ones_are_refused)
{
    model m = device("default");
    const model before = m;
    for (const unsigned op : {0x0U, 0x1U, 0x804U, 0x806U, 0xffffU})
        expect_refused(run(m, register_command(op, 1, 0x402c, dwords(16)), 0x50), 2,
                       rule::unknown_op);
    for (const unsigned op_mod : {2U, 0xffffU})
        expect_refused(run(m, register_command(0x805, op_mod, 0x402c, dwords(16)), 0x50), 3,
                       rule::unknown_op_mod);
    for (const unsigned reg : {0x0U, 0x402bU, 0xc01dU, 0xc01eU, 0xffffU})
        expect_refused(run(m, register_command(0x805, 1, reg, dwords(16)), 0x50), 3,
                       rule::unknown_register);
    EXPECT_EQ(m, before);
}

TEST(command, lengths)
{
    model m = device("default");
    const model before = m;
    for (const std::size_t n : {0U, 1U, 15U})
        expect_refused(run(m, register_command(0x805, 0, 0x402c, dwords(n)), 0x50), 0x50,
                       rule::input_short);
    for (const std::size_t n : {0x10U, 0x14U, 0x4fU})
        expect_refused(run(m, register_command(0x805, 1, 0x402c, dwords(16)), n), 0x51,
                       rule::output_short);
    for (const std::size_t n : {0U, 1U, 15U}) {
        EXPECT_EQ(run(m, register_command(0x805, 1, 0x402c, dwords(16)), n).outcome.err, EINVAL);
        EXPECT_EQ(run(m, bytes(n), 0x50).outcome.err, EINVAL);
    }
    EXPECT_EQ(m, before);
    bytes odd = register_command(0x805, 1, 0x402c, dwords(16));
    odd.resize(odd.size() + 3);
    EXPECT_EQ(run(m, odd, 0x53).status(), 0U);
}

TEST(command, access_register_user_works_where_announced)
{
    model m = device("default");
    const answer a = run(m, register_command(0xb0c, 1, 0x402c, dwords(16)), 0x50);
    EXPECT_EQ(a.status(), 0U);
    EXPECT_EQ(a.all(), raw_table("raw-before.txt"));
    model old = device("cx4");
    expect_refused(run(old, register_command(0xb0c, 1, 0x402c, dwords(16)), 0x50), 2,
                   rule::not_for_users);
}

TEST(command, a_device_that_is_gone_answers_nothing)
{
    model m = device("default");
    m.gone = true;
    const answer a = query_accl(m);
    EXPECT_EQ(a.outcome.err, ENODEV);
    EXPECT_EQ(a.out, bytes(0x50));
}

TEST(mgir, tells_who_the_device_is)
{
    model m = device("default");
    const answer a = access(m, false, 0x9020, dwords(0x400 / 4));
    ASSERT_EQ(a.status(), 0U);
    EXPECT_EQ(a.data(0) & 0xffff, 0x1021U);
    EXPECT_EQ(a.data(2), 0x218U); // where mstflint reads its device id
    EXPECT_EQ(a.data(0x44 / 4), 28U);
    EXPECT_EQ(a.data(0x48 / 4), 47U);
    EXPECT_EQ(a.data(0x4c / 4), 1026U);
    expect_refused(access(m, true, 0x9020, dwords(0x400 / 4)), 3, rule::read_only_register);
}

TEST(histogram, absent_by_default)
{
    model m = device("default");
    EXPECT_EQ(access(m, false, 0xc00d, dwords(0x80 / 4)).data(0), 0U);
    expect_refused(access(m, false, 0xc01d, dwords(0x80 / 4)), 3, rule::unknown_register);
    expect_refused(access(m, false, 0xc01e, dwords(0x90 / 4)), 3, rule::unknown_register);
}

TEST(histogram, announced_and_read)
{
    model m = device("full");
    EXPECT_EQ(access(m, false, 0xc00d, dwords(0x80 / 4)).data(0), 1U << 17);
    expect_refused(access(m, true, 0xc00d, dwords(0x80 / 4)), 3, rule::read_only_register);
    const answer config = access(m, false, 0xc01d, dwords(0x80 / 4));
    EXPECT_EQ(config.data(0), 0x85f00000U);
    EXPECT_EQ(config.data(1), 0x08100000U);
    EXPECT_EQ(config.data(2), 0x00080008U);
    m.histogram.bins[0] = 0x123456789abcdef0;
    const answer bins = access(m, false, 0xc01e, dwords(0x808 / 4));
    EXPECT_EQ(bins.data(0) >> 24, 8U);
    EXPECT_EQ(bins.data(4), 0x12345678U);
    EXPECT_EQ(bins.data(5), 0x9abcdef0U);
    EXPECT_EQ(bins.data(7), 310U);
    EXPECT_EQ(bins.data(4 + 2 * 7 + 1), 1U);
    for (std::size_t i = 4 + 2 * 8; i < 0x808 / 4; i++)
        EXPECT_EQ(bins.data(i), 0U);
    EXPECT_EQ(access(m, false, 0xc01e, dwords(0x18 / 4)).data(5), 0x9abcdef0U) << "one bin fits";
    EXPECT_EQ(access(m, false, 0xc01e, dwords(0x10 / 4)).status(), 0U) << "none fits";
    expect_refused(access(m, true, 0xc01e, dwords(0x18 / 4)), 3, rule::read_only_register);
}

TEST(histogram, more_bins_than_the_state_has_read_zero)
{
    model m = device("full");
    m.histogram.config[1] = 0xffff0000; // 255 bins
    m.histogram.bins.resize(300, 7);
    answer a = access(m, false, 0xc01e, dwords(0x808 / 4));
    EXPECT_EQ(a.data(0x804 / 4), 7U);
    m.histogram.bins.resize(1);
    a = access(m, false, 0xc01e, dwords(0x808 / 4));
    EXPECT_EQ(a.data(0x804 / 4), 0U);
    EXPECT_EQ(a.data(0) >> 24, 255U);
}

TEST(histogram, clear_on_read_clears_once)
{
    model m = device("full");
    m.histogram.config[0] |= 1U << 30;
    EXPECT_EQ(access(m, false, 0xc01e, dwords(0x50 / 4)).data(5), 1203U);
    EXPECT_EQ(access(m, false, 0xc01e, dwords(0x50 / 4)).data(5), 0U);
}

TEST(histogram, configuration_keeps_what_is_read_only)
{
    model m = device("full");
    dwords sent(0x80 / 4, 0xffffffff);
    sent[0] = 0x6cffffff & ~(3U << 24); // not counting, clear on read, ms, other function, mode 0
    sent[1] = 0x10ff1234;
    sent[2] = 0x00010002;
    EXPECT_EQ(access(m, true, 0xc01d, sent).status(), 0U);
    const answer a = access(m, false, 0xc01d, dwords(0x80 / 4));
    EXPECT_EQ(a.data(0), 0x6cf00000U);
    EXPECT_EQ(a.data(1), 0x10101234U);
    EXPECT_EQ(a.data(2), 0x00010002U);
    EXPECT_EQ(a.data(3), 0U);
}

TEST(histogram, configurations_that_are_refused)
{
    const auto refused = [](std::uint32_t d0, std::uint32_t d1, std::uint32_t d2, rule why) {
        model m = device("full");
        m.histogram.config[0] = 0x85300000; // ns and us only
        const model before = m;
        dwords sent(0x80 / 4);
        sent[0] = d0;
        sent[1] = d1;
        sent[2] = d2;
        expect_refused(access(m, true, 0xc01d, sent), 3, why);
        EXPECT_EQ(m, before);
    };
    refused(0x84000000, 0x00000000, 0x00080008, rule::bin_num_bounds);
    refused(0x84000000, 0x11000000, 0x00080008, rule::bin_num_bounds);
    refused(0x88000000, 0x08000000, 0x00080008, rule::bin_unit_unsupported);
    refused(0x8c000000, 0x08000000, 0x00080008, rule::bin_unit_unsupported);
    refused(0x86000000, 0x08000000, 0x00080008, rule::bin_mode_reserved);
    refused(0x84000000, 0x08000000, 0x00000008, rule::bin_width_zero);
    refused(0x84000000, 0x08000000, 0x00080000, rule::bin_width_zero);
    model m = device("full");
    dwords one(0x80 / 4);
    one[0] = 0x84000000;
    one[1] = 0x01000000;
    one[2] = 0x00080000; // the width of bin 1 matters to nobody when there is only bin 0
    EXPECT_EQ(access(m, true, 0xc01d, one).status(), 0U);
}
