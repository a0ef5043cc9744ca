// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Two devices on a wire, as two servers are: what goes over it, and what is dropped.
#include "data_path/frame.h"
#include "data_side.h"

#include <chrono>
#include <filesystem>

namespace adp::hca {

namespace {

using testing::pair_guest;
using testing::qp;
using testing::side;

constexpr std::uint64_t ms = 1000000;
constexpr std::uint8_t wqe_write = 0x08, wqe_read = 0x10;
constexpr std::size_t buffer = pair_guest::buffer;

class WireTest : public ::testing::Test {
  protected:
    WireTest() : folder_(::testing::TempDir() + "wire_test." + std::to_string(::getpid()))
    {
        std::filesystem::create_directories(folder_);
        EXPECT_TRUE(left.line.listen(path()));
        EXPECT_TRUE(right.line.connect(path()));
        left.line_ready(); // takes the other end
        a.connect(14, 7, 3, true);
        b.connect(14, 7, 3, true);
    }
    ~WireTest() override { std::filesystem::remove_all(folder_); }

    std::string path() const { return folder_ + "/wire"; }
    // What both servers do when their sockets are ready.
    void move()
    {
        for (int i = 0; i < 20; i++) {
            left.run();
            right.run();
            left.line_ready();
            right.line_ready();
        }
    }
    void advance(std::uint64_t ns)
    {
        machine += ns;
        move();
    }

    std::uint64_t machine = 0;
    data_path left{[this] { return machine; }};
    data_path right{[this] { return machine; }};
    side a{0, left};
    side b{1, right};

  private:
    std::string folder_;
};

TEST_F(WireTest, DataGoesOverIt)
{
    for (std::size_t i = 0; i < 3000; i++)
        a.memory(buffer + i, 1)[0] = static_cast<std::uint8_t>(i * 13);
    a.send(wqe_write, 3000);
    move();
    EXPECT_EQ(a.completion(0), 0);
    EXPECT_EQ(b.memory(buffer + 0x8000 + 2999, 1)[0], static_cast<std::uint8_t>(2999 * 13));
    EXPECT_EQ(left.packets().onto_wire, 3U);
    EXPECT_EQ(right.packets().off_wire, 3U);
    EXPECT_EQ(left.packets().off_wire, 1U) << "one acknowledgement";
    a.send(wqe_read, 30000);
    move();
    EXPECT_EQ(a.completion(1), 0);
    EXPECT_EQ(left.packets().damaged + right.packets().damaged, 0U);
    EXPECT_EQ(left.packets().nobody + right.packets().nobody, 0U);
}

TEST_F(WireTest, BothEndsMayLose)
{
    a.end->way_out.rule(path::received).hole = true;
    a.send(wqe_write, 100);
    move();
    EXPECT_EQ(a.completion(0), -1);
    EXPECT_EQ(b.counter("rx_write_requests"), 1U);
    a.end->way_out.clear();
    b.end->way_out.rule(path::sent).delay_ns = 5 * ms;
    advance(600 * ms); // a repetition
    EXPECT_EQ(a.completion(0), -1);
    advance(5 * ms);
    EXPECT_EQ(a.completion(0), 0);
    EXPECT_GT(b.counter("duplicate_request"), 0U);
}

// Both servers stand still for longer than all retries last, while a frame is on its way.
TEST_F(WireTest, AMachineThatStoodStillCostsNoRetries)
{
    using std::chrono::nanoseconds;
    a.send(wqe_write, 100);
    left.run();
    const auto left_idle = left.idle();
    ASSERT_TRUE(left_idle);
    const nanoseconds stood_still = *left_idle + std::chrono::seconds(60);
    machine += static_cast<std::uint64_t>(stood_still.count());
    left.waited(*left_idle, stood_still);
    right.line_ready();
    right.run();
    left.line_ready();
    left.run();
    EXPECT_EQ(a.completion(0), 0);
    EXPECT_EQ(left.packets().onto_wire, 1U);
}

TEST_F(WireTest, DamagedFramesAreCounted)
{
    packet p;
    p.op = packet_opcode::write_only;
    p.from.global = p.to.global = true;
    p.from.gid = side::gid_of(0);
    p.to.gid = side::gid_of(1);
    p.udp_sport = 0xc000;
    p.queue_pair = qp;
    const bytes good = encode_frame(p);
    for (std::size_t length = 0; length < good.size(); length++)
        right.arrive(view{good}.first(length));
    EXPECT_EQ(right.packets().damaged, good.size());
    bytes bad = good;
    bad[50] ^= 1U;
    right.arrive(bad);
    right.arrive(bytes(9216, 0xff));
    EXPECT_EQ(right.packets().damaged, good.size() + 2);
    right.run();
    EXPECT_EQ(right.packets().delivered, 0U);
    p.to.gid[15] = 9;
    right.arrive(encode_frame(p));
    EXPECT_EQ(right.packets().nobody, 1U);
    EXPECT_EQ(right.packets().off_wire, good.size() + 3);
}

TEST_F(WireTest, TheOtherEndLeavesAndComesBack)
{
    right.line = wire{};
    left.line_ready();
    EXPECT_FALSE(left.line.connected());
    a.send(wqe_write, 100);
    move();
    EXPECT_EQ(left.packets().nobody, 1U);
    EXPECT_TRUE(right.line.connect(path()));
    move();
    EXPECT_TRUE(left.line.connected());
    advance(600 * ms);
    EXPECT_EQ(a.completion(0), 0);
}

TEST_F(WireTest, ALongQueueEnds)
{
    std::size_t taken = 0;
    while (taken < 100000 && left.line.send(bytes(4000)))
        taken++;
    EXPECT_GT(left.line.waiting(), 1000U);
    EXPECT_LT(taken, 100000U);
    EXPECT_TRUE(left.crowded());
    for (int i = 0; i < 1000 && left.line.wants_room(); i++)
        move();
    EXPECT_FALSE(left.line.wants_room());
    EXPECT_FALSE(left.crowded());
    EXPECT_EQ(right.packets().damaged, taken);
}

TEST(Wire, PathsThatAreNone)
{
    wire line;
    EXPECT_EQ(line.connect("/nowhere/at/all").err().code, ENOENT);
    EXPECT_EQ(line.listen(std::string(200, 'x')).err().code, ENAMETOOLONG);
    EXPECT_EQ(line.listen("").err().code, EINVAL);
    EXPECT_EQ(line.descriptor(), -1);
    EXPECT_FALSE(line.send(bytes(10)));
}

} // namespace

} // namespace adp::hca
