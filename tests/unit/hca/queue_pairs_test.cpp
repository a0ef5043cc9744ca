// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which fields each transition takes; attributes that the IBTA requires of it, and those that
// opt_param_mask names. The kernel fills fields that firmware has to ignore.
#include "queue_pairs.h"

#include "guest.h"

namespace adp::hca {

namespace {

constexpr std::uint32_t qp = 0x48;
constexpr std::uint16_t rst2init = 0x502, init2rtr = 0x503, rtr2rts = 0x504, rts2rts = 0x505,
                        to_error = 0x507, to_reset = 0x50a, init2init = 0x50e;

class QueuePairsTest : public ::testing::Test {
  protected:
    QueuePairsTest()
    {
        bytes in(0x110);
        put_bits(room{in}.subspan(qpc::at_create), qpc::st, 0);
        put_bits(room{in}.subspan(qpc::at_create), qpc::user_index, 0x123);
        put_bits(room{in}.subspan(qpc::at_create), qpc::state, 5);
        pairs_.create(qp, in);
    }
    struct filled {
        bit_field field;
        std::uint32_t value;
    };
    status modify(std::uint16_t opcode, std::initializer_list<filled> fields = {},
                  std::uint32_t mask = 0, std::uint64_t mask_95_32 = 0)
    {
        bytes in(0x110);
        put16(in, 0, opcode);
        put32(in, 8, qp);
        put32(in, 0x10, mask);
        put64(in, 0x108, mask_95_32);
        for (const filled &one : fields)
            put_bits(room{in}.subspan(qpc::at_create), one.field, one.value);
        return pairs_.modify(opcode, qp, in);
    }
    std::uint32_t get(bit_field field) const { return get_bits(pairs_.context(qp), field); }
    void to_rts()
    {
        ASSERT_EQ(modify(rst2init, {{qpc::pkey_index, 3}, {qpc::counter_set_id, 9}}), status::ok);
        ASSERT_EQ(modify(init2rtr, {{qpc::remote_qpn, 0x77}, {qpc::udp_sport, 0xc001}}),
                  status::ok);
        ASSERT_EQ(modify(rtr2rts, {{qpc::ack_timeout, 14}, {qpc::retry_count, 7}}), status::ok);
    }

