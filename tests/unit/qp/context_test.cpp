// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "qp/context.h"

#include "image.h"

#include <gtest/gtest.h>
#include <utility>

namespace {

using namespace adp::qp;

TEST(context, is_read_field_by_field)
{
    const auto c = decode(image::context());
    ASSERT_TRUE(c);
    EXPECT_EQ(c->state, qp_state::rts);
    EXPECT_EQ(c->type, qp_type::rc);
    EXPECT_EQ(c->lag_tx_port_affinity, 2);
    EXPECT_EQ(c->counter_set_id, 0x21);
    EXPECT_EQ(c->remote_qpn, 0x0abcdeU);
    EXPECT_EQ(c->ack_timeout, 14);
    EXPECT_EQ(c->src_addr_index, 3);
    EXPECT_EQ(c->flow_label, 0xa1234U);
    EXPECT_EQ(c->udp_sport, 55555);
    EXPECT_EQ(c->retry_count, 7);
    EXPECT_EQ(c->rnr_retry, 6);
    EXPECT_EQ(c->cur_rnr_retry, 2);
    EXPECT_EQ(c->cur_retry_count, 5);
    EXPECT_FALSE(c->extended_retry_count);
    EXPECT_EQ(c->next_send_psn, 2U);
    EXPECT_EQ(c->last_acked_psn, 0xfffffeU);
    EXPECT_EQ(c->min_rnr_nak, 12);
    EXPECT_EQ(c->remote_gid[15], 13);
}

TEST(context, extended_retry_count)
{
    image::bytes b = image::context();
    b[0x72] |= 1 << 4;
    b[0x85] = 200;
    b[0x87] = 150;
    const auto c = decode(b);
    ASSERT_TRUE(c);
    ASSERT_TRUE(c->extended_retry_count);
    EXPECT_EQ(*c->extended_retry_count, 200);
    EXPECT_EQ(*c->extended_cur_retry_count, 150);
}

TEST(context, too_short_is_none)
{
    image::bytes b = image::context();
    b.pop_back();
    EXPECT_FALSE(decode(b));
    EXPECT_FALSE(decode({}));
}

TEST(context, states_and_types)
{
    constexpr std::pair<int, qp_state> states[] = {
        {0, qp_state::reset},   {1, qp_state::init},    {2, qp_state::rtr}, {3, qp_state::rts},
        {4, qp_state::sqe},     {5, qp_state::sqd},     {6, qp_state::err}, {7, qp_state::sqd},
        {8, qp_state::unknown}, {15, qp_state::unknown}};
    image::bytes b = image::context();
    for (const auto &[number, state] : states) {
        b[0] = static_cast<std::uint8_t>(number << 4);
        EXPECT_EQ(decode(b)->state, state) << number;
    }
    constexpr std::pair<int, qp_type> types[] = {{0, qp_type::rc},     {1, qp_type::uc},
                                                 {2, qp_type::ud},     {3, qp_type::xrc_ini},
                                                 {5, qp_type::driver}, {200, qp_type::unknown}};
    for (const auto &[number, type] : types) {
        b[1] = static_cast<std::uint8_t>(number);
        EXPECT_EQ(decode(b)->type, type) << number;
    }
    EXPECT_STREQ(to_string(qp_state::sqd), "SQD");
    EXPECT_STREQ(to_string(qp_type::xrc_tgt), "XRC_TGT");
}

TEST(progress, what_is_under_way)
{
    const auto c = decode(image::context());
    const auto p = progress_of(*c);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->outstanding, 3U) << "0xffffff, 0 and 1";
    EXPECT_TRUE(p->timer_armed);
    EXPECT_EQ(p->timer_psn, 0xffffffU);
}

TEST(progress, nothing_under_way)
{
    context c = *decode(image::context());
    c.next_send_psn = 0xffffff;
    const auto p = progress_of(c);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->outstanding, 0U);
    EXPECT_FALSE(p->timer_armed);
}

TEST(progress, a_timer_that_is_off)
{
    context c = *decode(image::context());
    c.ack_timeout = 0;
    const auto p = progress_of(c);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->outstanding, 3U);
    EXPECT_FALSE(p->timer_armed);
}

TEST(progress, none_where_nothing_is_acknowledged)
{
    context c = *decode(image::context());
    for (const qp_state s : {qp_state::reset, qp_state::init, qp_state::rtr, qp_state::err}) {
        c.state = s;
        EXPECT_FALSE(progress_of(c)) << to_string(s);
    }
    c.state = qp_state::rts;
    for (const qp_type t : {qp_type::uc, qp_type::ud, qp_type::driver, qp_type::xrc_tgt}) {
        c.type = t;
        EXPECT_FALSE(progress_of(c)) << to_string(t);
    }
}

TEST(timeout, nominal)
{
    EXPECT_EQ(timeout_ns(0), 0U);
    EXPECT_EQ(timeout_ns(1), 8192U);
    EXPECT_EQ(timeout_ns(14), 67108864U);
    EXPECT_EQ(timeout_ns(31), 8796093022208U);
    EXPECT_EQ(timeout_ns(32), 0U);
}

} // namespace
