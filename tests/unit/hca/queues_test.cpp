// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Event, completion and send queues in a guest's memory.
#include "completion_queues.h"
#include "qp_context.h"
#include "send_queues.h"

#include "guest.h"

namespace adp::hca {

namespace {

using testing::guest_memory;

constexpr std::size_t eq_at = 0x20000;
constexpr std::size_t cq_at = 0x30000;
constexpr std::size_t sq_at = 0x40000;
constexpr std::size_t record_at = 0x50000;

class QueuesTest : public ::testing::Test {
  protected:
    QueuesTest() { guest_.announce(memory_); }

    // CREATE_EQ: 2^log entries, a vector, the types of the first quadword.
    void make_eq(std::uint32_t number, unsigned log, unsigned vector, std::uint64_t types,
                 std::uint64_t page = eq_at)
    {
        bytes in(0x110);
        put_bits(room{in}.subspan(0x10), {0x0c * 8 + 3, 5}, log);
        put_bits(room{in}.subspan(0x10), {0x14 * 8 + 20, 12}, vector);
        put64(in, 0x58, types);
        in.resize(0x118);
        put64(in, 0x110, page);
        events_.create(number, in);
    }
    void make_cq(std::uint32_t number, unsigned log, std::uint32_t eq)
    {
        bytes in(0x118);
        put_bits(room{in}.subspan(0x10), {0x0c * 8 + 3, 5}, log);
        put_bits(room{in}.subspan(0x10), {0x14 * 8 + 24, 8}, eq);
        put64(in, 0x110, cq_at);
        completions_.create(number, in);
    }
    void make_sq(std::uint32_t number, std::uint32_t cq)
    {
        bytes in(0x118);
        const room context = room{in}.subspan(qpc::at_create);
        put_bits(context, qpc::rq_type, 3); // none
        put_bits(context, qpc::log_sq_size, 4);
        put_bits(context, qpc::cqn_snd, cq);
        put_bits(context, qpc::user_index, 0x77);
        put64(context, qpc::at_doorbell_record, record_at);
        put64(in, 0x110, sq_at);
        sends_.create_for_pair(number, in);
    }
    void post(unsigned index, std::uint8_t opcode, bool signalled, unsigned sixteenths = 4)
    {
        const room segment = guest_.at(sq_at + index % 16 * 64, 16);
        put32(segment, 0, index << 8U | opcode);
        put32(segment, 4, sixteenths);
        segment[11] = signalled ? 8 : 0;
        put32(guest_.at(record_at, 8), 4, index + (sixteenths + 3) / 4);
    }
    room cqe(unsigned index) { return guest_.at(cq_at + index * 64, 64); }
    room eqe(unsigned index) { return guest_.at(eq_at + index * 64, 64); }

