// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "command_queue.h"

#include "guest.h"

namespace adp::hca {

namespace {

using testing::command_writer;
using testing::guest_memory;
using testing::xor_of;

class CommandQueueTest : public ::testing::Test {
  protected:
    CommandQueueTest()
    {
        guest_.announce(memory_);
        queue_.set_address(command_writer::queue);
    }

    guest_memory guest_;
    client_memory memory_;
    command_writer writer_{guest_};
    bytes got_;
    bytes give_;
    command_queue::verdict verdict_;
    std::vector<unsigned> finished_;
    int executed_ = 0;
    command_queue queue_{memory_,
                         {[this](view in, room out) {
                              executed_++;
                              got_.assign(in.begin(), in.end());
                              for (std::size_t i = 0; i < out.size(); i++)
                                  out[i] = i < give_.size() ? give_[i] : std::uint8_t{0};
                              return verdict_;
                          },
                          [] {}, [this](unsigned slot) { finished_.push_back(slot); },
                          [](std::string_view) {}}};
};

bytes counting(std::size_t length)
{
    bytes data(length);
    for (std::size_t i = 0; i < length; i++)
        data[i] = static_cast<std::uint8_t>(i * 7 + 1);
    return data;
}

TEST_F(CommandQueueTest, InlineCommand)
{
    give_ = counting(16);
    writer_.write(3, counting(16), 16);
    queue_.doorbell(1U << 3U);
    EXPECT_EQ(got_, counting(16));
    ASSERT_TRUE(writer_.finished(3));
    EXPECT_EQ(writer_.delivery(3), 0U);
    EXPECT_EQ(writer_.answer(3, 16), counting(16));
    EXPECT_EQ(xor_of(writer_.entry(3)), 0xff) << "the entry is signed";
    EXPECT_EQ(finished_, std::vector<unsigned>{3});
}

TEST_F(CommandQueueTest, ShortCommandsAreFilledWithZeros)
{
    writer_.write(0, counting(12), 12);
    queue_.doorbell(1);
    bytes wanted = counting(12);
    wanted.resize(16);
    EXPECT_EQ(got_, wanted);
    EXPECT_EQ(writer_.delivery(0), 0U);
}

TEST_F(CommandQueueTest, MailboxesBothWays)
{
    for (const std::size_t length : {17U, 528U, 529U, 1040U, 4112U}) {
        give_ = counting(length);
        writer_.write(0, counting(length), length);
        queue_.doorbell(1);
        EXPECT_EQ(got_, counting(length)) << length;
        EXPECT_EQ(writer_.answer(0, length), counting(length)) << length;
        const room block = writer_.output_block(0);
        EXPECT_EQ(xor_of(block), 0xff) << "a block is signed";
        EXPECT_EQ(xor_of(block.subspan(512, 63)), 0xff) << "and its control part";
    }
}

TEST_F(CommandQueueTest, EachSlotOfADoorbell)
{
    for (const unsigned slot : {0U, 5U, 31U})
        writer_.write(slot, counting(16), 16);
    queue_.doorbell(1U | 1U << 5U | 1U << 31U);
    EXPECT_EQ(finished_, (std::vector<unsigned>{0, 5, 31}));
}

TEST_F(CommandQueueTest, SlotsOfTheDriverAreLeftAlone)
{
    writer_.write(0, counting(16), 16);
    writer_.entry(0)[63] = 0;
    queue_.doorbell(1);
    EXPECT_EQ(executed_, 0);
    EXPECT_TRUE(finished_.empty());
}

TEST_F(CommandQueueTest, WhatIsNotDeliveredIsNotExecuted)
{
    struct damage {
        const char *what;
        unsigned status;
        void (*make)(command_writer &);
        bool sign = true;
    };
    const damage all[] = {
        {"type", 0x10, [](command_writer &w) { w.entry(0)[0] = 6; }},
        {"signature", 0x1, [](command_writer &w) { w.entry(0)[61] ^= 1; }, false},
        {"input too short", 0x7, [](command_writer &w) { put32(w.entry(0), 4, 7); }},
        {"input too long", 0x7, [](command_writer &w) { put32(w.entry(0), 4, 0xffffffff); }},
        {"output too short", 0x8, [](command_writer &w) { put32(w.entry(0), 56, 0); }},
        {"output too long", 0x8, [](command_writer &w) { put32(w.entry(0), 56, 1U << 31U); }},
        {"input nowhere", 0x5, [](command_writer &w) { put64(w.entry(0), 8, 1ULL << 40U); }},
        {"input not aligned", 0x5, [](command_writer &w) { put64(w.entry(0), 8, 0x10008); }},
        {"second block nowhere", 0x5,
         [](command_writer &w) { put64(w.input_block(0), 560, ~0ULL << 12U); }},
        {"block number", 0x3, [](command_writer &w) { put32(w.input_block(1), 568, 9); }},
        {"a loop", 0x3,
         [](command_writer &w) { put64(w.input_block(0), 560, command_writer::input_blocks); }},
        {"token", 0x2, [](command_writer &w) { w.input_block(1)[573] ^= 0xff; }},
    };
    for (const damage &one : all) {
        executed_ = 0;
        writer_.write(0, counting(1500), 16);
        one.make(writer_);
        if (one.sign)
            writer_.sign(0);
        queue_.doorbell(1);
        EXPECT_EQ(executed_, 0) << one.what;
        EXPECT_TRUE(writer_.finished(0)) << one.what;
        EXPECT_EQ(writer_.delivery(0), one.status) << one.what;
        EXPECT_EQ(xor_of(writer_.entry(0)), 0xff) << one.what;
    }
}

TEST_F(CommandQueueTest, AnswersThatCannotBeDelivered)
{
    writer_.write(0, counting(16), 2000);
    put64(writer_.output_block(1), 560, 3);
    queue_.doorbell(1);
    EXPECT_EQ(executed_, 1);
    EXPECT_EQ(writer_.delivery(0), 0x4U);
}

TEST_F(CommandQueueTest, QueueNowhere)
{
    queue_.set_address(guest_memory::size);
    queue_.doorbell(0xffffffff);
    queue_.set_address(guest_memory::size - 64);
    queue_.doorbell(0xfffffffe);
    queue_.set_address(~0ULL << 12U);
    queue_.doorbell(0xffffffff);
    EXPECT_EQ(executed_, 0);
}

TEST_F(CommandQueueTest, LateAnswers)
{
    verdict_ = {true, 20};
    give_ = counting(16);
    writer_.write(0, counting(16), 16);
    queue_.doorbell(1);
    EXPECT_FALSE(writer_.finished(0));
    ASSERT_TRUE(queue_.due());
    queue_.run_due(*queue_.due() - std::chrono::nanoseconds{1});
    EXPECT_FALSE(writer_.finished(0)) << "a nanosecond too early";
    queue_.doorbell(1);
    EXPECT_EQ(executed_, 1) << "rung twice, executed once";
    verdict_ = {};
    writer_.write(1, counting(16), 16);
    queue_.doorbell(2);
    EXPECT_TRUE(writer_.finished(1)) << "others go on";
    queue_.run_due(*queue_.due());
    EXPECT_TRUE(writer_.finished(0));
    EXPECT_EQ(writer_.answer(0, 16), counting(16));
    EXPECT_FALSE(queue_.due());
}

TEST_F(CommandQueueTest, NoAnswerAtAll)
{
    verdict_ = {false, 0};
    writer_.write(0, counting(16), 16);
    queue_.doorbell(1);
    EXPECT_FALSE(writer_.finished(0));
    EXPECT_FALSE(queue_.due());
}

TEST_F(CommandQueueTest, ForgottenAnswersDoNotComeLater)
{
    verdict_ = {true, 1};
    writer_.write(0, counting(16), 16);
    queue_.doorbell(1);
    const auto due = queue_.due();
    ASSERT_TRUE(due);
    queue_.forget();
    queue_.run_due(*due);
    EXPECT_FALSE(writer_.finished(0));
}

} // namespace

} // namespace adp::hca
