// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mailbox.h"

#include "register/fw_status.h"
#include "support.h"

#include <cerrno>
#include <sstream>

using namespace adp;
using namespace adp::mlx5;
using mlx5_test::fixture;

namespace {

using bytes = std::vector<std::uint8_t>;

const command accl{opcode::access_reg, 0x402c};

} // namespace

// The bytes by hand from the layout of access_register_in (mlx5_ifc.h): opcode in 31:16 of dword 0,
// op_mod in 15:0 of dword 1, register_id in 15:0 of dword 2.
TEST(mailbox, register_query_carries_the_register)
{
    const bytes data{0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x05};
    EXPECT_EQ(register_mailbox(accl, reg_method::query, data),
              (bytes{0x08, 0x05, 0,    0,    0,    0,    0,    1,   0, 0, 0x40, 0x2c, 0, 0, 0, 0, //
                     0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x05}));
}

TEST(mailbox, register_write_by_devx)
{
    const bytes data{0x12, 0x34, 0x56, 0x78};
    EXPECT_EQ(register_mailbox({opcode::access_register_user, 0xc01d}, reg_method::write, data),
              (bytes{0x0b, 0x0c, 0,    0,   0, 0, 0, 0, 0, 0, 0xc0, 0x1d, 0, 0, 0, 0, //
                     0x12, 0x34, 0x56, 0x78}));
}

// op_mod 1, 9 and 0x41: rdma-core's tests/mlx5_base.py and the kernel (type << 1, 1 = current).
TEST(mailbox, capability_query)
{
    EXPECT_EQ(capability_mailbox(0), (bytes{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(capability_mailbox(4), (bytes{1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(capability_mailbox(0x20), (bytes{1, 0, 0, 0, 0, 0, 0, 0x41, 0, 0, 0, 0, 0, 0, 0, 0}));
}

// The kernel's mlx5_ifc.h: alloc_q_counter_in, query_q_counter_in (clear is bit 31 of dword 0x18,
// counter_set_id the last byte), rts2rts_qp_in with MLX5_QP_OPTPAR_COUNTER_SET_ID = 1 << 25.
TEST(mailbox, counter_sets)
{
    EXPECT_EQ(alloc_q_counter_mailbox(),
              (bytes{0x07, 0x71, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    bytes query(0x20);
    query[0] = 0x07;
    query[1] = 0x73;
    query[0x1f] = 0x42;
    EXPECT_EQ(query_q_counter_mailbox(0x42), query);
    bytes move(0x110);
    move[0] = 0x05;
    move[1] = 0x05;
    move[9] = 0x12;
    move[10] = 0x34;
    move[11] = 0x56;
    move[0x10] = 0x02;
    move[0x24] = 0x42;
    EXPECT_EQ(counter_set_mailbox(0x123456, 0x42), move);
}

TEST(mailbox, status_table_is_the_kernels)
{
    struct {
        std::uint8_t value;
        const char *name;
        int err;
    } const kernel[] = {
        {0x00, "OK", 0},
        {0x01, "INT_ERR", EIO},
        {0x02, "BAD_OP_ERR", EINVAL},
        {0x03, "BAD_PARAM_ERR", EINVAL},
        {0x04, "BAD_SYS_STATE_ERR", EIO},
        {0x05, "BAD_RES_ERR", EINVAL},
        {0x06, "RES_BUSY", EBUSY},
        {0x07, "NOT_READY", EAGAIN},
        {0x08, "LIM_ERR", ENOMEM},
        {0x09, "BAD_RES_STATE_ERR", EINVAL},
        {0x0a, "IX_ERR", EINVAL},
        {0x0f, "NO_RES_ERR", EAGAIN},
        {0x10, "BAD_QP_STATE_ERR", EINVAL},
        {0x30, "BAD_PKT_ERR", EINVAL},
        {0x40, "BAD_SIZE_OUTS_CQES_ERR", EINVAL},
        {0x50, "BAD_INP_LEN_ERR", EIO},
        {0x51, "BAD_OUTP_LEN_ERR", EIO},
    };
    std::size_t named = 0;
    for (unsigned v = 0; v < 256; v++)
        named += reg::find_status(static_cast<std::uint8_t>(v)) == nullptr ? 0 : 1;
    EXPECT_EQ(named, std::size(kernel));
    for (const auto &k : kernel) {
        const reg::fw_status_info *s = reg::find_status(k.value);
        ASSERT_NE(s, nullptr) << k.name;
        EXPECT_STREQ(s->name, k.name);
        EXPECT_EQ(s->err, k.err) << k.name;
        EXPECT_STRNE(s->text, "");
    }
    EXPECT_STREQ(reg::status_text(0xee), "unknown status");
}

// Public reports: status and syndrome shown in the wrong byte order, or not at all.
TEST(mailbox, a_refusal_shows_status_and_syndrome)
{
    std::istringstream text{fixture("mlx5/reply-bad-operation.txt")};
    std::string line;
    std::getline(text, line); // comment
    bytes reply;
    for (unsigned byte = 0; reply.size() < 8 && text >> std::hex >> byte;)
        reply.push_back(static_cast<std::uint8_t>(byte));
    ASSERT_EQ(reply.size(), 8U);

    const auto verdict = check_reply(accl, reply, 80);
    ASSERT_FALSE(verdict);
    EXPECT_EQ(verdict.err().code, EREMOTEIO);
    EXPECT_EQ(verdict.err().reason, "firmware refused ACCESS_REG of register 0x402c: status 0x02 "
                                    "(bad operation), syndrome 0x009a6171");
    EXPECT_EQ(verdict.err().fw.opcode, 0x805);
    EXPECT_EQ(verdict.err().fw.status, 2);
    EXPECT_EQ(verdict.err().fw.syndrome, 0x009a6171U);
    EXPECT_EQ(verdict.err().fw.register_id, 0x402c);
}

TEST(mailbox, a_refusal_of_capabilities_names_no_register)
{
    const error e = refusal({opcode::query_hca_cap, 0}, 0x77, 1);
    EXPECT_EQ(e.reason,
              "firmware refused QUERY_HCA_CAP: status 0x77 (unknown status), syndrome 0x00000001");
    EXPECT_EQ(e.fw.register_id, 0);
}

TEST(mailbox, a_refusal_without_its_status_says_so)
{
    const error e = refusal(accl, status_not_told, 0);
    EXPECT_EQ(e.code, EREMOTEIO);
    EXPECT_EQ(e.reason,
              "firmware refused ACCESS_REG of register 0x402c; its status was not passed on");
    EXPECT_EQ(e.fw.opcode, 0x805);
    EXPECT_EQ(e.fw.status, 0xff);
}

TEST(mailbox, replies_of_every_length)
{
    bytes reply(80);
    EXPECT_TRUE(check_reply(accl, reply, 80));
    for (std::size_t n = 0; n < 80; n++) {
        const auto verdict = check_reply(accl, std::span{reply}.first(n), 80);
        ASSERT_FALSE(verdict) << n;
        EXPECT_EQ(verdict.err().code, EPROTO) << n;
        EXPECT_EQ(verdict.err().fw.opcode, 0) << n;
    }
    // Too short to hold a status: it is not believed.
    reply[0] = 3;
    EXPECT_EQ(check_reply(accl, std::span{reply}.first(7), 80).err().code, EPROTO);
    EXPECT_EQ(check_reply(accl, std::span{reply}.first(8), 80).err().code, EREMOTEIO);
}