    guest_memory guest_;
    client_memory memory_;
    std::vector<unsigned> interrupts_;
    fate fate_;
    std::vector<std::uint32_t> judged_;
    event_queues events_{memory_, [this](unsigned v) { interrupts_.push_back(v); },
                         [](std::string_view) {}};
    completion_queues completions_{memory_, events_, [](std::string_view) {}};
    send_queues sends_{memory_, completions_,
                       [this](std::uint32_t n) {
                           judged_.push_back(n);
                           return fate_;
                       },
                       [](std::string_view) {}};
};

TEST_F(QueuesTest, EventsGoToTheQueueThatTakesTheirType)
{
    make_eq(1, 2, 10, 1U << 0x0a);
    make_eq(2, 2, 11, 1U << 0x09, eq_at + 0x1000);
    EXPECT_TRUE(events_.takes(0x0a));
    EXPECT_FALSE(events_.takes(0x0e));
    const bytes data{1, 2, 3, 4};
    EXPECT_TRUE(events_.push(0x0a, 5, data));
    EXPECT_EQ(interrupts_, std::vector<unsigned>{10});
    EXPECT_EQ(eqe(0)[1], 0x0a);
    EXPECT_EQ(eqe(0)[3], 5);
    EXPECT_EQ(get32(eqe(0), 32), 0x01020304U);
    EXPECT_FALSE(events_.push(0x0e, 0, {}));
    EXPECT_FALSE(events_.push(0xff, 0, {}));
}

TEST_F(QueuesTest, TheOwnerBitOfAnEventChangesWithEachRound)
{
    make_eq(1, 1, 0, 1);
    for (unsigned i = 0; i < 6; i++) {
        ASSERT_TRUE(events_.push(0, 0, {}));
        EXPECT_EQ(eqe(i % 2)[63], i / 2 % 2) << i;
    }
}

TEST_F(QueuesTest, ArmingAnEventQueueWithUnreadEntriesInterrupts)
{
    make_eq(1, 3, 4, 1);
    events_.push(0, 0, {});
    interrupts_.clear();
    events_.consumed(1U << 24U | 1, true);
    EXPECT_TRUE(interrupts_.empty());
    events_.consumed(1U << 24U | 0, false);
    EXPECT_TRUE(interrupts_.empty());
    events_.consumed(1U << 24U | 0, true);
    EXPECT_EQ(interrupts_, std::vector<unsigned>{4});
    events_.consumed(9U << 24U, true);
    EXPECT_EQ(interrupts_.size(), 1U) << "no such queue";
}

TEST_F(QueuesTest, EventsForMemoryThatIsNotThere)
{
    make_eq(1, 2, 0, 1, guest_memory::size);
    EXPECT_TRUE(events_.push(0, 0, {}));
    make_eq(2, 31, 0, 2);
    for (int i = 0; i < 100; i++) // one page holds 64
        events_.push_to(2, 1, 0, {});
    EXPECT_EQ(interrupts_.size(), 64U);
}

TEST_F(QueuesTest, CompletionsAndTheirEvents)
{
    make_eq(1, 4, 7, 0);
    make_cq(0x80, 1, 1);
    completion_queues::entry e{};
    e[60] = 0x12;
    completions_.push(0x80, e);
    EXPECT_EQ(cqe(0)[60], 0x12);
    EXPECT_EQ(cqe(0)[63] & 1, 0);
    EXPECT_TRUE(interrupts_.empty()) << "nobody asked";
    completions_.arm(1, 0x80);
    EXPECT_TRUE(interrupts_.empty()) << "all read";
    completions_.push(0x80, e);
    EXPECT_EQ(interrupts_, std::vector<unsigned>{7});
    EXPECT_EQ(get32(eqe(0), 32 + 24), 0x80U);
    completions_.push(0x80, e);
    EXPECT_EQ(interrupts_.size(), 1U) << "one event for each arming";
    EXPECT_EQ(cqe(0)[63] & 1, 1) << "second round";
    completions_.arm(1, 0x80);
    EXPECT_EQ(interrupts_.size(), 2U) << "unread ones when it is armed";
    completions_.arm(0, 0x99);
    completions_.push(0x99, e);
}

TEST_F(QueuesTest, ArmedForSolicitedOnesOnly)
{
    make_eq(1, 4, 7, 0);
    make_cq(0x80, 4, 1);
    completions_.arm(1U << 24U, 0x80);
    completions_.push(0x80, {});
    EXPECT_TRUE(interrupts_.empty());
    completion_queues::entry failed{};
    failed[63] = 13 << 4;
    completions_.push(0x80, failed);
    EXPECT_EQ(interrupts_.size(), 1U) << "errors count as solicited";
}

TEST_F(QueuesTest, WorkRequestsAreAnsweredWhereWanted)
{
    make_cq(0x80, 4, 1);
    make_sq(0x48, 0x80);
    post(0, 0x0a, false);
    post(1, 0x0a, true, 8); // two blocks
    post(3, 0x08, true);
    sends_.ring(0x48);
    EXPECT_EQ(judged_, (std::vector<std::uint32_t>{0x48, 0x48, 0x48}));
    EXPECT_EQ(get16(cqe(0), 60), 1);
    EXPECT_EQ(get16(cqe(1), 60), 3);
    EXPECT_EQ(get32(cqe(0), 56), 0x0aU << 24U | 0x48U);
    EXPECT_EQ(get32(cqe(0), 32), 0x77U) << "user index";
    EXPECT_EQ(cqe(0)[63] >> 4, 0);
    sends_.ring(0x48);
    EXPECT_EQ(judged_.size(), 3U) << "nothing new";
}

TEST_F(QueuesTest, ErrorsAreToldEvenIfNotAskedFor)
{
    make_cq(0x80, 4, 1);
    make_sq(0x48, 0x80);
    fate_ = {0x15, 0x81};
    post(0, 0x0a, false);
    sends_.ring(0x48);
    EXPECT_EQ(cqe(0)[63] >> 4, 13);
    EXPECT_EQ(cqe(0)[54], 0x81);
    EXPECT_EQ(cqe(0)[55], 0x15);
}

TEST_F(QueuesTest, DoorbellRecordsThatLie)
{
    make_cq(0x80, 4, 1);
    make_sq(0x48, 0x80);
    put32(guest_.at(record_at, 8), 4, 0xffff);
    sends_.ring(0x48);
    EXPECT_LE(judged_.size(), 16U) << "no more than the queue holds";
    sends_.ring(0x999);
    bytes in(0x110);
    put64(room{in}.subspan(qpc::at_create), qpc::at_doorbell_record, 3);
    sends_.create_for_pair(1, in);
    sends_.create_plain(2, in);
    sends_.ring(1);
    sends_.ring(2);
}

TEST_F(QueuesTest, PageOffsetCountsSixtyFourthsOfAPage)
{
    bytes in(8);
    put64(in, 0, 0x20000);
    const queue_buffer small = queue_buffer::parse(in, 0, 3, 0);
    const queue_buffer large = queue_buffer::parse(in, 0, 3, 4); // 64 KiB
    guest_.at(0x20000 + 3 * 64, 1)[0] = 1;
    guest_.at(0x20000 + 3 * 1024, 1)[0] = 2;
    ASSERT_NE(small.readable(memory_, 0, 1), nullptr);
    EXPECT_EQ(*small.readable(memory_, 0, 1), 1);
    EXPECT_EQ(*large.readable(memory_, 0, 1), 2);
    EXPECT_EQ(small.readable(memory_, 4096, 1), nullptr);
    EXPECT_EQ(large.readable(memory_, ~std::uint64_t{0} - 8, 1), nullptr);
}

} // namespace

} // namespace adp::hca
