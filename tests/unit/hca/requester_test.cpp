// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The sending half of a queue pair. What is on the wire: IBTA volume 1, chapter 9. When it repeats
// and gives up is the retry engine's, which has tests of its own; here the times of the plain rule
// (R + 1) * T are enough to see that it is asked.
#include "pair_guest.h"

#include <algorithm>

namespace adp::hca {

namespace {

using testing::pair_guest;
using enum packet_opcode;

constexpr std::uint8_t wqe_nop = 0x00, wqe_write = 0x08, wqe_write_immediate = 0x09,
                       wqe_send = 0x0a, wqe_read = 0x10, wqe_compare_swap = 0x11, wqe_umr = 0x25;
constexpr std::uint64_t timeout_14_ns = 4096ULL << 14U;
constexpr std::size_t data = pair_guest::buffer;

class RequesterTest : public ::testing::Test {
  protected:
    RequesterTest()
    {
        d_.on_broken = [this] { r_.flush(d_.pair); };
        r_.start(d_.pair, 1);
    }
    void ring(std::uint64_t now = 0) { r_.ring(now, d_.pair); }
    void answer(std::uint64_t now, std::uint32_t psn, std::uint8_t syndrome = aeth::positive)
    {
        packet p;
        p.op = acknowledge;
        p.psn = psn & psn_bits;
        p.syndrome = syndrome;
        r_.take(now, d_.pair, p);
    }
    void respond(std::uint64_t now, std::uint32_t psn, packet_opcode op, bytes payload,
                 std::uint64_t old = 0)
    {
        packet p;
        p.op = op;
        p.psn = psn & psn_bits;
        p.syndrome = aeth::positive;
        p.payload = std::move(payload);
        p.swap_or_add = old;
        r_.take(now, d_.pair, p);
    }
    std::vector<packet_opcode> opcodes() const
    {
        std::vector<packet_opcode> all;
        for (const packet &p : d_.sent)
            all.push_back(p.op);
        return all;
    }
    std::vector<std::uint32_t> psns() const
    {
        std::vector<std::uint32_t> all;
        for (const packet &p : d_.sent)
            all.push_back(p.psn);
        return all;
    }

