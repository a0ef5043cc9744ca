// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The receiving half of a queue pair: IBTA volume 1, 9.7.5 and 9.9.3; counters by the vendor's list.
#include "pair_guest.h"

namespace adp::hca {

namespace {

using testing::pair_guest;
using enum packet_opcode;

constexpr std::size_t data = pair_guest::buffer;
constexpr std::uint32_t first_psn = 0xfffffe;

class ResponderTest : public ::testing::Test {
  protected:
    ResponderTest()
    {
        d_.on_broken = [this] { r_.flush(d_.pair); };
        r_.start(d_.pair);
    }
    packet request(packet_opcode op, std::uint32_t ahead, bytes payload = {}) const
    {
        packet p;
        p.op = op;
        p.psn = next_psn(first_psn, ahead);
        p.ack_request = true;
        p.address = data;
        p.key = pair_guest::key;
        p.length = static_cast<std::uint32_t>(payload.size());
        p.payload = std::move(payload);
        p.immediate = 0xabcd;
        return p;
    }
    void take(const packet &p) { r_.take(0, d_.pair, p); }
    // Syndrome of the last answer.
    unsigned answered() const { return d_.sent.empty() ? 0xffU : d_.sent.back().syndrome; }

    pair_guest d_;
    responder r_{d_, receive_queue::of_pair(pair_guest::create(true))};
};

TEST_F(ResponderTest, AMessageGoesIntoAReceive)
{
    d_.post_receive({data, 3000});
    take(request(send_first, 0, bytes(1024, 1)));
    take(request(send_middle, 1, bytes(1024, 2)));
    EXPECT_TRUE(d_.completions.empty());
    take(request(send_last_immediate, 2, bytes(100, 3)));
    ASSERT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.completions[0].opcode, cqe_opcode::send_immediate);
    EXPECT_EQ(d_.completions[0].byte_count, 2148U);
    EXPECT_EQ(d_.completions[0].immediate, 0xabcdU);
    EXPECT_EQ(d_.guest.at(data + 2147, 1)[0], 3);
    EXPECT_EQ(d_.guest.at(data + 2148, 1)[0], 0);
    EXPECT_EQ(d_.sent.size(), 3U);
    EXPECT_EQ(d_.sent.back().psn, 0U);
    EXPECT_EQ(d_.sent.back().message_number, 1U);
    EXPECT_EQ(r_.expected_psn(), 1U);
}

TEST_F(ResponderTest, AGapIsToldOnce)
{
    d_.post_receive({data, 3000});
    take(request(send_only, 1));
    take(request(send_only, 2));
    ASSERT_EQ(d_.sent.size(), 1U);
    EXPECT_EQ(answered(), aeth::sequence_error);
    EXPECT_EQ(d_.sent[0].psn, first_psn);
    EXPECT_EQ(d_.counter("out_of_sequence"), 2U);
    take(request(send_only, 0));
    EXPECT_EQ(answered(), aeth::positive);
    take(request(send_only, 3));
    EXPECT_EQ(answered(), aeth::sequence_error) << "another gap";
}

TEST_F(ResponderTest, WithoutAReceive)
{
    take(request(send_only, 0));
    EXPECT_EQ(answered(), aeth::receiver_not_ready | 12U);
    EXPECT_EQ(d_.counter("out_of_buffer"), 1U);
    take(request(send_only, 1));
    EXPECT_EQ(d_.sent.size(), 1U) << "what follows is dropped in silence";
    EXPECT_EQ(d_.counter("out_of_sequence"), 0U);
    d_.post_receive({data, 10});
    take(request(send_only, 0));
    EXPECT_EQ(answered(), aeth::positive);
}

TEST_F(ResponderTest, DuplicatesAreAcknowledgedAndNotDone)
{
    d_.post_receive({data, 10});
    take(request(send_only, 0, bytes(4, 1)));
    take(request(send_only, 0, bytes(4, 9)));
    EXPECT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.guest.at(data, 1)[0], 1);
    EXPECT_EQ(d_.sent.size(), 2U);
    EXPECT_EQ(d_.sent[1].psn, first_psn);
    EXPECT_EQ(d_.counter("duplicate_request"), 1U);
}

TEST_F(ResponderTest, MoreThanAReceiveHolds)
{
    d_.post_receive({data, 3});
    d_.post_receive({data, 3});
    take(request(send_only, 0, bytes(4, 1)));
    EXPECT_EQ(answered(), aeth::invalid_request);
    EXPECT_EQ(d_.counter("resp_local_length_error"), 1U);
    ASSERT_EQ(d_.completions.size(), 2U);
    EXPECT_EQ(d_.completions[0].end.syndrome, cqe_fate::receive_length.syndrome);
    EXPECT_EQ(d_.completions[1].end.syndrome, cqe_fate::flushed.syndrome);
    EXPECT_EQ(d_.guest.at(data, 1)[0], 0) << "nothing of it is written";
    EXPECT_EQ(d_.pair.state, qp_state::error);
    EXPECT_TRUE(d_.told.empty()) << "a completion has said it";
}

