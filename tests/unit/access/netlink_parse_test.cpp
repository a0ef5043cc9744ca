// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Answers of RDMA netlink: shapes as in the kernel's nldev.c, and everything that cannot be right.
// Attribute numbers are those of include/uapi/rdma/rdma_netlink.h, written down again.
#include "rdma_netlink.h"

#include "message.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <random>

using adp::nl::bytes;
using adp::test::cut_everywhere;
using adp::test::payload;

namespace {

constexpr std::uint16_t dev_index = 1, dev_name = 2, port_index = 3, state = 12, res_qp = 19,
                        res_qp_entry = 20, lqpn = 21, rqpn = 22, initial_psn = 24, res_type = 26,
                        res_state = 27, res_pid = 28, res_kern = 29, cm_id = 30, cm_entry = 31,
                        cm_src = 33, cm_dst = 34, ndev_index = 50, ndev_name = 51, mode = 74,
                        mask = 76, sets = 77, set_entry = 78, set_id = 79, hwcounters = 80,
                        entry = 81, name = 82, value = 83, counter_index = 94, dynamic = 95,
                        opcounter = 104;
constexpr std::uint16_t nested = 0x8000, net_order = 0x4000;

payload one(const std::string &n, std::uint64_t v)
{
    return payload{}.text(name, n).u64(value, v);
}

payload reading()
{
    payload list;
    list.nest(entry, one("out_of_sequence", 3)).nest(entry, one("local_ack_timeout_err", 7));
    return payload{}
        .u32(dev_index, 2)
        .text(dev_name, "mlx5_2")
        .u32(port_index, 1)
        .nest(hwcounters | nested, list);
}

} // namespace

TEST(NetlinkCounters, AsTheKernelSendsThem)
{
    const auto got = adp::nl::parse_counters(reading().bytes());
    ASSERT_TRUE(got) << got.err().reason;
    EXPECT_EQ(got->device, "mlx5_2");
    EXPECT_EQ(got->port, 1U);
    ASSERT_EQ(got->counters.size(), 2U);
    EXPECT_EQ(got->counters[0].name, "out_of_sequence");
    EXPECT_EQ(got->counters[0].value, 3U);
    EXPECT_EQ(got->counters[1].name, "local_ack_timeout_err");
    EXPECT_EQ(got->counters[1].value, 7U);
}

TEST(NetlinkCounters, AnyOrderAnyFlagsUnknownAttributesAndPadding)
{
    payload c;
    c.u64(value | net_order, 18446744073709551615U).raw(0, nullptr, 0).text(name, "a, b %s\n");
    c.u32(9999, 1);
    payload list;
    list.u32(7777, 5).nest(entry | nested | net_order, c);
    const auto got = adp::nl::parse_counters(payload{}
                                                 .raw(0, "\0\0\0\0", 4)
                                                 .nest(hwcounters, list)
                                                 .u32(port_index | nested, 4)
                                                 .text(dev_name, "rxe0")
                                                 .bytes());
    ASSERT_TRUE(got) << got.err().reason;
    ASSERT_EQ(got->counters.size(), 1U);
    EXPECT_EQ(got->counters[0].name, "a, b %s\n");
    EXPECT_EQ(got->counters[0].value, 18446744073709551615U);
    EXPECT_EQ(got->port, 4U);
}

TEST(NetlinkCounters, ThreeHundredInOnePort)
{
    payload list;
    for (unsigned i = 0; i < 300; i++)
        list.nest(entry, one("counter_" + std::to_string(i), i));
    const auto got = adp::nl::parse_counters(payload{}.nest(hwcounters, list).bytes());
    ASSERT_TRUE(got);
    ASSERT_EQ(got->counters.size(), 300U);
    EXPECT_EQ(got->counters[299].name, "counter_299");
    EXPECT_EQ(got->counters[299].value, 299U);
}

