// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// libadp's verbs on an application's own queue pairs, which the distribution's libibverbs and libmlx5
// made on the emulated kernel.
#include "emukernel.h"
#include "emulated_process.h"
#include "own_queue_pair.h"

#include <adp/adp.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <string>

using namespace adp::emukernel;

namespace {

constexpr unsigned init2rtr = 0x503, rtr2rts = 0x504, to_error = 0x507;

TEST(query, the_context)
{
    emulated({{"EMUKERNEL_OOO_DP", "1"}}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0) << adp_get_error();
        EXPECT_STREQ(a.dev, "mlx5_0");
        EXPECT_EQ(a.port, 1U);
        EXPECT_EQ(a.lqpn, app.qp->qp_num);
        EXPECT_EQ(a.rqpn, 0x5678U);
        EXPECT_EQ(a.type, static_cast<std::uint32_t>(IBV_QPT_RC));
        EXPECT_EQ(a.state, static_cast<std::uint32_t>(IBV_QPS_RTS));
        EXPECT_EQ(a.lib_state, static_cast<std::uint32_t>(IBV_QPS_RTS));
        EXPECT_EQ(a.timeout_code, 14U);
        EXPECT_EQ(a.timeout_ns, 67108864U);
        EXPECT_EQ(a.retry_cnt, 7U);
        EXPECT_EQ(a.retry_left, 5U) << "two are used up";
        EXPECT_EQ(a.rnr_retry, 5U);
        EXPECT_EQ(a.rnr_left, 4U) << "one is";
        EXPECT_EQ(a.min_rnr_timer, 12U);
        EXPECT_EQ(a.extended_retry_count, ADP_NOT_KNOWN) << "the device does not use it";
        // Five are under way, over the end of the PSNs.
        EXPECT_EQ(a.last_acked_psn, 0xfffffdU);
        EXPECT_EQ(a.next_send_psn, 3U);
        EXPECT_EQ(a.outstanding, 5U);
        EXPECT_EQ(a.timer_armed, 1U);
        EXPECT_EQ(a.timer_psn, 0xfffffeU);
        EXPECT_EQ(a.sport_source, static_cast<std::uint32_t>(ADP_SPORT_QPC));
        EXPECT_EQ(a.udp_sport, adp_calc_udp_sport(0, a.lqpn, a.rqpn));
        EXPECT_EQ(a.counter_set_id, 3U);
        EXPECT_EQ(a.lag_tx_port_affinity, 0U);
        EXPECT_STREQ(a.peer_addr, "10.0.1.7");
        EXPECT_STREQ(a.local_addr, "10.0.0.1");
        EXPECT_EQ(a.ooo_kernel, static_cast<std::uint32_t>(ADP_YES));
        EXPECT_EQ(a.ooo_device, static_cast<std::uint32_t>(ADP_YES));
        EXPECT_EQ(a.ooo, static_cast<std::uint32_t>(ADP_YES));
        ibv_device_attr device{};
        ASSERT_EQ(ibv_query_device(app.context, &device), 0);
        EXPECT_EQ(a.ooo_max_recv_wr, static_cast<std::uint32_t>(device.max_qp_wr) / 2);
        adp_qp_attr again{};
        EXPECT_FALSE(adp::query_qp(app.qp, again));
        EXPECT_EQ(again.udp_sport, a.udp_sport);
    });
}

TEST(query, a_kernel_that_does_not_know_out_of_order_placement)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.ooo_kernel, static_cast<std::uint32_t>(ADP_NO));
        EXPECT_EQ(a.ooo_device, static_cast<std::uint32_t>(ADP_YES));
        EXPECT_EQ(a.ooo, static_cast<std::uint32_t>(ADP_NO));
        EXPECT_EQ(a.ooo_max_recv_wr, 0U);
    });
}

TEST(query, a_kernel_without_the_ioctl_interface)
{
    emulated({{"EMUKERNEL_ABI", "write"}, {"EMUKERNEL_OOO_DP", "1"}}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.ooo_kernel, static_cast<std::uint32_t>(ADP_UNKNOWN));
        EXPECT_EQ(a.ooo, static_cast<std::uint32_t>(ADP_UNKNOWN));
        EXPECT_EQ(a.udp_sport, adp_calc_udp_sport(0, a.lqpn, a.rqpn));
    });
}