TEST_F(ResponderTest, Writes)
{
    packet first = request(write_first, 0, bytes(1024, 1));
    first.length = 1124;
    take(first);
    packet last = request(write_last, 1, bytes(100, 2));
    last.address = last.key = 0; // only the first says where
    take(last);
    EXPECT_EQ(answered(), aeth::positive);
    EXPECT_EQ(d_.guest.at(data + 1123, 1)[0], 2);
    EXPECT_TRUE(d_.completions.empty());
    EXPECT_EQ(d_.counter("rx_write_requests"), 1U);
}

TEST_F(ResponderTest, AWriteWithImmediateNeedsAReceive)
{
    take(request(write_only_immediate, 0, bytes(4, 7)));
    EXPECT_EQ(answered(), aeth::receiver_not_ready | 12U);
    EXPECT_EQ(d_.guest.at(data, 1)[0], 0) << "nothing is written before";
    d_.post_receive({data + 512, 10});
    take(request(write_only_immediate, 0, bytes(4, 7)));
    ASSERT_EQ(d_.completions.size(), 1U);
    EXPECT_EQ(d_.completions[0].opcode, cqe_opcode::write_immediate);
    EXPECT_EQ(d_.completions[0].byte_count, 4U);
    EXPECT_EQ(d_.guest.at(data, 1)[0], 7);
}

TEST_F(ResponderTest, KeysAndRights)
{
    d_.make_key(0x60, data, 4096, 0x1f & ~0x08U); // no remote write
    d_.make_key(0x61, data, 4096, 0x1f, pair_guest::domain + 1);
    d_.make_key(0x62, data, 4096, 0x1f, pair_guest::domain, 2); // a list of other keys
    struct trial {
        std::uint32_t key;
        std::uint64_t address;
        bool taken;
    };
    for (const trial &one :
         {trial{pair_guest::key, data, true}, trial{pair_guest::key + 1, data, false},
          trial{0x60a5, data, false}, trial{0x61a5, data, false}, trial{0x62a5, data, false},
          trial{0x200, data, false}, // the kernel's own is not for others
          trial{pair_guest::key, data - 1, false},
          trial{pair_guest::key, data + pair_guest::buffer_bytes - 3, false},
          trial{pair_guest::key, data + pair_guest::buffer_bytes - 4, true},
          trial{pair_guest::key, ~std::uint64_t{1}, false}}) {
        d_.pair.state = qp_state::rts;
        r_.start(d_.pair);
        packet p = request(write_only, 0, bytes(4, 1));
        p.key = one.key;
        p.address = one.address;
        take(p);
        EXPECT_EQ(answered(), one.taken ? aeth::positive : aeth::remote_access)
            << one.key << " " << one.address;
    }
    d_.pair.remote_write = false;
    r_.start(d_.pair);
    take(request(write_only, 0, bytes(4, 1)));
    EXPECT_EQ(answered(), aeth::remote_access) << "the queue pair does not allow it";
}

TEST_F(ResponderTest, LengthsThatDoNotAgree)
{
    packet p = request(write_only, 0, bytes(4, 1));
    p.length = 5;
    take(p);
    EXPECT_EQ(answered(), aeth::invalid_request);
    d_.pair.state = qp_state::rts;
    r_.start(d_.pair);
    p = request(read_request, 0);
    p.length = 0xffffffff;
    take(p);
    EXPECT_EQ(answered(), aeth::invalid_request);
}

TEST_F(ResponderTest, PacketsOutOfPlace)
{
    for (const packet_opcode op : {send_middle, send_last, write_middle, write_last}) {
        d_.pair.state = qp_state::rts;
        r_.start(d_.pair);
        take(request(op, 0, bytes(4, 1)));
        EXPECT_EQ(answered(), aeth::invalid_request) << static_cast<int>(op);
    }
    EXPECT_EQ(d_.told, std::vector<std::uint8_t>(4, event::invalid_request));
}