TEST(NetlinkCounters, StrangeSizesAreRefused)
{
    const auto refused = [](const payload &c) {
        const auto got =
            adp::nl::parse_counters(payload{}.nest(hwcounters, payload{}.nest(entry, c)).bytes());
        return !got && got.err().code == EPROTO;
    };
    EXPECT_TRUE(refused(payload{}.text(name, "x").u32(value, 5)));
    EXPECT_TRUE(refused(payload{}.text(name, "x").raw(value, "123456789abc", 12)));
    EXPECT_TRUE(refused(payload{}.text(name, "x").raw(value, nullptr, 0)));
    EXPECT_TRUE(refused(payload{}.raw(name, "abc", 3).u64(value, 5))); // not ended
    EXPECT_TRUE(refused(payload{}.raw(name, nullptr, 0).u64(value, 5)));
    EXPECT_TRUE(refused(payload{}.text(name, "").u64(value, 5)));
    EXPECT_TRUE(refused(payload{}.text(name, "x")));
    EXPECT_TRUE(refused(payload{}.u64(value, 5)));
    EXPECT_TRUE(refused(payload{}));
    EXPECT_FALSE(refused(one("x", 5)));
    EXPECT_FALSE(adp::nl::parse_counters(payload{}.raw(port_index, "12", 2).bytes()));
}

// Cut anywhere: an error, or (between two attributes of the message) a part of the truth.
TEST(NetlinkCounters, CutAtEachByte)
{
    const std::size_t accepted = cut_everywhere(
        reading().bytes(), adp::nl::parse_counters,
        [](const auto &got, std::size_t n) { EXPECT_TRUE(got.counters.empty()) << n; });
    EXPECT_LE(accepted, 10U); // nothing, and after each of the three first attributes and paddings
}

// No answer is believed that is not well formed, whatever the bytes; a sanitizer watches.
TEST(NetlinkCounters, Garbage)
{
    std::mt19937 random{4};
    const std::vector<std::uint8_t> whole = reading().bytes();
    for (int i = 0; i < 20000; i++) {
        std::vector<std::uint8_t> spoilt = whole;
        for (auto k = random() % 6 + 1; k > 0; k--)
            spoilt[random() % spoilt.size()] = static_cast<std::uint8_t>(random());
        spoilt.resize(random() % (spoilt.size() + 1));
        const auto got = adp::nl::parse_counters(spoilt);
        for (std::size_t c = 0; got && c < got->counters.size(); c++)
            EXPECT_FALSE(got->counters[c].name.empty());
        static_cast<void>(adp::nl::parse_device(spoilt));
        static_cast<void>(adp::nl::parse_port(spoilt));
        static_cast<void>(adp::nl::parse_counter_names(spoilt));
        static_cast<void>(adp::nl::parse_counter_sets(spoilt));
        static_cast<void>(adp::nl::parse_mode(spoilt));
        static_cast<void>(adp::nl::parse_queue_pairs(spoilt));
        static_cast<void>(adp::nl::parse_connections(spoilt));
    }
}

TEST(NetlinkLists, DevicesAndPorts)
{
    const auto d = adp::nl::parse_device(
        payload{}.u32(dev_index, 4).text(dev_name, "mlx5_bond_0").u32(port_index, 2).bytes());
    ASSERT_TRUE(d);
    EXPECT_EQ(d->index, 4U);
    EXPECT_EQ(d->name, "mlx5_bond_0");
    EXPECT_EQ(d->last_port, 2U);
    EXPECT_FALSE(adp::nl::parse_device(payload{}.u32(dev_index, 4).bytes()));
    EXPECT_FALSE(adp::nl::parse_device(payload{}.u32(dev_index, 4).text(dev_name, "../x").bytes()));
    const auto p = adp::nl::parse_port(payload{}
                                           .u32(dev_index, 4)
                                           .u32(port_index, 3)
                                           .u8(state, 4)
                                           .u32(ndev_index, 9)
                                           .text(ndev_name, "pf0vf1")
                                           .bytes());
    ASSERT_TRUE(p);
    EXPECT_EQ(p->number, 3U);
    EXPECT_EQ(p->state, 4U);
    EXPECT_EQ(p->netdev, "pf0vf1");
    EXPECT_EQ(p->netdev_index, 9U);
    EXPECT_FALSE(adp::nl::parse_port(payload{}.u32(state, 4).u32(port_index, 3).bytes()));
}

TEST(NetlinkNames, OptionalIsThatTheAttributeIsThere)
{
    payload list;
    list.nest(entry, payload{}.text(name, "out_of_buffer").u32(counter_index, 0));
    list.nest(entry, payload{}.text(name, "cc_rx_ce_pkts").u32(counter_index, 31).u8(dynamic, 0));
    list.nest(entry, payload{}.text(name, "cc_rx_cnp_pkts").u32(counter_index, 32).u8(dynamic, 1));
    const auto got = adp::nl::parse_counter_names(payload{}.nest(hwcounters, list).bytes());
    ASSERT_TRUE(got);
    ASSERT_EQ(got->size(), 3U);
    EXPECT_FALSE((*got)[0].optional);
    EXPECT_TRUE((*got)[1].optional);
    EXPECT_FALSE((*got)[1].enabled);
    EXPECT_TRUE((*got)[2].optional);
    EXPECT_TRUE((*got)[2].enabled);
    EXPECT_EQ((*got)[2].index, 32U);
}

