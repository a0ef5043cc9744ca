// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A counter set of an application's own, made and asked by the distribution's libmlx5 on the emulated
// kernel, where a set counts two time-outs and one RNR NAK for each queue pair that comes to it.
#include "emukernel.h"
#include "emulated_process.h"
#include "own_queue_pair.h"

#include <adp/adp.hpp>

#include <cerrno>

using namespace adp::emukernel;

namespace {

std::uint32_t set_of(ibv_qp *qp)
{
    adp_qp_attr a{};
    return adp_query_qp(qp, &a) == 0 ? a.counter_set_id : ADP_NOT_KNOWN;
}

struct counted {
    adp_counters *c;
    explicit counted(adp_own_counter_set *set) : c{adp_query_own_counter_set(set)} {}
    ~counted() { adp_free_counters(c); }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
    adp_counter get(const char *name) const
    {
        adp_counter one{};
        const int i = adp_counter_by_name(c, name);
        if (i < 0 || adp_get_counter(c, static_cast<std::uint32_t>(i), &one) != 0)
            one.name = nullptr;
        return one;
    }
};

TEST(own_set, counts_who_came_and_keeps_it)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        adp_context *ctx = adp_open_verbs(app.context, nullptr);
        ASSERT_NE(ctx, nullptr) << adp_get_error();
        adp_own_counter_set *set = adp_create_own_counter_set(ctx);
        ASSERT_NE(set, nullptr) << adp_get_error();
        const char *warning = adp_context_warning(ctx, 0);
        ASSERT_NE(warning, nullptr);
        EXPECT_NE(std::strstr(warning, "no longer in the counters of their port"), nullptr);
        const std::uint32_t id = adp_own_counter_set_id(set);
        EXPECT_NE(id, 3U) << "the port's own";
        {
            const counted empty{set};
            ASSERT_NE(empty.c, nullptr) << adp_get_error();
            EXPECT_EQ(empty.get("local_ack_timeout_err").value, 0U);
            EXPECT_EQ(empty.get("local_ack_timeout_err").state,
                      static_cast<std::uint32_t>(ADP_COUNTER_MEASURED));
        }
        ASSERT_EQ(adp_move_qp_to_own_counter_set(set, app.qp), 0) << adp_get_error();
        EXPECT_EQ(set_of(app.qp), id);
        EXPECT_EQ(adp_move_qp_to_own_counter_set(set, app.qp), 0) << "it is there already";
        for (int i = 0; i < 2; i++) { // a reading clears nothing
            const counted now{set};
            ASSERT_NE(now.c, nullptr) << adp_get_error();
            adp_counters_info info{};
            ASSERT_EQ(adp_get_counters_info(now.c, &info), 0);
            EXPECT_STREQ(info.source, "devx");
            EXPECT_STREQ(info.driver, "mlx5");
            EXPECT_EQ(info.scope, static_cast<std::uint32_t>(ADP_COUNTERS_OWN_SET));
            EXPECT_EQ(info.set_id, id);
            EXPECT_EQ(info.port, 0U) << "a set is of no port";
            EXPECT_EQ(info.num, 26U);
            EXPECT_NE(info.time_ns, 0U);
            const adp_counter timeouts = now.get("local_ack_timeout_err");
            EXPECT_EQ(timeouts.value, 2U);
            EXPECT_STREQ(timeouts.concept_name, "ack_timeout");
            EXPECT_EQ(timeouts.side, static_cast<std::uint32_t>(ADP_SIDE_REQUESTER));
            EXPECT_EQ(timeouts.width_bits, 32U);
            EXPECT_EQ(timeouts.overflow, static_cast<std::uint32_t>(ADP_OVERFLOW_WRAP));
            EXPECT_EQ(now.get("rnr_nak_retry_err").value, 1U);
            EXPECT_EQ(now.get("packet_seq_err").value, 0U);
            EXPECT_EQ(now.get("np_cnp_sent").name, nullptr) << "no counter of a set";
        }
        ASSERT_EQ(adp_move_qp_from_own_counter_set(set, app.qp), 0) << adp_get_error();
        EXPECT_EQ(set_of(app.qp), 3U) << "where it was before";
        EXPECT_EQ(adp_move_qp_from_own_counter_set(set, app.qp), ENOENT);
        EXPECT_TRUE(says("is in counter set 3")) << adp_get_error();
        EXPECT_EQ(counted{set}.get("local_ack_timeout_err").value, 2U) << "counted is counted";
        EXPECT_EQ(adp_destroy_own_counter_set(set), 0) << adp_get_error();
        adp_close(ctx);
    });
}