TEST_F(ResponderTest, ReadsAreAnsweredInOrder)
{
    d_.fill(data, 2500, 5);
    d_.full = true;
    packet p = request(read_request, 0);
    p.length = 2500;
    take(p);
    d_.post_receive({data + 0x9000, 10});
    take(request(send_only, 3));
    EXPECT_TRUE(d_.sent.empty());
    EXPECT_TRUE(r_.has_work());
    d_.full = false;
    EXPECT_FALSE(r_.work(1, d_.pair));
    ASSERT_EQ(d_.sent.size(), 4U);
    EXPECT_EQ(d_.sent[0].op, read_response_first);
    EXPECT_EQ(d_.sent[1].op, read_response_middle);
    EXPECT_EQ(d_.sent[2].op, read_response_last);
    EXPECT_EQ(d_.sent[2].payload.size(), 452U);
    EXPECT_EQ(d_.sent[2].psn, 0U);
    EXPECT_EQ(d_.sent[3].op, acknowledge);
    EXPECT_EQ(d_.sent[1].payload[0], d_.guest.at(data + 1024, 1)[0]);
    take(p);
    EXPECT_EQ(d_.sent.size(), 7U) << "again, when it is asked for again";
    EXPECT_EQ(d_.counter("rx_read_requests"), 1U);
    EXPECT_EQ(d_.counter("duplicate_request"), 1U);
}

TEST_F(ResponderTest, AtomicsAreDoneOnce)
{
    put64(d_.guest.at(data, 8), 0, 0x0500000000000000); // 5, little-endian
    packet p = request(fetch_add, 0);
    p.swap_or_add = 3;
    take(p);
    take(p);
    ASSERT_EQ(d_.sent.size(), 2U);
    EXPECT_EQ(d_.sent[0].op, atomic_acknowledge);
    EXPECT_EQ(d_.sent[0].swap_or_add, 5U);
    EXPECT_EQ(d_.sent[1].swap_or_add, 5U) << "the same answer";
    EXPECT_EQ(d_.guest.at(data, 1)[0], 8);
    p = request(compare_swap, 1);
    p.compare = 8;
    p.swap_or_add = 100;
    take(p);
    EXPECT_EQ(d_.guest.at(data, 1)[0], 100);
    p = request(compare_swap, 2);
    p.compare = 8;
    take(p);
    EXPECT_EQ(d_.guest.at(data, 1)[0], 100) << "not equal";
    EXPECT_EQ(d_.sent.back().swap_or_add, 100U);
    p = request(fetch_add, 3);
    p.address = data + 1;
    take(p);
    EXPECT_EQ(answered(), aeth::remote_access) << "not aligned";
}

TEST_F(ResponderTest, ReceivesOfAFailedQueuePairAreFlushed)
{
    d_.post_receive({data, 3});
    r_.flush(d_.pair);
    d_.post_receive({data, 3});
    r_.flush(d_.pair);
    ASSERT_EQ(d_.completions.size(), 2U);
    EXPECT_EQ(d_.completions[1].opcode, cqe_opcode::responder_error);
    EXPECT_EQ(d_.completions[1].end.vendor, 0xf9);
    EXPECT_EQ(d_.completions[1].work_index, 1U);
    EXPECT_EQ(d_.counter("resp_cqe_flush_error"), 2U);
}

TEST_F(ResponderTest, ASharedReceiveQueueIsAList)
{
    bytes in(0x118);
    const room context = room{in}.subspan(0x50);
    put64(context, 0x10, pair_guest::record);
    put_bits(context, {0x20 * 8 + 12, 4}, 6);
    put_bits(context, {0x23 * 8 + 3, 5}, 2);
    put64(in, 0x110, pair_guest::receive_ring);
    d_.shared = receive_queue::shared(in);
    ASSERT_TRUE(d_.shared);
    d_.pair.shared_queue = 0x100;
    const unsigned next[] = {2, 3, 1, 0}; // 0, 2, 1, 3
    for (unsigned i = 0; i < 4; i++) {
        const room entry = d_.guest.at(pair_guest::receive_ring + i * 64, 64);
        put16(entry, 2, next[i]);
        put32(entry, 16, 8);
        put32(entry, 20, pair_guest::key);
        put64(entry, 24, data + i * 256);
    }
    put32(d_.guest.at(pair_guest::record, 8), 0, 3);
    for (unsigned i = 0; i < 4; i++)
        take(request(send_only, i, bytes(4, static_cast<std::uint8_t>(i + 1))));
    ASSERT_EQ(d_.completions.size(), 3U);
    EXPECT_EQ(d_.completions[1].work_index, 2U);
    EXPECT_EQ(d_.completions[2].work_index, 1U);
    EXPECT_EQ(d_.guest.at(data + 512, 1)[0], 2);
    EXPECT_EQ(answered(), aeth::receiver_not_ready | 12U);
}

} // namespace

} // namespace adp::hca