    pair_guest d_;
    requester r_{d_, send_ring::of_pair(pair_guest::create(false))};
};

TEST_F(RequesterTest, AMessageIsCutIntoPackets)
{
    d_.fill(data, 2500, 1);
    d_.post(wqe_send, {{data, 100}, {data + 100, 2400}});
    ring();
    EXPECT_EQ(opcodes(), (std::vector{send_first, send_middle, send_last}));
    EXPECT_EQ(psns(), (std::vector<std::uint32_t>{0xfffffe, 0xffffff, 0}));
    EXPECT_FALSE(d_.sent[0].ack_request);
    EXPECT_TRUE(d_.sent[2].ack_request);
    bytes whole;
    for (const packet &p : d_.sent)
        whole.insert(whole.end(), p.payload.begin(), p.payload.end());
    const room memory = d_.guest.at(data, 2500);
    EXPECT_EQ(whole, bytes(memory.begin(), memory.end()));
    EXPECT_EQ(d_.deadline, timeout_14_ns);
    EXPECT_TRUE(d_.completions.empty());
    answer(5, 0);
    ASSERT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.completions[0].opcode, cqe_opcode::request);
    EXPECT_EQ(d_.completions[0].user_index, 0x77U);
    EXPECT_EQ(d_.completions[0].work_opcode, wqe_send);
    EXPECT_FALSE(d_.deadline) << "nothing is outstanding";
}

TEST_F(RequesterTest, AnEmptyMessageIsAPacketToo)
{
    d_.post(wqe_write, {}, data);
    ring();
    EXPECT_EQ(opcodes(), (std::vector{write_only}));
    EXPECT_TRUE(d_.sent[0].payload.empty());
    EXPECT_EQ(d_.sent[0].length, 0U);
}

TEST_F(RequesterTest, InlineData)
{
    d_.post(wqe_send, {});
    const room block = d_.guest.at(pair_guest::send_queue, 64);
    put32(block, 16, 1U << 31U | 5U);
    std::copy_n("hello", 5, block.begin() + 20);
    put32(block, 4, 2);
    ring();
    ASSERT_EQ(d_.sent.size(), 1U);
    EXPECT_EQ(d_.sent[0].payload, (bytes{'h', 'e', 'l', 'l', 'o'}));
}

TEST_F(RequesterTest, OneAcknowledgementForMany)
{
    for (int i = 0; i < 3; i++)
        d_.post(wqe_send, {{data, 10}});
    d_.post(wqe_send, {{data, 10}}, 0, 0, 0, 0, 0); // no completion wanted
    ring();
    answer(1, 0xfffffe + 3);
    EXPECT_EQ(d_.completions.size(), 3U);
    EXPECT_FALSE(d_.deadline);
}

TEST_F(RequesterTest, WhatWasNeverSentCannotBeAcknowledged)
{
    d_.post(wqe_send, {{data, 10}});
    ring();
    answer(1, 0xffffff);
    answer(1, 0xfffffd);
    EXPECT_TRUE(d_.completions.empty());
    EXPECT_EQ(d_.deadline, timeout_14_ns);
}

TEST_F(RequesterTest, ItRepeatsFromTheOldestAndGivesUpInTime)
{
    d_.post(wqe_write, {{data, 3000}}, data);
    d_.post(wqe_send, {{data, 10}});
    ring();
    answer(0, 0xfffffe); // the first of three
    d_.sent.clear();
    std::uint64_t now = 0;
    while (d_.deadline) {
        now = *d_.deadline;
        r_.expired(now, d_.pair);
    }
    EXPECT_EQ(now, 8 * timeout_14_ns) << "(R + 1) * T";
    EXPECT_EQ(d_.waits, std::vector<std::uint64_t>(8, timeout_14_ns));
    EXPECT_EQ(d_.sent.size(), 7U * 3U);
    EXPECT_EQ(d_.sent[0].op, write_middle);
    EXPECT_EQ(d_.sent[0].psn, 0xffffffU);
    ASSERT_EQ(d_.completions.size(), 2U);
    EXPECT_EQ(d_.completions[0].end.syndrome, 0x15);
    EXPECT_EQ(d_.completions[0].end.vendor, 0x81);
    EXPECT_EQ(d_.completions[1].end.syndrome, cqe_fate::flushed.syndrome);
    EXPECT_EQ(d_.counter("local_ack_timeout_err"), 8U);
    EXPECT_EQ(d_.events.back().what, retry_event::failed);
    EXPECT_EQ(d_.events.back().at_ns - d_.events.back().since_ns, 8 * timeout_14_ns);
    EXPECT_EQ(d_.events.back().expiries, 8U);
}

TEST_F(RequesterTest, ASequenceNakRepeatsAtOnce)
{
    for (int i = 0; i < 3; i++)
        d_.post(wqe_send, {{data, 10}});
    ring();
    d_.sent.clear();
    answer(9, 0xffffff, aeth::sequence_error);
    EXPECT_EQ(psns(), (std::vector<std::uint32_t>{0xffffff, 0}));
    EXPECT_EQ(d_.completions.size(), 1U) << "what lies before was received";
    EXPECT_EQ(d_.counter("packet_seq_err"), 1U);
    EXPECT_EQ(r_.live()->retries_left, 6U);
    EXPECT_EQ(r_.live()->last_acknowledged, 0xfffffeU);
    answer(10, 0);
    EXPECT_EQ(r_.live()->retries_left, 7U) << "progress reloads";
}

TEST_F(RequesterTest, ReceiverNotReady)
{
    d_.post(wqe_send, {{data, 10}});
    ring();
    d_.sent.clear();
    const auto code = static_cast<std::uint8_t>(aeth::receiver_not_ready | 12U); // 0.64 ms
    for (unsigned i = 0; i < 6; i++) {
        answer(0, 0xfffffe, code);
        EXPECT_TRUE(d_.sent.empty());
        EXPECT_EQ(d_.deadline, 640000U);
        d_.post(wqe_send, {{data, 10}});
        ring();
        EXPECT_TRUE(d_.sent.empty()) << "nothing leaves meanwhile";
        r_.expired(640000, d_.pair);
        EXPECT_EQ(d_.sent.size(), i + 2U);
        d_.sent.clear();
    }
    EXPECT_TRUE(d_.waits.empty()) << "no time-outs";
    EXPECT_EQ(d_.counter("rnr_nak_retry_err"), 6U);
    answer(0, 0xfffffe, code);
    ASSERT_FALSE(d_.completions.empty());
    EXPECT_EQ(d_.completions[0].end.syndrome, 0x16);
}

TEST_F(RequesterTest, ReadsAreAnsweredByTheirData)
{
    d_.post(wqe_send, {{data, 10}});
    d_.post(wqe_read, {{data + 0x1000, 2500}}, data + 0x9000);
    d_.post(wqe_send, {{data, 10}});
    ring();
    EXPECT_EQ(psns(), (std::vector<std::uint32_t>{0xfffffe, 0xffffff, 2}));
    EXPECT_EQ(d_.sent[1].length, 2500U);
    respond(1, 0xffffff, read_response_first, bytes(1024, 1));
    EXPECT_EQ(d_.completions.size(), 1U) << "it confirms what lies before";
    respond(2, 0, read_response_middle, bytes(1024, 2));
    respond(3, 1, read_response_last, bytes(452, 3));
    ASSERT_EQ(d_.completions.size(), 2U);
    EXPECT_EQ(d_.completions[1].byte_count, 2500U);
    EXPECT_EQ(d_.guest.at(data + 0x1000, 1)[0], 1);
    EXPECT_EQ(d_.guest.at(data + 0x1000 + 1024, 1)[0], 2);
    EXPECT_EQ(d_.guest.at(data + 0x1000 + 2499, 1)[0], 3);
    EXPECT_EQ(d_.guest.at(data + 0x1000 + 2500, 1)[0], 0);
    answer(4, 2);
    EXPECT_EQ(d_.completions.size(), 3U);
}

TEST_F(RequesterTest, AMissingResponseIsAskedForOnce)
{
    d_.post(wqe_read, {{data + 0x1000, 4096}}, data + 0x9000);
    ring();
    respond(1, 0xfffffe, read_response_first, bytes(1024, 1));
    d_.sent.clear();
    respond(2, 0, read_response_middle, bytes(1024, 3));
    respond(3, 1, read_response_last, bytes(1024, 4));
    ASSERT_EQ(d_.sent.size(), 1U);
    EXPECT_EQ(d_.sent[0].op, read_request);
    EXPECT_EQ(d_.sent[0].psn, 0xffffffU);
    EXPECT_EQ(d_.sent[0].address, data + 0x9000 + 1024U) << "only the rest";
    EXPECT_EQ(d_.sent[0].length, 3072U);
    EXPECT_EQ(d_.counter("implied_nak_seq_err"), 1U);
    EXPECT_EQ(d_.guest.at(data + 0x1000 + 2048, 1)[0], 0) << "out of turn: not taken";
}

TEST_F(RequesterTest, ResponsesThatDoNotFit)
{
    d_.post(wqe_read, {{data, 2048}}, data + 0x9000);
    ring();
    respond(1, 0xfffffe, read_response_first, bytes(1000));
    ASSERT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.completions[0].end.syndrome, cqe_fate::bad_response.syndrome);
}

