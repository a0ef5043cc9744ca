// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counters.h"

#include <gtest/gtest.h>

namespace adp::hca {

namespace {

const std::uint16_t timeout_err = *q_counter("local_ack_timeout_err");
const std::uint16_t seq_err = *q_counter("packet_seq_err");

TEST(Counters, PlacesOfTheKernelsHeader)
{
    // struct mlx5_ifc_query_q_counter_out_bits, include/linux/mlx5/mlx5_ifc.h.
    EXPECT_EQ(timeout_err, 0x60);
    EXPECT_EQ(q_counter("roce_adp_retrans"), 0xc8);
    EXPECT_EQ(q_counter("roce_slow_restart_trans"), 0xd8);
    EXPECT_EQ(congestion_counter("np_cnp_sent"), 0x5c);
    EXPECT_FALSE(q_counter("np_cnp_sent"));
}

TEST(Counters, SetsAreApart)
{
    counter_store store;
    store.add_set(0, 1, false);
    store.add_set(0, 2, false);
    store.add_set(1, 1, false);
    store.move(0, 1, timeout_err, 5);
    EXPECT_EQ(store.value(0, 1, timeout_err), 5U);
    EXPECT_EQ(store.value(0, 2, timeout_err), 0U);
    EXPECT_EQ(store.value(1, 1, timeout_err), 0U);
    EXPECT_EQ(store.value(0, 1, seq_err), 0U);
    store.move(0, 9, timeout_err, 1);
    EXPECT_EQ(store.value(0, 9, timeout_err), 0U) << "no such set";
    store.remove_set(0, 1);
    EXPECT_EQ(store.value(0, 1, timeout_err), 0U);
}

TEST(Counters, BaseShowsInTheDriversSetsOnly)
{
    counter_store store;
    store.set_base(0, timeout_err, 42);
    store.add_set(0, 1, true);
    store.add_set(0, 2, false);
    EXPECT_EQ(store.value(0, 1, timeout_err), 42U);
    EXPECT_EQ(store.value(0, 2, timeout_err), 0U);
    store.move(0, 1, timeout_err, 3);
    EXPECT_EQ(store.value(0, 1, timeout_err), 45U);
    store.set_base(0, timeout_err, 7);
    EXPECT_EQ(store.value(0, 1, timeout_err), 7U);
    store.set(0, 1, timeout_err, 100);
    EXPECT_EQ(store.value(0, 1, timeout_err), 100U);
    store.clear(0, 1);
    EXPECT_EQ(store.value(0, 1, timeout_err), 0U);
}

TEST(Counters, TheyHave32Bits)
{
    counter_store store;
    store.add_set(0, 1, true);
    store.set_base(0, timeout_err, 0xffffffff);
    store.move(0, 1, timeout_err, 2);
    EXPECT_EQ(store.value(0, 1, timeout_err), 1U);
}

TEST(Counters, AVportShowsItsFunctionsSets)
{
    counter_store store;
    store.set_vport(0, 1, seq_err, 111);
    EXPECT_EQ(store.vport_value(0, 1, seq_err), 111U);
    store.link(0, 1, 1);
    store.set_base(1, seq_err, 1000);
    store.add_set(1, 1, true);
    store.add_set(1, 2, true);
    store.add_set(1, 3, false);
    store.move(1, 3, seq_err, 8);
    EXPECT_EQ(store.vport_value(0, 1, seq_err), 111U + 1000U + 8U) << "the base counts once";
    EXPECT_EQ(store.vport_value(0, 2, seq_err), 0U);
    EXPECT_EQ(store.vport_value(1, 1, seq_err), 0U) << "another e-switch";
    EXPECT_EQ(store.vport_own_value(0, 1, seq_err), 111U);
}

} // namespace

} // namespace adp::hca