TEST(own_set, the_move_leaves_everything_else)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        ASSERT_EQ(adp_modify_qp_udp_sport(app.qp, 55555), 0) << adp_get_error();
        adp_qp_attr before{}, after{};
        ASSERT_EQ(adp_query_qp(app.qp, &before), 0);
        std::error_code ec;
        const adp::context ctx = adp::context::open(app.context, ec);
        adp::own_counter_set set = adp::own_counter_set::create(ctx, ec);
        ASSERT_TRUE(set) << ec.message();
        ASSERT_FALSE(set.move_here(app.qp));
        ASSERT_EQ(adp_query_qp(app.qp, &after), 0);
        EXPECT_EQ(after.counter_set_id, set.id());
        after.counter_set_id = before.counter_set_id;
        EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
        const adp::counters now = set.query(ec);
        EXPECT_EQ(now.value("local_ack_timeout_err").value_or(0), 2U);
        EXPECT_FALSE(set.move_back(app.qp));
        EXPECT_FALSE(set.destroy());
        EXPECT_FALSE(set) << "it is gone";
    });
}

TEST(own_set, two_sets)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        std::error_code ec;
        const adp::context ctx = adp::context::open(app.context, ec);
        adp::own_counter_set first = adp::own_counter_set::create(ctx, ec);
        adp::own_counter_set second = adp::own_counter_set::create(ctx, ec);
        ASSERT_TRUE(first && second) << ec.message();
        ASSERT_NE(first.id(), second.id());
        ASSERT_FALSE(first.move_here(app.qp));
        ASSERT_FALSE(second.move_here(app.qp));
        EXPECT_EQ(first.move_back(app.qp), std::errc::no_such_file_or_directory);
        EXPECT_EQ(second.query(ec).value("local_ack_timeout_err").value_or(0), 2U);
        ASSERT_FALSE(second.move_back(app.qp));
        EXPECT_EQ(set_of(app.qp), first.id());
        ASSERT_FALSE(first.move_back(app.qp));
        EXPECT_EQ(set_of(app.qp), 3U);
    });
}

TEST(own_set, a_counter_that_the_device_does_not_have)
{
    emulated_with(R"("out_of_seq_cnt": 0, "roce_accl": 0)", [] {
        application app;
        ASSERT_TRUE(app.connect());
        adp_context *ctx = adp_open_verbs(app.context, nullptr);
        adp_own_counter_set *set = adp_create_own_counter_set(ctx);
        ASSERT_NE(set, nullptr) << adp_get_error();
        {
            const counted now{set};
            for (const char *name : {"out_of_sequence", "roce_adp_retrans", "roce_slow_restart"}) {
                const adp_counter c = now.get(name);
                ASSERT_NE(c.name, nullptr) << name;
                EXPECT_EQ(c.state, static_cast<std::uint32_t>(ADP_COUNTER_NOT_EXPOSED)) << name;
                EXPECT_STREQ(c.gate, name[0] == 'o' ? "out_of_seq_cnt" : "roce_accl");
                EXPECT_NE(c.reason[0], '\0');
            }
            EXPECT_EQ(now.get("packet_seq_err").state,
                      static_cast<std::uint32_t>(ADP_COUNTER_MEASURED));
        }
        EXPECT_EQ(adp_destroy_own_counter_set(set), 0);
        adp_close(ctx);
    });
}