TEST_F(RequesterTest, AtomicsBringTheOldValue)
{
    d_.post(wqe_compare_swap, {{data, 8}}, data + 64, pair_guest::key, 7, 5);
    ring();
    ASSERT_EQ(d_.sent.size(), 1U);
    EXPECT_EQ(d_.sent[0].op, compare_swap);
    EXPECT_EQ(d_.sent[0].swap_or_add, 7U);
    EXPECT_EQ(d_.sent[0].compare, 5U);
    respond(1, 0xfffffe, atomic_acknowledge, {}, 0x0102030405060708);
    EXPECT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.guest.at(data, 8)[0], 8) << "little-endian, as the guest";
    EXPECT_EQ(d_.guest.at(data, 8)[7], 1);
}

TEST_F(RequesterTest, SoManyReadsAtATime)
{
    for (int i = 0; i < 6; i++)
        d_.post(wqe_read, {{data, 8}}, data + 0x9000);
    ring();
    EXPECT_EQ(d_.sent.size(), 4U);
    respond(1, 0xfffffe, read_response_only, bytes(8));
    EXPECT_EQ(d_.sent.size(), 5U);
}

TEST_F(RequesterTest, AFenceWaitsForReads)
{
    d_.post(wqe_read, {{data, 8}}, data + 0x9000);
    d_.post(wqe_send, {{data, 8}}, 0, 0, 0, 0, 8 | 4 << 5);
    ring();
    EXPECT_EQ(d_.sent.size(), 1U);
    respond(1, 0xfffffe, read_response_only, bytes(8));
    EXPECT_EQ(d_.sent.size(), 2U);
}