TEST(NetlinkSets, InANestAndAlone)
{
    payload qps;
    qps.nest(res_qp_entry, payload{}.u32(lqpn, 178)).nest(res_qp_entry, payload{}.u32(lqpn, 179));
    payload set;
    set.u32(port_index, 1).u32(set_id, 5).u32(mode, 1).u8(res_type, 2).u32(res_pid, 31609);
    set.nest(res_qp | nested, qps).nest(hwcounters, payload{}.nest(entry, one("x", 9)));
    const auto got = adp::nl::parse_counter_sets(
        payload{}.text(dev_name, "mlx5_0").nest(sets, payload{}.nest(set_entry, set)).bytes());
    ASSERT_TRUE(got) << got.err().reason;
    ASSERT_EQ(got->size(), 1U);
    EXPECT_EQ((*got)[0].id, 5U);
    EXPECT_EQ((*got)[0].pid, 31609U);
    EXPECT_EQ((*got)[0].lqpn, (std::vector<std::uint32_t>{178, 179}));
    ASSERT_EQ((*got)[0].counters.size(), 1U);
    EXPECT_EQ((*got)[0].counters[0].value, 9U);
    const auto alone = adp::nl::parse_counter_set(set.bytes());
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->lqpn.size(), 2U);
    EXPECT_FALSE(adp::nl::parse_counter_set(payload{}.u32(port_index, 1).bytes()));
}

TEST(NetlinkMode, KnownModesOnly)
{
    const auto got =
        adp::nl::parse_mode(payload{}.u32(mode, 1).u32(mask, 3).u8(opcounter, 1).bytes());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->mode, adp::nl::counter_mode::automatic);
    EXPECT_EQ(got->mask, 3U);
    EXPECT_EQ(got->optional_counters, true);
    EXPECT_FALSE(adp::nl::parse_mode(payload{}.u32(mode, 3).bytes()));
    EXPECT_FALSE(adp::nl::parse_mode(payload{}.bytes()));
}

TEST(NetlinkQueuePairs, UserAndKernel)
{
    payload list;
    list.nest(res_qp_entry, payload{}
                                .u32(port_index, 1)
                                .u32(lqpn, 178)
                                .u32(rqpn, 202)
                                .u32(initial_psn, 77) // nothing that is looked at
                                .u8(res_type, 2)
                                .u8(res_state, 3)
                                .u32(res_pid, 31609));
    list.nest(res_qp_entry,
              payload{}.u32(lqpn, 1).u8(res_type, 1).u8(res_state, 3).text(res_kern, "ib_core"));
    const auto got = adp::nl::parse_queue_pairs(payload{}.nest(res_qp, list).bytes());
    ASSERT_TRUE(got);
    ASSERT_EQ(got->size(), 2U);
    EXPECT_EQ((*got)[0].rqpn, 202U);
    EXPECT_EQ((*got)[0].pid, 31609U);
    EXPECT_EQ((*got)[1].kernel_owner, "ib_core");
    EXPECT_FALSE((*got)[1].pid);
}

TEST(NetlinkConnections, Addresses)
{
    std::uint8_t address[128] = {2, 0, 0xc3, 0x50, 10, 0, 0, 1};
    payload list;
    list.nest(cm_entry,
              payload{}.u32(lqpn, 178).raw(cm_src, address, 128).raw(cm_dst, address, 16));
    const auto got = adp::nl::parse_connections(payload{}.nest(cm_id, list).bytes());
    ASSERT_TRUE(got);
    ASSERT_EQ(got->size(), 1U);
    EXPECT_EQ((*got)[0].source[4], 10);
    EXPECT_EQ((*got)[0].lqpn, 178U);
    std::uint8_t wide[132] = {};
    EXPECT_FALSE(adp::nl::parse_connections(
        payload{}.nest(cm_id, payload{}.nest(cm_entry, payload{}.raw(cm_src, wide, 132))).bytes()));
}
