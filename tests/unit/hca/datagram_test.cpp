// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Queue pairs for datagrams: address vectors as the drivers write them (struct mlx5_av), what a
// receiver finds in memory and in its completion, and what is dropped.
#include "data_path/datagram_pair.h"
#include "data_path/frame.h"

#include "pair_guest.h"

#include <algorithm>

namespace adp::hca {

namespace {

using testing::pair_guest;

constexpr std::uint32_t q_key = 0x11111111;
constexpr std::array<std::uint8_t, 16> first{0, 0, 0,    0,    0,   0, 0, 0,
                                             0, 0, 0xff, 0xff, 192, 0, 2, 1};
constexpr std::array<std::uint8_t, 16> second{0, 0, 0,    0,    0,   0, 0, 0,
                                              0, 0, 0xff, 0xff, 192, 0, 2, 2};

class DatagramPair : public ::testing::Test {
  protected:
    DatagramPair()
    {
        guest.pair.q_key = q_key;
        guest.on_broken = [this] { pair.flush(guest.pair); };
    }

    struct address {
        std::uint32_t number = 0x4a;
        std::uint32_t key = q_key;
        bool extended = true;
        bool grh_bit = true;
        bool global = true;
    };
    // A send of length bytes, as a driver writes it; the GRH bit is reserved on Ethernet.
    void post(std::uint32_t length, const address &to, std::uint8_t opcode = 0x0a)
    {
        std::array<std::uint8_t, 128> wqe{};
        const room all{wqe};
        put32(all, 0, std::uint32_t{produced} << 8U | opcode);
        put32(all, 4, 0x4800U | 5U); // control, 3 of address, 1 of data
        all[11] = 8;
        put32(all, 12, 0xabcd);
        put32(all, 16, to.key);
        put32(all, 24, to.number | (to.extended ? 1U << 31U : 0U));
        put16(all, 30, to.global ? 0xc123 : 7);
        put32(all, 44, (to.grh_bit ? 1U << 30U : 0U) | 3U << 20U);
        if (to.global)
            std::copy(second.begin(), second.end(), all.begin() + 48);
        put32(all, 64, length);
        put32(all, 68, pair_guest::key);
        put64(all, 72, pair_guest::buffer);
        for (std::size_t i = 0; i < wqe.size(); i++)
            guest.guest.at(pair_guest::send_queue + ((produced & 63U) * 64U + i) % 4096, 1)[0] =
                wqe[i];
        guest.ring_to(produced = static_cast<std::uint16_t>(produced + 2));
        pair.ring(0, guest.pair);
    }
    static packet arrived(std::size_t length)
    {
        packet p;
        p.op = packet_opcode::datagram;
        p.from.global = p.to.global = true;
        p.from.gid = first;
        p.to.gid = second;
        p.udp_sport = 0xc123;
        p.queue_pair = 0x48;
        p.source_pair = 0x4a;
        p.q_key = q_key;
        for (std::size_t i = 0; i < length; i++)
            p.payload.push_back(static_cast<std::uint8_t>(i + 1));
        return p;
    }

    pair_guest guest;
    bytes command = with_send_queue();
    datagram_pair pair{guest, command, false};
    datagram_pair general{guest, command, true};
    std::uint16_t produced = 0;