TEST_F(RequesterTest, AWindowOfPackets)
{
    d_.post(wqe_write_immediate, {{data, 0x1f000}}, data); // 124 packets
    d_.post(wqe_write, {{data, 0x1f000}}, data);
    ring();
    EXPECT_EQ(d_.sent.size(), requester::window);
    answer(1, 0xfffffe + 15);
    EXPECT_EQ(d_.sent.size(), requester::window + 16);
}

TEST_F(RequesterTest, RequestsThatCannotBeSentEndInOrder)
{
    d_.post(wqe_send, {{data, 10}});
    d_.post(wqe_send, {{data, 10, 0xbad00}});
    d_.post(wqe_send, {{data, 10}});
    ring();
    EXPECT_EQ(d_.sent.size(), 1U);
    EXPECT_TRUE(d_.completions.empty()) << "the first is under way";
    answer(1, 0xfffffe);
    ASSERT_EQ(d_.completions.size(), 3U);
    EXPECT_EQ(d_.completions[0].end.syndrome, 0);
    EXPECT_EQ(d_.completions[1].end.syndrome, cqe_fate::local_protection.syndrome);
    EXPECT_EQ(d_.completions[2].end.syndrome, cqe_fate::flushed.syndrome);
}

TEST_F(RequesterTest, OpcodesThatAreNotCarriedOut)
{
    d_.post(wqe_nop, {});
    d_.post(wqe_umr, {});
    ring();
    ASSERT_EQ(d_.completions.size(), 2U);
    EXPECT_EQ(d_.completions[0].end.syndrome, 0) << "a NOP is done";
    EXPECT_EQ(d_.completions[1].end.syndrome, cqe_fate::local_operation.syndrome);
}

TEST_F(RequesterTest, ADoorbellRecordThatLies)
{
    d_.ring_to(65);
    ring();
    ASSERT_EQ(d_.completions.size(), 1U) << "not as many as it says";
    EXPECT_EQ(d_.completions[0].end.syndrome, cqe_fate::local_operation.syndrome);
}

TEST_F(RequesterTest, ARequestLongerThanWhatIsPosted)
{
    d_.post(wqe_send, {{data, 10}});
    put32(d_.guest.at(pair_guest::send_queue, 64), 4, 63);
    ring();
    ASSERT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.completions[0].end.syndrome, cqe_fate::local_operation.syndrome);
}

TEST_F(RequesterTest, RefusedByTheOtherEnd)
{
    d_.post(wqe_write, {{data, 10}}, data);
    ring();
    answer(1, 0xfffffe, aeth::remote_access);
    ASSERT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.completions[0].end.syndrome, 0x13);
    EXPECT_EQ(d_.completions[0].end.vendor, 0x88);
    EXPECT_FALSE(d_.deadline);
}

TEST_F(RequesterTest, ADrainedQueueFinishesWhatItHasSent)
{
    d_.post(wqe_send, {{data, 10}});
    d_.post(wqe_send, {{data, 10}});
    ring();
    d_.pair.state = qp_state::sq_drained;
    d_.post(wqe_send, {{data, 10}});
    ring();
    EXPECT_EQ(d_.sent.size(), 2U);
    answer(1, 0xfffffe);
    EXPECT_EQ(d_.completions.size(), 1U);
    r_.expired(*d_.deadline, d_.pair);
    EXPECT_TRUE(d_.deadline) << "the timer goes on";
    d_.pair.state = qp_state::rts;
    ring();
    EXPECT_EQ(d_.sent.size(), 4U);
}

TEST_F(RequesterTest, AnotherModelAppliesToTheTimerThatFollows)
{
    d_.post(wqe_send, {{data, 10}});
    ring();
    d_.pair.retry.timeout = 10;
    ring();
    EXPECT_EQ(d_.deadline, timeout_14_ns) << "the one that runs ends as it was armed";
    r_.expired(timeout_14_ns, d_.pair);
    EXPECT_EQ(d_.deadline, timeout_14_ns + (4096ULL << 10U));
}

} // namespace

} // namespace adp::hca