TEST(query, a_timer_that_is_off)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect(0));
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.timeout_ns, 0U);
        EXPECT_EQ(a.outstanding, 5U);
        EXPECT_EQ(a.timer_armed, 0U);
        EXPECT_EQ(a.timer_psn, ADP_NOT_KNOWN);
    });
}

TEST(query, not_connected)
{
    emulated({}, [] {
        application app;
        ASSERT_NE(app.qp, nullptr);
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0) << adp_get_error();
        EXPECT_EQ(a.state, static_cast<std::uint32_t>(IBV_QPS_RESET));
        EXPECT_EQ(a.outstanding, ADP_NOT_KNOWN);
        EXPECT_NE(a.live_reason[0], '\0');
        EXPECT_STREQ(a.peer_addr, "");
        EXPECT_EQ(a.udp_sport, ADP_NOT_KNOWN) << "0 in the context is no port";
        EXPECT_EQ(a.sport_source, static_cast<std::uint32_t>(ADP_SPORT_UNKNOWN));
        EXPECT_NE(a.sport_reason[0], '\0');
    });
}

TEST(query, without_devx_the_verbs_still_tell_the_ceilings)
{
    emulated({{"EMUKERNEL_NO_DEVX", "1"}}, [] {
        application app{IBV_QPT_RC, false};
        ASSERT_TRUE(app.connect());
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.timeout_code, 14U);
        EXPECT_EQ(a.retry_cnt, 7U);
        EXPECT_EQ(a.retry_left, ADP_NOT_KNOWN);
        EXPECT_EQ(a.outstanding, ADP_NOT_KNOWN);
        EXPECT_NE(std::strstr(a.live_reason, "no DEVX"), nullptr) << a.live_reason;
        EXPECT_EQ(a.sport_source, static_cast<std::uint32_t>(ADP_SPORT_DERIVED));
        EXPECT_EQ(a.udp_sport, adp_calc_udp_sport(0, a.lqpn, 0x5678));
        EXPECT_STREQ(a.peer_addr, "10.0.1.7");
    });
}

TEST(query, bad_arguments)
{
    emulated({}, [] {
        application app;
        ASSERT_NE(app.qp, nullptr);
        adp_qp_attr a{};
        EXPECT_EQ(adp_query_qp(nullptr, &a), EINVAL);
        EXPECT_EQ(_adp_query_qp(app.qp, nullptr, sizeof a), EINVAL);
        EXPECT_EQ(_adp_query_qp(app.qp, &a, 8), EINVAL);
    });
}

TEST(query, a_refusal_is_no_failure_of_the_whole)
{
    emulated({{"EMUKERNEL_FAULT", "op=0x50b,status=9,syndrome=0x77"}}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_NE(std::strstr(a.live_reason, "QUERY_QP"), nullptr) << a.live_reason;
        EXPECT_EQ(a.retry_cnt, 7U);
    });
}

TEST(sport, is_changed_and_read_back)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        ASSERT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), 0) << adp_get_error();
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.udp_sport, 55555U);
        EXPECT_FALSE(adp::modify_qp_udp_sport(app.qp, 50001));
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.udp_sport, 50001U);
    });
}

TEST(sport, range)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        for (const std::uint16_t bad :
             std::initializer_list<std::uint16_t>{0, 1, 4791, 36049, 0xbfff}) {
            EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, bad), EINVAL) << bad;
            EXPECT_TRUE(says(std::to_string(bad).c_str())) << adp_get_error();
        }
        EXPECT_EQ(adp_force_qp_udp_sport(app.qp, 0), EINVAL) << "0 is none, whatever is forced";
        EXPECT_EQ(adp_force_qp_udp_sport(app.qp, 36049), 0) << adp_get_error();
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.udp_sport, 36049U);
        EXPECT_EQ(adp::force_qp_udp_sport(app.qp, 0), std::errc::invalid_argument);
    });
}

TEST(sport, gate_of_the_type)
{
    emulated({}, [] {
        application app{IBV_QPT_UD};
        ASSERT_NE(app.qp, nullptr);
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EOPNOTSUPP);
        EXPECT_TRUE(says("type UD") && says("RC and UC")) << adp_get_error();
    });
}

