// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// RoCE v2 frames, by those that another implementation has put on a wire (rxe of the kernel): every
// header and the invariant CRC.
#include "data_path/capture.h"
#include "data_path/frame.h"
#include "words.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

namespace adp::hca {

namespace {

constexpr std::size_t at_udp = 14 + 20;
constexpr std::size_t at_flags = at_udp + 8 + 1;
constexpr std::uint8_t migrated = 0x40; // rxe leaves it 0

std::vector<bytes> recorded()
{
    std::ifstream file{ADP_FIXTURES "/hca/rxe-frames.txt"};
    std::vector<bytes> all;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#')
            if (const auto data = parse_hex(line))
                all.push_back(*data);
    return all;
}

TEST(Frame, WhatRxeSent)
{
    using enum packet_opcode;
    const std::vector<packet_opcode> opcodes{
        send_first,   send_middle,         send_last_immediate,  acknowledge,
        write_first,  write_middle,        write_last,           acknowledge,
        read_request, read_response_first, read_response_middle, read_response_last,
        fetch_add,    atomic_acknowledge,  write_only,           acknowledge};
    const auto frames = recorded();
    ASSERT_EQ(frames.size(), opcodes.size());
    for (std::size_t i = 0; i < frames.size(); i++) {
        const auto p = decode_frame(frames[i]);
        ASSERT_TRUE(p) << i;
        EXPECT_EQ(p->op, opcodes[i]) << i;
        EXPECT_TRUE(p->from.global);
        EXPECT_EQ(p->to.gid[12], 10);
        EXPECT_EQ(p->to.gid[15], facts_of(p->op)->request ? 2 : 1);
    }
    const packet last = *decode_frame(frames[2]);
    EXPECT_EQ(last.payload.size(), 2U) << "two bytes of padding are none";
    EXPECT_TRUE(last.ack_request);
    EXPECT_EQ(last.immediate, 0x00030201U) << "what transfer.c counts from, in network order";
    EXPECT_EQ(decode_frame(frames[4])->length, 514U);
    EXPECT_EQ(decode_frame(frames[12])->swap_or_add, 5U);
    EXPECT_EQ(decode_frame(frames[13])->swap_or_add, 0U);
    EXPECT_EQ(decode_frame(frames[15])->syndrome, aeth::remote_access);
}

TEST(Frame, TheSameBytesComeOut)
{
    for (const bytes &frame : recorded()) {
        bytes again = encode_frame(*decode_frame(frame));
        ASSERT_EQ(again.size(), frame.size());
        again[at_flags] &= static_cast<std::uint8_t>(~migrated);
        EXPECT_EQ(bytes(again.begin() + at_udp, again.end() - 4),
                  bytes(frame.begin() + at_udp, frame.end() - 4));
        EXPECT_EQ(get64(again, at_udp - 8), get64(frame, at_udp - 8)) << "addresses";
        EXPECT_EQ(get32(again, 14), get32(frame, 14)) << "length";
    }
}

TEST(Frame, Ipv6)
{
    packet p;
    p.op = packet_opcode::write_only_immediate;
    p.from.global = p.to.global = true;
    p.from.gid = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    p.to.gid = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    p.udp_sport = 0xc123;
    p.queue_pair = 0x123456;
    p.psn = 0xfffffe;
    p.address = 0x1122334455667788;
    p.immediate = 7;
    p.payload = {1, 2, 3, 4, 5};
    p.length = 5;
    const bytes frame = encode_frame(p);
    EXPECT_EQ(get16(frame, 12), 0x86dd);
    const auto again = decode_frame(frame);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->from, p.from);
    EXPECT_EQ(again->to, p.to);
    EXPECT_EQ(again->payload, p.payload);
    EXPECT_EQ(again->address, p.address);
    EXPECT_EQ(again->psn, p.psn);
    EXPECT_EQ(again->udp_sport, p.udp_sport);
}

// The DETH lies behind the BTH: Q_Key, a reserved byte, the sender's number (IBTA volume 1, 9.3.2).
TEST(Frame, Datagram)
{
    packet p;
    p.op = packet_opcode::datagram_immediate;
    p.from.global = p.to.global = true;
    p.from.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
    p.to.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 2};
    p.udp_sport = 0xc123;
    p.queue_pair = 1;
    p.q_key = 0x80010000;
    p.source_pair = 0x123456;
    p.immediate = 0xa1b2c3d4;
    p.payload = {9, 8, 7};
    const bytes frame = encode_frame(p);
    const std::size_t bth = at_udp + 8;
    EXPECT_EQ(frame[bth], 0x65);
    EXPECT_EQ(get32(frame, bth + 12), 0x80010000U);
    EXPECT_EQ(get32(frame, bth + 16), 0x123456U);
    EXPECT_EQ(get32(frame, bth + 20), 0xa1b2c3d4U);
    EXPECT_EQ(frame[bth + 24], 9);
    const auto again = decode_frame(frame);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->q_key, p.q_key);
    EXPECT_EQ(again->source_pair, p.source_pair);
    EXPECT_EQ(again->immediate, p.immediate);
    EXPECT_EQ(again->payload, p.payload);
    for (std::size_t length = 0; length < frame.size(); length++)
        EXPECT_FALSE(decode_frame(view{frame}.first(length))) << length;
}

// No message has more than 4096 bytes in a packet.
TEST(Frame, TooMuchOfIt)
{
    packet p = *decode_frame(recorded()[14]);
    p.payload.resize(4096);
    EXPECT_TRUE(decode_frame(encode_frame(p)));
    p.payload.resize(4097);
    EXPECT_FALSE(decode_frame(encode_frame(p)));
}

TEST(Frame, DamagedAndCutOnes)
{
    for (const bytes &frame : recorded()) {
        for (std::size_t length = 0; length < frame.size(); length++)
            EXPECT_FALSE(decode_frame(view{frame}.first(length))) << length;
        // What switches change does not matter; everything else does.
        for (const std::size_t at : {15U, 22U, 24U, 25U, 46U}) {
            bytes other = frame;
            other[at] ^= 0x5aU;
            EXPECT_TRUE(decode_frame(other)) << at;
        }
        for (const std::size_t at : {26U, 33U, 34U, 42U, 44U, 47U, 53U, 57U}) {
            bytes other = frame;
            other[at] ^= 1U;
            EXPECT_FALSE(decode_frame(other)) << at;
        }
    }
}

TEST(Capture, AFileThatTcpdumpReads)
{
    const std::string path = ::testing::TempDir() + "capture_test.pcap";
    capture c;
    packet p = *decode_frame(recorded()[3]);
    c.add(1, p);
    ASSERT_TRUE(c.begin(path));
    c.add(5000000007, p);
    p.to.global = false;
    c.add(6000000000, p);
    c.end();
    std::ifstream file{path, std::ios::binary};
    const bytes data{std::istreambuf_iterator<char>{file}, {}};
    ASSERT_EQ(data.size(), 24U + 16U + 62U) << "one frame";
    EXPECT_EQ(get32(data, 0), 0xa1b23c4dU);
    EXPECT_EQ(get32(data, 24), 5U);
    EXPECT_EQ(get32(data, 28), 7U);
    EXPECT_EQ(get32(data, 32), 62U);
    EXPECT_TRUE(decode_frame(view{data}.subspan(40)));
    std::remove(path.c_str());
    EXPECT_FALSE(c.begin("/nowhere/at/all"));
}

} // namespace

} // namespace adp::hca
