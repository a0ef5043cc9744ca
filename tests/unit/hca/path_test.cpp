// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Faults of the path, and the order of timers.
#include "data_path/model_clock.h"
#include "data_path/path.h"
#include "data_path/timers.h"

#include <gtest/gtest.h>

namespace adp::hca {

namespace {

packet request(std::uint16_t udp_sport = 0xc001)
{
    packet p;
    p.op = packet_opcode::send_only;
    p.udp_sport = udp_sport;
    return p;
}

packet response()
{
    packet p = request();
    p.op = packet_opcode::acknowledge;
    return p;
}

constexpr std::uint64_t ms = 1000000;

TEST(Path, PassesWhatNobodyTouches)
{
    path way;
    EXPECT_EQ(way.pass(0, path::sent, request()), 0U);
    EXPECT_EQ(way.pass(0, path::received, request()), 0U);
    EXPECT_EQ(way.lost(), 0U);
}

TEST(Path, LossIsOfItsDirectionAndRepeatable)
{
    const auto lost = [](std::uint64_t seed) {
        path way;
        way.seed(seed);
        way.rule(path::sent).loss_ppm = 50000;
        std::string which;
        for (int i = 0; i < 10000; i++) {
            which += way.pass(0, path::sent, request()) ? '.' : 'x';
            EXPECT_TRUE(way.pass(0, path::received, request()));
        }
        EXPECT_GT(way.lost(), 400U);
        EXPECT_LT(way.lost(), 600U);
        return which;
    };
    EXPECT_EQ(lost(1), lost(1));
    EXPECT_NE(lost(1), lost(2));
}

TEST(Path, BurstsTakeSoManyInARow)
{
    path way;
    way.seed(3);
    way.rule(path::sent).loss_ppm = 10000;
    way.rule(path::sent).burst = 5;
    std::string which;
    for (int i = 0; i < 10000; i++)
        which += way.pass(0, path::sent, request()) ? '.' : 'x';
    std::size_t bursts = 0;
    for (std::size_t at = which.find('x'); at != std::string::npos; at = which.find('x', at)) {
        const std::size_t end = std::min(which.find('.', at), which.size());
        EXPECT_TRUE((end - at) % 5 == 0 || end == which.size()) << at;
        bursts++;
        at = end;
    }
    EXPECT_GT(bursts, 50U);
    EXPECT_LT(bursts, 150U);
    EXPECT_TRUE(way.pass(0, path::received, request()));
}

TEST(Path, DelayJitterAndReordering)
{
    path way;
    way.rule(path::received) = {0, 0, 0, 5 * ms, 0, false};
    EXPECT_EQ(way.pass(0, path::received, request()), 5 * ms);
    way.rule(path::received).jitter_ns = ms;
    bool differ = false;
    for (int i = 0; i < 100; i++) {
        const auto later = way.pass(0, path::received, request());
        EXPECT_GE(later, 5 * ms);
        EXPECT_LE(later, 6 * ms);
        differ = differ || later != way.pass(0, path::received, request());
    }
    EXPECT_TRUE(differ);
    way.rule(path::sent) = {0, 1000000, 3 * ms, 0, 0, false};
    EXPECT_EQ(way.pass(0, path::sent, request()), 3 * ms);
    EXPECT_EQ(way.late(), 1U);
}

TEST(Path, OnePortIsDead)
{
    path way;
    way.port_rule(0xc123).hole = true;
    EXPECT_FALSE(way.pass(0, path::sent, request(0xc123)));
    EXPECT_TRUE(way.pass(0, path::sent, request(0xc124)));
    way.clear();
    EXPECT_TRUE(way.pass(0, path::sent, request(0xc123)));
}

// RoCE v2 addresses: GIDs that hold IPv4 ones.
path_end at(std::uint8_t last)
{
    path_end end;
    end.global = true;
    end.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, last};
    return end;
}

TEST(Path, AFabricOfSeveralWays)
{
    path way;
    way.spread(4, {});
    way.way_rule(2).hole = true;
    unsigned lost = 0;
    for (std::uint16_t port = 0xc000; port < 0xc010; port++) {
        packet p = request(port);
        p.from = at(1);
        p.to = at(2);
        lost += way.pass(0, path::sent, p) ? 0 : 1;
        EXPECT_TRUE(way.pass(0, path::received, p)) << "where it is sent, once";
    }
    EXPECT_EQ(lost, 4U) << "the port itself, modulo the number of ways";
    for (unsigned i = 0; i < 4; i++)
        EXPECT_EQ(way.load(i), 4U);
    // crc32 of c0000201 c0000202 11 c001 12b7 (addresses, UDP, ports), computed by Python's zlib.
    way.spread(256, {flow::hash_kind::crc32});
    packet p = request(0xc001);
    p.from = at(1);
    p.to = at(2);
    way.pass(0, path::sent, p);
    EXPECT_EQ(way.load(0x54), 1U);
}

TEST(Path, AnOutageBeginsWithARequest)
{
    path way;
    way.outage(10 * ms, 0);
    EXPECT_TRUE(way.pass(1, path::received, request())) << "none has been sent";
    EXPECT_TRUE(way.pass(1, path::sent, response()));
    EXPECT_FALSE(way.pass(5 * ms, path::sent, request()));
    EXPECT_FALSE(way.pass(6 * ms, path::received, response())) << "both directions";
    EXPECT_FALSE(way.pass(15 * ms - 1, path::sent, request()));
    EXPECT_TRUE(way.pass(15 * ms, path::sent, request()));
    EXPECT_TRUE(way.pass(7 * ms, path::sent, request())) << "it is over for good";
    way.outage(10 * ms, 0xc001);
    EXPECT_TRUE(way.pass(0, path::sent, request(0xc002)));
    EXPECT_FALSE(way.pass(0, path::sent, request(0xc001)));
    EXPECT_TRUE(way.pass(0, path::sent, request(0xc002)));
    way.outage(0, 0);
    EXPECT_TRUE(way.pass(0, path::sent, request(0xc001)));
}

TEST(Timers, EachOwnerHasOne)
{
    timers all;
    EXPECT_FALSE(all.next());
    all.arm(1, 50);
    all.arm(2, 40);
    all.arm(1, 30);
    ASSERT_TRUE(all.next());
    EXPECT_EQ(all.next()->whose, 1U);
    all.disarm(1);
    all.disarm(1);
    EXPECT_EQ(all.next()->at_ns, 40U);
    all.clear();
    EXPECT_FALSE(all.next());
}

TEST(ModelClock, GoesOnWhenItsSpeedChanges)
{
    std::uint64_t machine = 1000;
    model_clock clock{[&machine] { return machine; }};
    EXPECT_EQ(clock.now(), 0U);
    machine += 50;
    EXPECT_EQ(clock.now(), 50U);
    clock.set_speed(20);
    EXPECT_EQ(clock.now(), 50U);
    machine += 10;
    EXPECT_EQ(clock.now(), 250U);
    EXPECT_EQ(clock.until(250).count(), 0);
    EXPECT_GE(clock.until(450).count(), 10);
    clock.set_speed(1);
    EXPECT_EQ(clock.now(), 250U);
}

TEST(ModelClock, LeavesOutWhatTheMachineStoodStill)
{
    std::uint64_t machine = 1000;
    model_clock clock{[&machine] { return machine; }};
    clock.set_speed(3);
    machine += 500;
    clock.leave_out(400);
    EXPECT_EQ(clock.now(), 300U);
    machine += 10;
    EXPECT_EQ(clock.now(), 330U);
    clock.leave_out(5000); // it does not go back before what it began with
    EXPECT_EQ(clock.now(), 0U);
}

TEST(Packet, NumbersGoRound)
{
    EXPECT_EQ(next_psn(0xffffff), 0U);
    EXPECT_EQ(psn_ahead(1, 0xffffff), 2);
    EXPECT_EQ(psn_ahead(0xffffff, 1), -2);
    EXPECT_EQ(facts_of(static_cast<packet_opcode>(0x15)), nullptr);
    EXPECT_EQ(static_cast<int>(packet_opcode::acknowledge), 0x11) << "IBTA, table 38";
    EXPECT_EQ(static_cast<int>(packet_opcode::fetch_add), 0x14);
    EXPECT_TRUE(facts_of(packet_opcode::write_only_immediate)->reth);
}

} // namespace

} // namespace adp::hca
