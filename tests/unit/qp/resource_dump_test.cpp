// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Segments are put together here from the kernel's description of them: one dword with length in
// dwords and type, then what belongs to the type.
#include "qp/resource_dump.h"

#include "image.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <random>
#include <string_view>

namespace {

using namespace adp::qp;
using image::bytes;

constexpr std::uint32_t qpn = 0x1234;
const dump_check known{qpn, 0x0abcde, qp_type::rc};

void dword(bytes &b, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        b.push_back(static_cast<std::uint8_t>(value >> shift));
}

bytes segment(std::uint32_t type, const bytes &body)
{
    bytes b;
    dword(b, static_cast<std::uint32_t>((body.size() + 4) / 4) << 16 | type);
    b.insert(b.end(), body.begin(), body.end());
    return b;
}

bytes &operator+=(bytes &to, const bytes &more)
{
    to.insert(to.end(), more.begin(), more.end());
    return to;
}

// Of a resource: VHCA, two indexes, and what QUERY_QP answers.
bytes queue_pair(std::uint32_t number, const bytes &context, std::size_t before = 0x18)
{
    bytes b;
    dword(b, 7);
    dword(b, number);
    dword(b, 0);
    b.resize(b.size() + before);
    b += context;
    b.resize((b.size() + 3) / 4 * 4);
    return b;
}

bytes whole(const bytes &pair_segment)
{
    bytes b = segment(0xfffe, bytes(12)); // info
    b += segment(0xfffa, bytes(28));      // the command
    b += pair_segment;
    b += segment(0xfffb, {}); // the end
    return b;
}

TEST(resource_dump, the_context_of_a_queue_pair)
{
    const auto c =
        context_of_dump(whole(segment(0x4000, queue_pair(qpn, image::context()))), known);
    ASSERT_TRUE(c) << c.err().reason;
    EXPECT_EQ(c->udp_sport, 55555);
    EXPECT_EQ(c->cur_retry_count, 5);
}

TEST(resource_dump, the_number_of_the_segment_is_not_fixed)
{
    EXPECT_TRUE(context_of_dump(whole(segment(0x1003, queue_pair(qpn, image::context()))), known));
}

TEST(resource_dump, also_without_the_header_of_the_answer)
{
    const auto c =
        context_of_dump(whole(segment(0x4000, queue_pair(qpn, image::context(), 0))), known);
    ASSERT_TRUE(c) << c.err().reason;
    EXPECT_EQ(c->udp_sport, 55555);
}

TEST(resource_dump, what_follows_the_end_does_not_count)
{
    bytes b = segment(0xfffb, {});
    b += segment(0x4000, queue_pair(qpn, image::context()));
    EXPECT_EQ(context_of_dump(b, known).err().code, EPROTO);
}

TEST(resource_dump, segments_that_nobody_knows_are_passed_over)
{
    bytes b = segment(0xfff9, bytes(8));
    b += segment(0x0001, {});
    b += whole(segment(0x4000, queue_pair(qpn, image::context())));
    EXPECT_TRUE(context_of_dump(b, known));
}

TEST(resource_dump, another_queue_pair)
{
    const auto c = context_of_dump(whole(segment(0x4000, queue_pair(9, image::context()))), known);
    ASSERT_FALSE(c);
    EXPECT_EQ(c.err().code, EPROTO);
    EXPECT_NE(c.err().reason.find("another queue pair"), std::string::npos);
}

TEST(resource_dump, a_context_that_contradicts_the_kernel_is_none)
{
    const bytes dump = whole(segment(0x4000, queue_pair(qpn, image::context())));
    for (const dump_check &other :
         {dump_check{qpn, 0x0abcdf, qp_type::rc}, dump_check{qpn, 0x0abcde, qp_type::ud}}) {
        const auto c = context_of_dump(dump, other);
        ASSERT_FALSE(c);
        EXPECT_EQ(c.err().code, EPROTO);
    }
    EXPECT_TRUE(context_of_dump(dump, {qpn, {}, qp_type::unknown}));
}

TEST(resource_dump, an_xrc_target_is_told_by_the_kernel)
{
    bytes context = image::context();
    context[1] = 3;
    const auto c = context_of_dump(whole(segment(0x4000, queue_pair(qpn, context))),
                                   {qpn, 0x0abcde, qp_type::xrc_tgt});
    ASSERT_TRUE(c);
    EXPECT_EQ(c->type, qp_type::xrc_tgt);
}

TEST(resource_dump, an_error_of_the_firmware)
{
    bytes body;
    dword(body, 0x0042);
    body.resize(12);
    for (const char ch : std::string_view{"no such\x01 object"})
        body.push_back(static_cast<std::uint8_t>(ch));
    body.resize(44);
    const auto c = context_of_dump(whole(segment(0xfffc, body)), known);
    ASSERT_FALSE(c);
    EXPECT_EQ(c.err().code, EREMOTEIO);
    EXPECT_NE(c.err().reason.find("0x42: no such? object"), std::string::npos) << c.err().reason;
}

TEST(resource_dump, a_short_error)
{
    const auto c = context_of_dump(segment(0xfffc, {}), known);
    ASSERT_FALSE(c);
    EXPECT_EQ(c.err().code, EREMOTEIO);
}

TEST(resource_dump, nothing)
{
    EXPECT_EQ(context_of_dump({}, known).err().code, EPROTO);
    EXPECT_EQ(context_of_dump(bytes(3), known).err().code, EPROTO);
    EXPECT_EQ(context_of_dump(bytes(4), known).err().code, EPROTO) << "a length of 0";
    EXPECT_EQ(context_of_dump(segment(0xfffb, {}), known).err().code, EPROTO);
}

TEST(resource_dump, every_shorter_one_is_refused)
{
    const bytes dump = whole(segment(0x4000, queue_pair(qpn, image::context())));
    const std::size_t end = dump.size() - 4; // the end segment is not needed
    for (std::size_t size = 0; size < end; size++) {
        const auto c = context_of_dump(std::span{dump}.first(size), known);
        ASSERT_FALSE(c) << size;
        ASSERT_EQ(c.err().code, EPROTO) << size;
    }
    EXPECT_TRUE(context_of_dump(std::span{dump}.first(end), known));
}

TEST(resource_dump, any_bytes_are_survived)
{
    const bytes dump = whole(segment(0x4000, queue_pair(qpn, image::context())));
    std::mt19937 random(1);
    for (int i = 0; i < 20000; i++) {
        bytes b = dump;
        const std::size_t changes = 1 + random() % 8;
        for (std::size_t j = 0; j < changes; j++)
            b[random() % b.size()] = static_cast<std::uint8_t>(random());
        b.resize(b.size() - random() % 8);
        const auto c = context_of_dump(b, known);
        if (!c) {
            ASSERT_FALSE(c.err().reason.empty());
        } else {
            ASSERT_EQ(c->remote_qpn, 0x0abcdeU);
        }
    }
}

} // namespace
