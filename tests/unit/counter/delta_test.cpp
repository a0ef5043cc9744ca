// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/delta.h"

#include "fixture.h"

#include <cerrno>

namespace adp::counter {
namespace {

using test::fixture;

snapshot read(const std::string &text)
{
    auto s = parse_snapshot(text);
    EXPECT_TRUE(bool(s)) << (s ? "" : s.err().reason);
    return s ? std::move(*s) : snapshot{};
}

change between(const char *name, std::uint64_t before, std::uint64_t after,
               const char *driver = "mlx5", family f = family::hw)
{
    return step_of(make_value(driver, name, before, f), make_value(driver, name, after, f));
}

constexpr std::uint64_t two32 = std::uint64_t{1} << 32;

TEST(Step, WrapOfAQCounter)
{
    const change c = between("out_of_sequence", 4294967290, 10);
    EXPECT_EQ(c.is, step::wrapped);
    EXPECT_EQ(c.delta, 16U);
    EXPECT_EQ(between("out_of_sequence", 4294967295, 0).delta, 1U);
    // A port's total of several sets may be above 2^32; its parts wrap.
    EXPECT_EQ(between("out_of_sequence", 2 * two32 - 100, 2 * two32 - 100 - two32 / 2).delta,
              two32 / 2);
    EXPECT_EQ(between("out_of_sequence", 3 * two32, 5).delta, 5U) << "the smallest k * 2^32";
    EXPECT_EQ(between("out_of_sequence", 5, two32 + 7).delta, two32 + 2);
    EXPECT_EQ(between("out_of_sequence", 5, 5).is, step::same);
    EXPECT_EQ(between("vport_out_of_sequence", 4294967290, 10).delta, 16U);
}

TEST(Step, AWrapIsNoStepOverMoreThanHalfTheRange)
{
    for (const std::uint64_t down : {std::uint64_t{1}, std::uint64_t{60}, two32 / 2 - 1}) {
        const change c = between("out_of_sequence", 4000000000, 4000000000 - down);
        EXPECT_EQ(c.is, step::reset_or_wrap) << down;
        EXPECT_FALSE(c.delta) << down;
    }
    EXPECT_EQ(between("out_of_sequence", two32 + 100, 40 + two32 / 2).is, step::wrapped);
    EXPECT_EQ(between("out_of_sequence", two32 + 100, 140 + two32 / 2).is, step::reset_or_wrap);
}

// One counter that fell alone began anew alone: those that stand still above 0 were not reset with it.
TEST(Ports, OneThatFellTakesNoOtherAlong)
{
    const snapshot a = read("link mlx5_0/1 packet_seq_err 500 rp_cnp_handled 600 "
                            "local_ack_timeout_err 700\n");
    const snapshot b = read("link mlx5_0/1 packet_seq_err 500 rp_cnp_handled 6 "
                            "local_ack_timeout_err 700\n");
    const auto all = compare_snapshots(a, b);
    ASSERT_TRUE(bool(all));
    const port_change &p = all->ports.at(0);
    EXPECT_EQ(p.anew, restart::no);
    EXPECT_EQ(p.reason, "");
    EXPECT_EQ(p.counters.at(0).what.is, step::same);
    EXPECT_EQ(p.counters.at(1).what.is, step::reset);
    EXPECT_FALSE(p.counters.at(1).what.delta);
    EXPECT_EQ(p.counters.at(2).what.is, step::same);
    // A saturating one, cleared alone (perfquery can).
    const auto pma = compare_snapshots(read("symbol_error:65535\nlink_downed:255\n"),
                                       read("symbol_error:10\nlink_downed:255\n"));
    ASSERT_TRUE(bool(pma));
    for (const counter_change &c : pma->ports.at(0).counters)
        EXPECT_EQ(c.what.delta.value_or(0), 0U) << c.after.name;
    // Several fell and one has, perhaps, come to the same number again: nobody can tell.
    const auto several = compare_snapshots(
        read("link mlx5_0/1 packet_seq_err 500 rp_cnp_handled 600 out_of_buffer 1\n"),
        read("link mlx5_0/1 packet_seq_err 5 rp_cnp_handled 6 out_of_buffer 1\n"));
    ASSERT_TRUE(bool(several));
    EXPECT_EQ(several->ports.at(0).anew, restart::unclear);
    EXPECT_EQ(several->ports.at(0).counters.at(0).what.is, step::reset_or_wrap);
    EXPECT_EQ(several->ports.at(0).counters.at(1).what.is, step::reset) << "it cannot wrap";
    EXPECT_EQ(several->ports.at(0).counters.at(2).what.is, step::same);
}

TEST(Snapshots, ClocksThatContradictEachOther)
{
    snapshot a = read("link mlx5_0/1 packet_seq_err 5\n"), b = a;
    a.boot_id = b.boot_id = "one";
    a.time_ms = 1000000;
    b.time_ms = 1005000;
    a.uptime_ms = 5245248;
    b.uptime_ms = 10;
    const auto all = compare_snapshots(a, b);
    ASSERT_TRUE(bool(all));
    bool told = false;
    for (const std::string &n : all->notes)
        told = told || n.find("contradict each other") != std::string::npos;
    EXPECT_TRUE(told);
}

TEST(Step, OnlyQCountersWrap)
{
    for (const char *name : {"rp_cnp_handled", "np_cnp_sent", "rx_icrc_encapsulated"}) {
        const change c = between(name, 4294967290, 10);
        EXPECT_EQ(c.is, step::reset) << name;
        EXPECT_FALSE(c.delta) << name;
    }
    EXPECT_EQ(between("rcvd_seq_err", 4294967290, 10, "rxe").is, step::reset);
    // Nobody says what this one does.
    EXPECT_EQ(between("from_firmware", 4294967290, 10, "ionic").is, step::reset_or_wrap);
    EXPECT_EQ(between("sq_num_to", 4294967290, 10, "mlx4").is, step::reset_or_wrap);
}

TEST(Step, SaturatedCountersStandStill)
{
    const change still = between("symbol_error", 65535, 65535, "", family::pma);
    EXPECT_EQ(still.is, step::at_least);
    EXPECT_EQ(still.delta, 0U);
    EXPECT_FALSE(still.reason.empty()) << "0 is not \"clean\"";
    EXPECT_EQ(between("symbol_error", 65530, 65535, "", family::pma).is, step::at_least);
    EXPECT_EQ(between("symbol_error", 65530, 65535, "", family::pma).delta, 5U);
    EXPECT_EQ(between("symbol_error", 65535, 3, "", family::pma).is, step::reset);
    EXPECT_EQ(between("symbol_error", 10, 12, "", family::pma).is, step::rose);
}

TEST(Step, StatesWithoutANumber)
{
    value measured = make_value("mlx5", "out_of_sequence", 5);
    value later = make_value("mlx5", "out_of_sequence", 9);
    for (const state s :
         {state::unreadable, state::not_exposed, state::not_measured, state::optional_off}) {
        value none = measured;
        none.is = s;
        EXPECT_EQ(step_of(none, later).is, step::no_number);
        EXPECT_EQ(step_of(measured, none).is, step::no_number);
        EXPECT_FALSE(step_of(measured, none).delta);
    }
    value stale = measured;
    stale.is = state::stale;
    EXPECT_EQ(step_of(stale, stale).is, step::frozen);
    EXPECT_FALSE(step_of(stale, stale).delta);
    EXPECT_EQ(step_of(stale, later).is, step::reset);
    later.is = state::stale;
    EXPECT_EQ(step_of(measured, later).is, step::at_least);
    EXPECT_EQ(between("lifespan", 12, 10).is, step::gauge);
}

port_change ports(const std::string &before, const std::string &after)
{
    const snapshot a = read(before);
    const snapshot b = read(after);
    return compare_ports(a.ports.at(0), b.ports.at(0));
}

const change &of(const port_change &p, const std::string &name)
{
    for (const counter_change &c : p.counters)
        if (c.latest().name == name)
            return c.what;
    ADD_FAILURE() << name;
    static const change none;
    return none;
}

TEST(Port, AResetTakesAllAWrapTakesOne)
{
    const port_change wrap =
        ports("link mlx5_0/1 out_of_sequence 4294967290 duplicate_request 70\n",
              "link mlx5_0/1 out_of_sequence 4 duplicate_request 70\n");
    EXPECT_EQ(wrap.anew, restart::no);
    EXPECT_EQ(of(wrap, "out_of_sequence").delta, 10U);
    const port_change reset =
        ports("link mlx5_0/1 out_of_sequence 500 duplicate_request 70 packet_seq_err 3\n",
              "link mlx5_0/1 out_of_sequence 4 duplicate_request 0 packet_seq_err 0\n");
    EXPECT_EQ(reset.anew, restart::yes);
    EXPECT_EQ(of(reset, "out_of_sequence").is, step::reset);
    EXPECT_FALSE(of(reset, "out_of_sequence").delta);
    EXPECT_FALSE(reset.reason.empty());
    // One that cannot wrap fell: all began anew, also what happens to be higher.
    const port_change cnp = ports("link mlx5_0/1 out_of_sequence 3 rp_cnp_handled 9\n",
                                  "link mlx5_0/1 out_of_sequence 8 rp_cnp_handled 1\n");
    EXPECT_EQ(cnp.anew, restart::yes);
    EXPECT_FALSE(of(cnp, "out_of_sequence").delta);
    // Nothing tells.
    const port_change unclear = ports("link mlx5_0/1 out_of_sequence 500 duplicate_request 0\n",
                                      "link mlx5_0/1 out_of_sequence 4 duplicate_request 0\n");
    EXPECT_EQ(unclear.anew, restart::unclear);
    EXPECT_EQ(of(unclear, "out_of_sequence").is, step::reset_or_wrap);
    EXPECT_FALSE(of(unclear, "out_of_sequence").delta);
    // A lone counter near its end, with nothing else counted.
    EXPECT_EQ(
        of(ports("link mlx5_0/1 out_of_sequence 4294967000\n", "link mlx5_0/1 out_of_sequence 4\n"),
           "out_of_sequence")
            .delta,
        300U);
}

TEST(Port, NamesThatComeAndGo)
{
    const port_change p = ports("link a/1 x 1 y 2\n", "link a/1 y 2 z 3\n");
    EXPECT_EQ(of(p, "x").is, step::vanished);
    EXPECT_EQ(of(p, "z").is, step::appeared);
    EXPECT_FALSE(of(p, "z").delta);
    EXPECT_TRUE(p.moved());
    EXPECT_FALSE(ports("link a/1 x 1\n", "link a/1 x 1\n").moved());
}

snapshot one(std::uint64_t number)
{
    snapshot s = read("link mlx5_0/2 vport_out_of_sequence " + std::to_string(number) + "\n");
    s.boot_id = "boot";
    s.host = "h";
    s.ports[0].dev_index = 4;
    s.ports[0].node_guid = "0011:2233:4455:6677";
    s.ports[0].pci = "0000:1a:00.0";
    s.ports[0].netdev = "pf0vf0";
    s.ports[0].netdev_index = 11;
    s.ports[0].function = "pf0vf0";
    return s;
}

port_change only(const snapshot &a, const snapshot &b)
{
    auto all = compare_snapshots(a, b);
    EXPECT_TRUE(bool(all)) << (all ? "" : all.err().reason);
    EXPECT_EQ(all->ports.size(), 1U);
    return all->ports.at(0);
}

TEST(Snapshots, AnotherLifeOfTheCountersIsNeverADelta)
{
    const snapshot before = one(5);
    EXPECT_TRUE(only(before, one(9)).comparable);
    EXPECT_EQ(only(before, one(9)).counters.at(0).what.delta, 4U);
    const auto changed = [&](auto &&how, const char *says) {
        snapshot after = one(9);
        how(after);
        const port_change p = only(before, after);
        EXPECT_FALSE(p.comparable) << says;
        EXPECT_NE(p.reason.find(says), std::string::npos) << p.reason;
        for (const counter_change &c : p.counters)
            EXPECT_FALSE(c.what.delta) << says;
    };
    changed([](snapshot &s) { s.boot_id = "other"; }, "another boot");
    changed([](snapshot &s) { s.ports[0].dev_index = 5; }, "loaded again");
    changed([](snapshot &s) { s.ports[0].node_guid = "x"; }, "another device");
    changed([](snapshot &s) { s.ports[0].function = "pf0vf3"; }, "another function");
    changed([](snapshot &s) { s.ports[0].netdev_index = 12; }, "another netdev");
    changed(
        [](snapshot &s) {
            s.ports[0].netdev.clear();
            s.ports[0].netdev_index.reset();
        },
        "lost its netdev");
}

TEST(Snapshots, ARenamedDeviceIsTheSame) // report R59
{
    snapshot after = one(9);
    after.ports[0].dev = "rocep1s0f0";
    auto all = compare_snapshots(one(5), after);
    ASSERT_TRUE(bool(all));
    EXPECT_EQ(all->ports.at(0).counters.at(0).what.delta, 4U);
    ASSERT_EQ(all->notes.size(), 1U);
    EXPECT_NE(all->notes[0].find("rocep1s0f0"), std::string::npos);
}

TEST(Snapshots, WhatDoesNotBelongTogether)
{
    auto machines = compare_snapshots(one(5), [] {
        snapshot s = one(9);
        s.boot_id = "other";
        s.host = "elsewhere";
        return s;
    }());
    ASSERT_FALSE(machines);
    EXPECT_NE(machines.err().reason.find("elsewhere"), std::string::npos);
    EXPECT_FALSE(compare_snapshots(read("link a/1 x 1\n"), read("link b/1 x 1\n")));
    EXPECT_FALSE(compare_snapshots(read("x_count +1\n"), read("x_count 1\n")));
    const auto some = compare_snapshots(read("link a/1 x 1\nlink a/2 x 1\n"),
                                        read("link a/2 x 1\nlink a/3 x 1\n"));
    ASSERT_TRUE(bool(some));
    EXPECT_EQ(some->only_before, std::vector<std::string>{"a/1"});
    EXPECT_EQ(some->only_after, std::vector<std::string>{"a/3"});
    EXPECT_TRUE(some->moved());
    // A pasted listing names no device: it is the only port there is.
    EXPECT_TRUE(bool(
        compare_snapshots(read("out_of_sequence:1\n"), read("link mlx5_0/1 out_of_sequence 4\n"))));
}

TEST(Snapshots, Time)
{
    snapshot a = one(5), b = one(9);
    a.time_ms = 1000;
    b.time_ms = 61000;
    EXPECT_EQ(compare_snapshots(a, b)->interval_ms, 60000);
    a.uptime_ms = 500;
    b.uptime_ms = 2500; // somebody set the clock
    EXPECT_EQ(compare_snapshots(a, b)->interval_ms, 2000);
    EXPECT_TRUE(compare_snapshots(b, a)->reordered);
}

// The VFs go (their values stand still) and come back (recordings d, e, f).
TEST(Recording, ValuesOfAFunctionThatIsGone)
{
    const snapshot d = read(fixture("vport/sriov72-d-switchdev-2vf-up-rdma-statistic-json.txt"));
    snapshot e = read(fixture("vport/sriov72-e-switchdev-vfs-gone-rdma-statistic-json.txt"));
    EXPECT_FALSE(compare_snapshots(d, e)->ports.at(1).moved()) << "no number tells";
    // What a reader sees beside the numbers: the port has lost its netdev.
    for (value &v : e.ports.at(1).values)
        v.is = state::stale;
    const port_change p = compare_ports(e.ports[1], e.ports[1]);
    for (const counter_change &c : p.counters)
        EXPECT_EQ(c.what.is, step::frozen);
}

TEST(Rate, WordsAreFourBytes) // report R54
{
    const description &d = *describe("", "port_xmit_data", family::pma).about;
    EXPECT_DOUBLE_EQ(*bits_per_second(d, 2800000000U, 1000), 89.6e9);
    EXPECT_FALSE(above_link_speed(89.6e9, 100000));
    EXPECT_TRUE(above_link_speed(2017e9, 100000));
    EXPECT_FALSE(above_link_speed(2017e9, std::nullopt));
    EXPECT_FALSE(bits_per_second(d, 5, std::nullopt));
    EXPECT_FALSE(bits_per_second(*describe("mlx5", "out_of_sequence").about, 5, 1000));
    EXPECT_FALSE(rate(5, 0));
}

} // namespace
} // namespace adp::counter