TEST(sport, gate_of_the_state)
{
    emulated({}, [] {
        application app;
        ASSERT_NE(app.qp, nullptr);
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EINVAL);
        EXPECT_TRUE(says("RESET") && says("must be RTS")) << adp_get_error();
        ASSERT_EQ(app.to_init(), 0);
        ASSERT_EQ(app.to_rtr(9, 0), 0);
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EINVAL);
        EXPECT_TRUE(says("RTR")) << adp_get_error();
    });
}

TEST(sport, gate_of_roce_v1)
{
    emulated({{"EMUKERNEL_GID_TYPE", "IB/RoCE v1"}}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EOPNOTSUPP);
        EXPECT_TRUE(says("IB/RoCE v1") && says("GID index 1")) << adp_get_error();
    });
}

TEST(sport, gate_of_the_link)
{
    emulated_with(R"("port_type": 0)", [] {
        application app;
        ASSERT_TRUE(app.connect());
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EOPNOTSUPP);
        EXPECT_TRUE(says("InfiniBand")) << adp_get_error();
    });
}

TEST(sport, gate_of_the_capability)
{
    emulated({{"EMUKERNEL_STATE", "cx4"}}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        EXPECT_EQ(mlx5dv_modify_qp_udp_sport(app.qp, 55555), EOPNOTSUPP);
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EOPNOTSUPP);
        EXPECT_TRUE(says("rts2rts_qp_udp_sport")) << adp_get_error();
    });
}

TEST(sport, gate_of_devx)
{
    emulated({{"EMUKERNEL_NO_DEVX", "1"}}, [] {
        application app{IBV_QPT_RC, false};
        ASSERT_TRUE(app.connect());
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EOPNOTSUPP);
        EXPECT_TRUE(says("no DEVX in this verbs context")) << adp_get_error();
        EXPECT_TRUE(says("MLX5DV_CONTEXT_FLAGS_DEVX")) << adp_get_error();
    });
}

// Raw DEVX moves the device's queue pair; libibverbs remembers INIT, and libmlx5 refuses for it.
TEST(sport, a_state_that_raw_devx_made_stale)
{
    emulated({}, [] {
        application app;
        ASSERT_NE(app.qp, nullptr);
        ASSERT_EQ(app.to_init(), 0);
        ASSERT_EQ(app.raw(init2rtr, 0x5678), 0) << std::strerror(errno);
        ASSERT_EQ(app.raw(rtr2rts), 0) << std::strerror(errno);
        EXPECT_EQ(app.qp->state, IBV_QPS_INIT);
        EXPECT_EQ(mlx5dv_modify_qp_udp_sport(app.qp, 55555), EOPNOTSUPP);
        adp_qp_attr a{};
        ASSERT_EQ(adp_query_qp(app.qp, &a), 0) << adp_get_error();
        EXPECT_EQ(a.lib_state, static_cast<std::uint32_t>(IBV_QPS_INIT)) << "as it was";
        EXPECT_EQ(a.state, static_cast<std::uint32_t>(IBV_QPS_RTS));
        EXPECT_EQ(app.qp->state, IBV_QPS_RTS) << "renewed by the query";
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), 0) << adp_get_error();
        EXPECT_EQ(adp_query_qp(app.qp, &a), 0);
        EXPECT_EQ(a.udp_sport, 55555U);
    });
}

TEST(sport, a_queue_pair_that_failed_meanwhile)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        ASSERT_EQ(app.raw(to_error), 0) << std::strerror(errno);
        EXPECT_EQ(app.qp->state, IBV_QPS_RTS);
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EINVAL);
        EXPECT_TRUE(says("ERR")) << adp_get_error();
    });
}

TEST(sport, the_firmware_refuses)
{
    emulated({{"EMUKERNEL_FAULT", "op=0x505,status=3"}}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        EXPECT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), EINVAL);
        EXPECT_TRUE(says("mlx5dv_modify_qp_udp_sport()")) << adp_get_error();
    });
}

TEST(sport, no_queue_pair)
{
    emulated({}, [] { EXPECT_EQ(adp_modify_qp_udp_sport(nullptr, 55555), EINVAL); });
}

} // namespace