  private:
    static bytes with_send_queue()
    {
        bytes in = pair_guest::create(true);
        in.resize(0x120);
        put64(in, 0x118, pair_guest::send_queue);
        put_bits(room{in}.subspan(qpc::at_create), qpc::log_rq_size, 6); // a page of receives
        return in;
    }
};

TEST_F(DatagramPair, SendsToWhomTheAddressSays)
{
    guest.fill(pair_guest::buffer, 100, 5);
    for (const bool bit : {true, false}) {
        guest.sent.clear();
        guest.completions.clear();
        post(100, {.grh_bit = bit});
        ASSERT_EQ(guest.sent.size(), 1U);
        const packet &p = guest.sent[0];
        EXPECT_EQ(p.op, packet_opcode::datagram);
        EXPECT_TRUE(p.to.global);
        EXPECT_EQ(p.to.gid, second);
        EXPECT_EQ(p.udp_sport, 0xc123);
        EXPECT_EQ(p.queue_pair, 0x4aU);
        EXPECT_EQ(p.q_key, q_key);
        EXPECT_EQ(p.source_pair, 0x48U);
        EXPECT_EQ(p.psn, bit ? 0U : 1U);
        const room there = guest.guest.at(pair_guest::buffer, 100);
        EXPECT_TRUE(std::equal(there.begin(), there.end(), p.payload.begin(), p.payload.end()));
        ASSERT_EQ(guest.completions.size(), 1U);
        EXPECT_EQ(guest.completions[0].opcode, cqe_opcode::request);
    }
    post(10, {.grh_bit = false, .global = false});
    EXPECT_FALSE(guest.sent.back().to.global);
    EXPECT_EQ(guest.sent.back().to.lid, 7U);
}

// The highest bit of the Q_Key: that of the queue pair is meant. QP1 has the number 1 on the wire.
TEST_F(DatagramPair, OwnKeyAndImmediate)
{
    post(4, {.key = 0x80010000}, 0x0b);
    EXPECT_EQ(guest.sent[0].q_key, q_key);
    EXPECT_EQ(guest.sent[0].op, packet_opcode::datagram_immediate);
    EXPECT_EQ(guest.sent[0].immediate, 0xabcdU);
    guest.ring_to(0);
    produced = 0;
    guest.ring_to(2);
    general.ring(0, guest.pair);
    EXPECT_EQ(guest.sent[1].source_pair, 1U);
}

TEST_F(DatagramPair, WhatCannotBeSent)
{
    struct attempt {
        std::uint32_t length;
        address to;
        std::uint8_t opcode;
        fate end;
    };
    for (const attempt &one : {attempt{1025, {}, 0x0a, cqe_fate::local_length},
                               attempt{10, {.extended = false}, 0x0a, cqe_fate::local_operation},
                               attempt{10, {}, 0x08, cqe_fate::local_operation},
                               attempt{10, {}, 0x10, cqe_fate::local_operation}}) {
        guest.pair.state = qp_state::rts;
        guest.completions.clear();
        post(one.length, one.to, one.opcode);
        EXPECT_TRUE(guest.sent.empty());
        ASSERT_EQ(guest.completions.size(), 1U);
        EXPECT_EQ(guest.completions[0].opcode, cqe_opcode::requester_error);
        EXPECT_EQ(guest.completions[0].end.syndrome, one.end.syndrome);
        EXPECT_EQ(guest.pair.state, qp_state::error);
        post(10, {});
        EXPECT_EQ(guest.completions.size(), 1U) << "it sends no more";
        pair.flush(guest.pair);
        EXPECT_EQ(guest.completions[1].end.syndrome, cqe_fate::flushed.syndrome);
    }
    guest.pair.state = qp_state::rts;
    guest.ring_to(static_cast<std::uint16_t>(produced + 1000));
    pair.ring(0, guest.pair);
    EXPECT_EQ(guest.completions.back().end.syndrome, cqe_fate::local_operation.syndrome);
}

TEST_F(DatagramPair, TheHeaderLiesBeforeTheData)
{
    guest.post_receive({pair_guest::buffer, 200});
    pair.take(guest.pair, arrived(60));
    ASSERT_EQ(guest.completions.size(), 1U);
    const completion_entry &e = guest.completions[0];
    EXPECT_EQ(e.opcode, cqe_opcode::send);
    EXPECT_EQ(e.byte_count, 100U);
    // A header there is (bit 28), of IPv4 (2 in bits 25:24), from that queue pair.
    const auto entry = e.encode();
    EXPECT_EQ(get32(entry, 24), 0x1200004aU);
    EXPECT_EQ(get32(entry, 44), 100U);
    const room there = guest.guest.at(pair_guest::buffer, 100);
    EXPECT_EQ(there[20], 0x45);
    EXPECT_EQ(get16(there, 22), 20 + 8 + 12 + 8 + 60 + 4) << "the length of the datagram";
    EXPECT_EQ(there[29], 17) << "UDP";
    EXPECT_EQ(get32(there, 32), 0xc0000201U);
    EXPECT_EQ(get32(there, 36), 0xc0000202U);
    std::uint32_t sum = 0;
    for (std::size_t at = 20; at < 40; at += 2)
        sum += get16(there, at);
    EXPECT_EQ((sum & 0xffffU) + (sum >> 16U), 0xffffU) << "its checksum";
    EXPECT_EQ(there[40], 1);
    EXPECT_EQ(there[99], 60);
}

TEST_F(DatagramPair, OtherHeaders)
{
    const auto source = [&](const packet &p) {
        guest.post_receive({pair_guest::buffer, 200});
        pair.take(guest.pair, p);
        return get32(guest.completions.back().encode(), 24);
    };
    packet p = arrived(4);
    p.to.gid[10] = p.from.gid[10] = 0xfe;
    EXPECT_EQ(source(p), 0x1100004aU) << "IPv6";
    EXPECT_EQ(guest.guest.at(pair_guest::buffer, 40)[6], 17);
    p.udp_sport = 0;
    EXPECT_EQ(source(p), 0x1000004aU) << "GRH";
    EXPECT_EQ(guest.guest.at(pair_guest::buffer, 40)[6], 0x1b);
    p.to.global = p.from.global = false;
    p.from.lid = 9;
    EXPECT_EQ(source(p), 0x4aU) << "none, and its room is there all the same";
    EXPECT_EQ(guest.completions.back().byte_count, 44U);
    EXPECT_EQ(get16(guest.completions.back().encode(), 22), 9U);
    p.op = packet_opcode::datagram_immediate;
    p.immediate = 77;
    source(p);
    EXPECT_EQ(guest.completions.back().opcode, cqe_opcode::send_immediate);
    EXPECT_EQ(guest.completions.back().immediate, 77U);
    guest.post_receive({pair_guest::buffer, 200});
    general.take(guest.pair, arrived(4)); // its own receive queue starts at the first entry
    EXPECT_EQ(guest.completions.back().immediate, 0xffffU) << "QP1 is told the P_Key";
}

TEST_F(DatagramPair, DroppedInSilence)
{
    pair.take(guest.pair, arrived(10));
    EXPECT_EQ(guest.counter("out_of_buffer"), 1U);
    guest.post_receive({pair_guest::buffer, 200});
    packet p = arrived(10);
    p.q_key++;
    pair.take(guest.pair, p);
    EXPECT_TRUE(guest.completions.empty());
    EXPECT_TRUE(guest.sent.empty()) << "nothing is answered";
    pair.take(guest.pair, arrived(10));
    EXPECT_EQ(guest.completions.size(), 1U) << "the receive is still there";
}

TEST_F(DatagramPair, WhatDoesNotFit)
{
    guest.post_receive({pair_guest::buffer, 49});
    guest.post_receive({pair_guest::buffer, 200});
    pair.take(guest.pair, arrived(10));
    EXPECT_EQ(guest.completions[0].end.syndrome, cqe_fate::receive_length.syndrome);
    EXPECT_EQ(guest.counter("resp_local_length_error"), 1U);
    EXPECT_EQ(guest.pair.state, qp_state::error);
    ASSERT_EQ(guest.completions.size(), 2U);
    EXPECT_EQ(guest.completions[1].end.syndrome, cqe_fate::flushed.syndrome);
    guest.pair.state = qp_state::rts;
    guest.post_receive({0x900000, 200});
    pair.take(guest.pair, arrived(10));
    EXPECT_EQ(guest.completions[2].end.syndrome, cqe_fate::receive_protection.syndrome);
    // A record that says more than the queue holds: nothing can be completed, so the driver is told.
    guest.pair.state = qp_state::rts;
    put32(guest.guest.at(pair_guest::record, 8), 0, 5000);
    pair.take(guest.pair, arrived(10));
    EXPECT_EQ(guest.told, std::vector<std::uint8_t>{event::queue_failed});
    EXPECT_EQ(guest.pair.state, qp_state::error);
}

} // namespace

} // namespace adp::hca