TEST(own_set, gate_of_the_capability)
{
    emulated_with(R"("rts2rts_qp_counters_set_id": 0)", [] {
        application app;
        adp_context *ctx = adp_open_verbs(app.context, nullptr);
        ASSERT_NE(ctx, nullptr) << adp_get_error();
        EXPECT_EQ(adp_create_own_counter_set(ctx), nullptr);
        EXPECT_EQ(errno, EOPNOTSUPP);
        EXPECT_TRUE(says("rts2rts_qp_counters_set_id")) << adp_get_error();
        adp_close(ctx);
    });
}

TEST(own_set, gate_of_devx)
{
    emulated({{"EMUKERNEL_NO_DEVX", "1"}}, [] {
        application app{IBV_QPT_RC, false};
        adp_context *ctx = adp_open_verbs(app.context, nullptr);
        ASSERT_NE(ctx, nullptr) << adp_get_error();
        EXPECT_EQ(adp_create_own_counter_set(ctx), nullptr);
        EXPECT_EQ(errno, EOPNOTSUPP);
        EXPECT_TRUE(says("no DEVX in this verbs context")) << adp_get_error();
        EXPECT_TRUE(says("MLX5DV_CONTEXT_FLAGS_DEVX")) << adp_get_error();
        adp_close(ctx);
    });
}

TEST(own_set, gate_of_the_context)
{
    emulated({}, [] {
        application app;
        ASSERT_TRUE(app.connect());
        adp_context *own = adp_open_device("mlx5_0", nullptr);
        ASSERT_NE(own, nullptr);
        EXPECT_EQ(adp_create_own_counter_set(own), nullptr);
        EXPECT_EQ(errno, EOPNOTSUPP);
        EXPECT_TRUE(says("adp_open_verbs()")) << adp_get_error();
        adp_close(own);
        // Another context of the same device.
        application other;
        adp_context *ctx = adp_open_verbs(other.context, nullptr);
        adp_own_counter_set *set = adp_create_own_counter_set(ctx);
        ASSERT_NE(set, nullptr) << adp_get_error();
        EXPECT_EQ(adp_move_qp_to_own_counter_set(set, app.qp), EINVAL);
        EXPECT_TRUE(says("another verbs context")) << adp_get_error();
        EXPECT_EQ(set_of(app.qp), 3U);
        EXPECT_EQ(adp_destroy_own_counter_set(set), 0);
        adp_close(ctx);
    });
}

TEST(own_set, gates_of_state_and_type)
{
    emulated({}, [] {
        application app, raw{IBV_QPT_RAW_PACKET};
        ASSERT_NE(app.qp, nullptr);
        std::error_code ec;
        const adp::context ctx = adp::context::open(app.context, ec);
        adp::own_counter_set set = adp::own_counter_set::create(ctx, ec);
        ASSERT_TRUE(set) << ec.message();
        EXPECT_EQ(set.move_here(app.qp), std::errc::invalid_argument);
        EXPECT_TRUE(says("RESET") && says("must be RTS")) << adp_get_error();
        EXPECT_EQ(set.move_back(app.qp), std::errc::invalid_argument);
        ASSERT_TRUE(app.connect());
        EXPECT_FALSE(set.move_here(app.qp));
        ASSERT_EQ(app.raw(0x507), 0) << "to ERR";
        EXPECT_EQ(set.move_back(app.qp), std::errc::invalid_argument);
        EXPECT_TRUE(says("ERR")) << adp_get_error();
        if (raw.qp != nullptr) {
            EXPECT_EQ(set.move_here(raw.qp), std::errc::operation_not_supported);
            EXPECT_TRUE(says("RAW_PACKET")) << adp_get_error();
        }
    });
}

