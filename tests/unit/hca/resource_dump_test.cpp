// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the driver gets for its menu and for a queue pair, read by length as the kernel reads it.
#include "nic.h"
#include "resource_dump.h"

#include "guest.h"

namespace adp::hca {

namespace {

using testing::guest_memory;

class ResourceDumpTest : public ::testing::Test {
  protected:
    ResourceDumpTest()
    {
        guest_.announce(f().memory);
        f().caps.set("debug.resource_dump", 1);
        device_.start();
    }
    hca_function &f() { return device_.function(0); }

    // Places: struct mlx5_ifc_resource_dump_bits.
    bytes ask(std::uint32_t segment, std::uint32_t index, std::uint32_t size = 4096,
              std::uint64_t address = 0x4000)
    {
        bytes in(0x110);
        put16(in, 0, 0x805);
        put16(in, 10, resource_dump_register);
        put32(in, 0x10, 2U << 16U | segment); // second of its kind
        put32(in, 0x18, index);
        put32(in, 0x34, size);
        put64(in, 0x38, address);
        bytes out(0x110);
        EXPECT_TRUE(f().execute(in, out).answered);
        return out;
    }
    room dump() { return guest_.at(0x4000, 4096); }

    nic device_{[](std::string_view) {}};
    guest_memory guest_;
};

TEST_F(ResourceDumpTest, TheMenuNamesQueuePairs)
{
    const bytes out = ask(0xffff, 0);
    ASSERT_EQ(out[0], 0);
    EXPECT_EQ(get32(out, 0x10) >> 16U & 0xfU, 3U) << "the next number";
    EXPECT_EQ(get32(dump(), 0), 4U << 16U | 0xfffeU) << "information, 16 bytes";
    EXPECT_EQ(get32(dump(), 0x10) >> 16U, 5U) << "the command, 20 bytes";
    EXPECT_EQ(get16(dump(), 0x24 + 6), 1) << "one record";
    EXPECT_STREQ(reinterpret_cast<const char *>(dump().data() + 0x24 + 8 + 4), "PRM_QUERY_QP");
    EXPECT_EQ(get32(out, 0x34), 0x24U + 8 + 0x34 + 4) << "and the end";
}

TEST_F(ResourceDumpTest, AQueuePair)
{
    bytes create(0x110);
    f().pairs.create(0x48, create);
    ASSERT_TRUE(f().pairs.set(0x48, qpc::cur_retry_count, 5));
    ASSERT_EQ(ask(0xffff, 0)[0], 0);
    const std::uint32_t type = get16(dump(), 0x24 + 8 + 2);
    ASSERT_EQ(ask(type, 0x48)[0], 0);
    EXPECT_EQ(get16(dump(), 0x24 + 2), type);
    EXPECT_EQ(get32(dump(), 0x24 + 8), 0x48U);
    EXPECT_EQ(get_bits(dump().subspan(0x24 + 0x10 + qpc::at_create), qpc::cur_retry_count), 5U);
    ASSERT_EQ(ask(type, 0x99)[0], 0);
    EXPECT_EQ(get16(dump(), 0x24 + 2), 0xfffc) << "an error segment";
}

TEST_F(ResourceDumpTest, WhatCannotBeWritten)
{
    EXPECT_NE(ask(0xffff, 0, 8)[0], 0) << "too small";
    EXPECT_NE(ask(0xffff, 0, 4096, guest_memory::size - 8)[0], 0);
    EXPECT_NE(ask(0xffff, 0, 4096, ~std::uint64_t{0})[0], 0);
    EXPECT_NE(ask(0x1234, 0)[0], 0);
    f().caps.set("debug.resource_dump", 0);
    EXPECT_NE(ask(0xffff, 0)[0], 0);
}

} // namespace

} // namespace adp::hca