    queue_pairs pairs_;
};

TEST_F(QueuePairsTest, BeginInReset)
{
    EXPECT_EQ(pairs_.state(qp), qp_state::reset);
    EXPECT_EQ(get(qpc::user_index), 0x123U);
    EXPECT_EQ(pairs_.modify(rst2init, qp + 1, {}), status::bad_resource);
    EXPECT_TRUE(pairs_.context(qp + 1).empty());
}

TEST_F(QueuePairsTest, StatesFollowEachOther)
{
    EXPECT_EQ(modify(init2rtr), status::bad_qp_state);
    EXPECT_EQ(modify(rts2rts), status::bad_qp_state);
    EXPECT_EQ(modify(rst2init), status::ok);
    EXPECT_EQ(modify(rst2init), status::bad_qp_state);
    EXPECT_EQ(modify(init2init), status::ok);
    EXPECT_EQ(modify(rtr2rts), status::bad_qp_state);
    EXPECT_EQ(modify(init2rtr), status::ok);
    EXPECT_EQ(modify(rtr2rts), status::ok);
    EXPECT_EQ(pairs_.state(qp), qp_state::rts);
    EXPECT_EQ(modify(to_error), status::ok);
    EXPECT_EQ(pairs_.state(qp), qp_state::error);
    EXPECT_EQ(modify(rts2rts), status::bad_qp_state);
    EXPECT_EQ(modify(0x5ff), status::bad_op);
}

TEST_F(QueuePairsTest, TransitionsTakeWhatBelongsToThem)
{
    to_rts();
    EXPECT_EQ(get(qpc::counter_set_id), 9U);
    EXPECT_EQ(get(qpc::remote_qpn), 0x77U);
    EXPECT_EQ(get(qpc::udp_sport), 0xc001U);
    EXPECT_EQ(get(qpc::ack_timeout), 14U);
    EXPECT_EQ(get(qpc::retry_count), 7U);
    EXPECT_EQ(get(qpc::pkey_index), 3U) << "the path of INIT2RTR must not wipe it";
    EXPECT_EQ(get(qpc::user_index), 0x123U);
}

TEST_F(QueuePairsTest, ZeroIsAValue)
{
    ASSERT_EQ(modify(rst2init), status::ok);
    ASSERT_EQ(modify(init2rtr, {{qpc::min_rnr_nak, 12}}), status::ok);
    ASSERT_EQ(modify(rtr2rts, {{qpc::ack_timeout, 0}, {qpc::retry_count, 0}}), status::ok);
    EXPECT_EQ(modify(rts2rts, {{qpc::min_rnr_nak, 0}}, 1U << 6U), status::ok);
    EXPECT_EQ(get(qpc::min_rnr_nak), 0U);
}

TEST_F(QueuePairsTest, WhatTheMaskDoesNotNameStays)
{
    to_rts();
    EXPECT_EQ(modify(rts2rts, {{qpc::ack_timeout, 20},
                               {qpc::retry_count, 1},
                               {qpc::mtu, 5},
                               {qpc::rnr_retry, 2},
                               {qpc::udp_sport, 0xdead}}),
              status::ok);
    EXPECT_EQ(get(qpc::ack_timeout), 14U);
    EXPECT_EQ(get(qpc::retry_count), 7U);
    EXPECT_EQ(get(qpc::udp_sport), 0xc001U);
    EXPECT_EQ(get(qpc::mtu), 0U);
}

TEST_F(QueuePairsTest, EachBitOfTheMaskTakesItsFieldAlone)
{
    struct option {
        unsigned bit;
        bit_field field;
    };
    // enum mlx5_qp_optpar (include/linux/mlx5/qp.h).
    const option all[] = {{1, qpc::rre},
                          {2, qpc::rae},
                          {3, qpc::rwe},
                          {4, qpc::pkey_index},
                          {5, qpc::q_key},
                          {6, qpc::min_rnr_nak},
                          {12, qpc::retry_count},
                          {13, qpc::rnr_retry},
                          {14, qpc::ack_timeout},
                          {16, qpc::vhca_port_num},
                          {25, qpc::counter_set_id}};
    to_rts();
    for (const option &one : all) {
        const std::uint32_t before = get(one.field);
        const std::uint32_t other = before ^ 1U;
        EXPECT_EQ(modify(rts2rts, {{one.field, other}}, ~(1U << one.bit) & ~(1U << 7U)),
                  status::ok);
        EXPECT_EQ(get(one.field), before) << one.bit;
        EXPECT_EQ(modify(rts2rts, {{one.field, other}}, 1U << one.bit), status::ok);
        EXPECT_EQ(get(one.field), other) << one.bit;
    }
}

TEST_F(QueuePairsTest, SourcePortByTheSecondMask)
{
    to_rts();
    EXPECT_EQ(modify(rts2rts, {{qpc::udp_sport, 0xc123}}, 0, 1U << 2U), status::ok);
    EXPECT_EQ(get(qpc::udp_sport), 0xc123U);
}

TEST_F(QueuePairsTest, ResetBringsBackWhatWasMade)
{
    to_rts();
    EXPECT_EQ(modify(to_reset), status::ok);
    EXPECT_EQ(pairs_.state(qp), qp_state::reset);
    EXPECT_EQ(get(qpc::retry_count), 0U);
    EXPECT_EQ(get(qpc::user_index), 0x123U);
}

TEST_F(QueuePairsTest, CutCommands)
{
    const bytes in(0x80);
    EXPECT_EQ(pairs_.modify(rst2init, qp, in), status::bad_input_length);
    EXPECT_EQ(pairs_.state(qp), qp_state::reset);
    EXPECT_EQ(pairs_.modify(to_error, qp, {}), status::ok);
}

TEST_F(QueuePairsTest, FieldsByName)
{
    ASSERT_TRUE(queue_pairs::field("cur_retry_count"));
    EXPECT_FALSE(queue_pairs::field("colour"));
    EXPECT_TRUE(pairs_.set(qp, *queue_pairs::field("cur_retry_count"), 5));
    EXPECT_EQ(get({0x398, 3}), 5U);
    EXPECT_FALSE(pairs_.set(1, *queue_pairs::field("mtu"), 5));
    EXPECT_NE(pairs_.describe().find("qp 0x48 state reset"), std::string::npos);
}

} // namespace

} // namespace adp::hca