TEST(own_set, datagrams_can_be_counted_too)
{
    emulated({}, [] {
        application app{IBV_QPT_UD};
        ASSERT_EQ(app.to_init(), 0);
        ASSERT_EQ(app.to_rtr(9, 0), 0);
        ASSERT_EQ(app.to_rts(), 0);
        std::error_code ec;
        const adp::context ctx = adp::context::open(app.context, ec);
        adp::own_counter_set set = adp::own_counter_set::create(ctx, ec);
        EXPECT_FALSE(set.move_here(app.qp)) << adp_get_error();
        EXPECT_EQ(set_of(app.qp), set.id());
    });
}

// status 8: no resources. Each command is refused in turn; the fault counts one.
TEST(own_set, the_firmware_refuses)
{
    emulated({{"EMUKERNEL_FAULT", "op=0x771,status=8,syndrome=0x55,count=1;"
                                  "op=0x505,status=3,count=1;op=0x773,status=4,count=1;"
                                  "op=0x772,status=6,count=1"}},
             [] {
                 application app;
                 ASSERT_TRUE(app.connect());
                 adp_context *ctx = adp_open_verbs(app.context, nullptr);
                 EXPECT_EQ(adp_create_own_counter_set(ctx), nullptr);
                 EXPECT_EQ(errno, EREMOTEIO);
                 EXPECT_TRUE(says("ALLOC_Q_COUNTER")) << adp_get_error();
                 adp_fw_status fw{};
                 ASSERT_EQ(adp_get_fw_status(&fw), 0);
                 EXPECT_EQ(fw.opcode, 0x771U);
                 EXPECT_EQ(fw.status, 8U);
                 EXPECT_EQ(fw.syndrome, 0x55U);
                 adp_own_counter_set *set = adp_create_own_counter_set(ctx);
                 ASSERT_NE(set, nullptr) << adp_get_error();
                 EXPECT_EQ(adp_move_qp_to_own_counter_set(set, app.qp), EREMOTEIO);
                 EXPECT_TRUE(says("RTS2RTS_QP")) << adp_get_error();
                 EXPECT_EQ(set_of(app.qp), 3U);
                 EXPECT_EQ(adp_query_own_counter_set(set), nullptr);
                 EXPECT_EQ(errno, EREMOTEIO);
                 EXPECT_TRUE(says("QUERY_Q_COUNTER")) << adp_get_error();
                 EXPECT_EQ(adp_destroy_own_counter_set(set), EREMOTEIO);
                 EXPECT_TRUE(says("DEALLOC_Q_COUNTER")) << adp_get_error();
                 EXPECT_EQ(counted{set}.get("out_of_buffer").value, 0U) << "still there";
                 EXPECT_EQ(adp_destroy_own_counter_set(set), 0) << adp_get_error();
                 adp_close(ctx);
             });
}

TEST(own_set, nothing_given)
{
    emulated({}, [] {
        application app;
        adp_context *ctx = adp_open_verbs(app.context, nullptr);
        adp_own_counter_set *set = adp_create_own_counter_set(ctx);
        ASSERT_NE(set, nullptr) << adp_get_error();
        EXPECT_EQ(adp_move_qp_to_own_counter_set(set, nullptr), EINVAL);
        EXPECT_EQ(adp_move_qp_to_own_counter_set(nullptr, app.qp), EINVAL);
        EXPECT_EQ(adp_move_qp_from_own_counter_set(nullptr, app.qp), EINVAL);
        EXPECT_EQ(adp_query_own_counter_set(nullptr), nullptr);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(adp_create_own_counter_set(nullptr), nullptr);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(adp_own_counter_set_id(nullptr), ADP_NOT_KNOWN);
        adp_counter_query query{};
        query.scope = ADP_COUNTERS_OWN_SET;
        query.port = 1;
        EXPECT_EQ(adp_query_counters(ctx, &query), nullptr);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_TRUE(says("adp_query_own_counter_set()")) << adp_get_error();
        EXPECT_EQ(adp_destroy_own_counter_set(nullptr), 0);
        EXPECT_EQ(adp_destroy_own_counter_set(set), 0);
        adp_close(ctx);
    });
}

} // namespace
