// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/gf2.h"
#include "flow/plan.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <map>
#include <random>
#include <set>

namespace {

using namespace adp::flow;
using enum hash_kind;

hash_model model(hash_kind kind)
{
    return {kind, five_tuple, 0, 0};
}

address_pair pair(const char *src, const char *dst)
{
    return {*parse_address(src), *parse_address(dst)};
}

// Whatever a plan says of itself is checked from outside.
void expect_sound(const plan_request &request, const flow_plan &plan)
{
    ASSERT_EQ(plan.qps.size(), request.qps);
    std::set<std::uint16_t> sports;
    for (const planned_qp &qp : plan.qps) {
        ASSERT_GE(qp.udp_sport, request.first);
        ASSERT_LE(qp.udp_sport, request.last);
        ASSERT_NE(qp.flow_label, 0U);
        ASSERT_EQ(ibv_flow_label_to_udp_sport(qp.flow_label), qp.udp_sport);
        sports.insert(qp.udp_sport);
    }
    ASSERT_EQ(plan.distinct_sports, sports.size());
}

// Loads by hashing each flow in full, per stage and direction.
std::map<std::uint32_t, std::uint64_t> real_load(const plan_request &request, const flow_plan &plan,
                                                 const address_pair &ends)
{
    std::map<std::uint32_t, std::uint64_t> load;
    for (const planned_qp &qp : plan.qps) {
        flow_key key;
        key.src = ends.src;
        key.dst = ends.dst;
        key.sport = qp.udp_sport;
        std::uint32_t path = 0;
        std::uint32_t scale = 1;
        for (const plan_stage &stage : request.stages) {
            path += scale * (hash_flow(stage.hash, key) % stage.paths);
            scale *= stage.paths;
        }
        load[path]++;
    }
    return load;
}

std::uint64_t most(const std::map<std::uint32_t, std::uint64_t> &load)
{
    std::uint64_t max = 0;
    for (const auto &[path, count] : load)
        max = std::max(max, count);
    return max;
}

TEST(gf2, rank_and_solutions_by_trying_all)
{
    std::mt19937 random(11);
    for (int round = 0; round < 50; round++) {
        std::vector<std::uint64_t> columns(10);
        for (std::uint64_t &c : columns)
            c = random() & (round % 2 != 0 ? 0x3f : 0x15);
        const auto apply = [&columns](std::uint32_t x) {
            std::uint64_t v = 0;
            for (std::size_t j = 0; j < columns.size(); j++)
                if ((x >> j & 1) != 0)
                    v ^= columns[j];
            return v;
        };
        std::map<std::uint64_t, int> image;
        for (std::uint32_t x = 0; x < 1024; x++)
            image[apply(x)]++;
        const gf2_map map(columns);
        ASSERT_EQ(image.size(), std::size_t{1} << map.rank());
        ASSERT_EQ(rank(columns), map.rank());
        ASSERT_EQ(map.rank() + map.nullity(), columns.size());
        std::set<std::uint32_t> seen;
        for (std::uint64_t i = 0; i < image.size(); i++)
            for (std::uint64_t turn = 0; turn < 1024 / image.size(); turn++) {
                const std::uint32_t x = map.solution(i, turn);
                ASSERT_EQ(apply(x), map.value(i));
                ASSERT_TRUE(seen.insert(x).second);
            }
        if (map.rank() == 6) {
            for (std::uint64_t i = 0; i < 64; i++)
                ASSERT_EQ(map.value(i), i);
        }
    }
}

// The optimum for every linear hash, every power of two, with and without addresses, IPv4 and IPv6,
// in both directions, for any seed.
TEST(plan, powers_of_two_are_even)
{
    for (const hash_info &h : hashes()) {
        if (h.width == 0)
            continue;
        for (std::uint32_t paths = 1; paths <= 1024; paths *= 2)
            for (const std::uint64_t qps : {1U, 3U, 8U, 64U, 100U, 5000U}) {
                plan_request request{qps, {{model(h.kind), paths, {}}}, {}, sport_min, sport_max};
                const auto plan = plan_flows(request);
                ASSERT_TRUE(plan);
                expect_sound(request, *plan);
                ASSERT_EQ(plan->numbers, h.kind == mod || paths == 1 ? path_numbers::absolute
                                                                     : path_numbers::relative);
                ASSERT_EQ(plan->distinct_sports, std::min<std::uint64_t>(qps, 16384));
                if (paths <= 1U << std::min<unsigned>(h.width, 14)) {
                    ASSERT_TRUE(plan->even) << h.name << ' ' << paths << ' ' << qps;
                    ASSERT_EQ(plan->max_load, (qps + paths - 1) / paths);
                }
                for (const address_pair &ends :
                     {pair("10.0.0.1", "10.0.0.2"), pair("192.168.7.9", "10.1.2.3")}) {
                    const auto load = real_load(request, *plan, ends);
                    ASSERT_EQ(most(load), plan->max_load) << h.name;
                    ASSERT_LE(load.size(), plan->reachable);
                }
            }
    }
}

TEST(plan, addresses_give_the_switch_s_numbers)
{
    for (const hash_info &h : hashes()) {
        if (h.width < 8)
            continue;
        for (const address_pair &ends : {pair("10.0.0.1", "10.0.0.2"), pair("fd00::9", "fd00::2")})
            for (const std::uint32_t paths : {8U, 3U, 12U, 100U}) {
                plan_request request{200, {{model(h.kind), paths, {}}}, ends, sport_min, sport_max};
                if (h.kind != mod)
                    request.stages[0].hash.seed = 0x5a;
                const auto plan = plan_flows(request);
                ASSERT_TRUE(plan);
                expect_sound(request, *plan);
                ASSERT_EQ(plan->numbers, path_numbers::absolute);
                const auto load = real_load(request, *plan, ends);
                for (std::uint32_t p = 0; p < paths; p++)
                    ASSERT_EQ(load.contains(p) ? load.at(p) : 0, plan->load[p]) << h.name;
                ASSERT_EQ(plan->max_load, (200 + paths - 1) / paths) << h.name << ' ' << paths;
                ASSERT_TRUE(plan->even);
                const auto back = real_load(request, *plan, {ends.dst, ends.src});
                ASSERT_EQ(most(back), plan->reverse_max_load) << h.name;
            }
    }
}

// Both ends, each planning for itself, come to the same ports; and both directions are even.
TEST(plan, symmetric)
{
    for (const std::uint32_t paths : {4U, 5U, 6U, 12U, 24U}) {
        const auto ends = pair("10.0.0.7", "10.0.0.2");
        plan_request request{100, {{model(crc32), paths, {}}}, ends, sport_min, sport_max};
        const auto here = plan_flows(request);
        request.pair = address_pair{ends.dst, ends.src};
        const auto there = plan_flows(request);
        ASSERT_TRUE(here && there);
        EXPECT_TRUE(here->symmetric);
        for (std::size_t i = 0; i < here->qps.size(); i++)
            ASSERT_EQ(here->qps[i].udp_sport, there->qps[i].udp_sport);
        EXPECT_EQ(here->max_load, here->ideal_load);
        EXPECT_EQ(here->reverse_max_load, here->ideal_load);
        EXPECT_EQ(there->max_load, there->ideal_load);
    }
}

TEST(plan, mod_needs_no_addresses)
{
    for (const std::uint32_t paths : {3U, 7U, 1000U}) {
        plan_request request{50, {{model(mod), paths, {}}}, {}, sport_min, sport_max};
        const auto plan = plan_flows(request);
        ASSERT_TRUE(plan);
        expect_sound(request, *plan);
        EXPECT_EQ(plan->numbers, path_numbers::absolute);
        EXPECT_TRUE(plan->even);
        for (const planned_qp &qp : plan->qps)
            EXPECT_EQ(qp.path, qp.udp_sport % paths);
    }
}

TEST(plan, a_device_s_smaller_range)
{
    for (const auto &[first, last] : std::vector<std::pair<std::uint16_t, std::uint16_t>>{
             {50000, 50099}, {0xd000, 0xdfff}, {65535, 65535}, {49152, 65534}})
        for (const std::uint32_t paths : {1U, 2U, 3U}) {
            plan_request request{
                20, {{model(crc16_arc), paths, {}}}, pair("10.0.0.1", "10.0.0.2"), first, last};
            const auto plan = plan_flows(request);
            if (paths > last - first + 1U) {
                ASSERT_FALSE(plan);
                continue;
            }
            ASSERT_TRUE(plan);
            expect_sound(request, *plan);
            ASSERT_EQ(most(real_load(request, *plan, *request.pair)), plan->max_load);
            if (last - first > 50) {
                EXPECT_TRUE(plan->even);
            }
        }
}

TEST(plan, weights)
{
    plan_request request{
        60, {{model(crc32), 3, {1, 2, 3}}}, pair("10.0.0.1", "10.0.0.2"), sport_min, sport_max};
    const auto plan = plan_flows(request);
    ASSERT_TRUE(plan);
    expect_sound(request, *plan);
    EXPECT_EQ(plan->load, (std::vector<std::uint64_t>{10, 20, 30}));
    EXPECT_EQ(plan->ideal_load, 30U);
    EXPECT_EQ(plan->random_load, 0) << "not computed for weights";
    for (const planned_qp &qp : plan->qps) {
        flow_key key;
        key.src = request.pair->src;
        key.dst = request.pair->dst;
        key.sport = qp.udp_sport;
        constexpr std::uint32_t owner[] = {0, 1, 1, 2, 2, 2};
        ASSERT_EQ(qp.path, owner[hash_flow(model(crc32), key) % 6]);
    }
    request.stages[0].weight = {5, 5, 5}; // none at all
    EXPECT_EQ((*plan_flows(request)).load, (std::vector<std::uint64_t>{20, 20, 20}));
    EXPECT_EQ((*plan_flows(request)).ideal_load, 20U);
    EXPECT_GT((*plan_flows(request)).random_load, 20);
    request.stages[0].weight = {0, 1, 1};
    const auto two = plan_flows(request);
    ASSERT_TRUE(two);
    EXPECT_EQ(two->load, (std::vector<std::uint64_t>{0, 30, 30}));
}

TEST(plan, stages_with_different_hashes)
{
    plan_request request{
        64, {{model(crc16_ccitt), 4, {}}, {model(crc16_arc), 8, {}}}, {}, sport_min, sport_max};
    const auto plan = plan_flows(request);
    ASSERT_TRUE(plan);
    expect_sound(request, *plan);
    EXPECT_TRUE(plan->even);
    EXPECT_EQ(plan->paths, 32U);
    EXPECT_EQ(plan->max_load, 2U);
    ASSERT_EQ(plan->stages.size(), 2U);
    EXPECT_EQ(plan->stages[1].added, 3U);
    EXPECT_EQ(most(real_load(request, *plan, pair("10.0.0.1", "10.0.0.2"))), 2U);
    // every number of queue pairs is even over the first stage, too
    for (const std::uint64_t qps : {1U, 2U, 3U, 4U, 5U, 9U}) {
        request.qps = qps;
        std::array<std::uint64_t, 4> first{};
        const auto some = plan_flows(request);
        ASSERT_TRUE(some);
        for (const planned_qp &qp : some->qps)
            first[qp.path % 4]++;
        EXPECT_EQ(*std::max_element(first.begin(), first.end()), (qps + 3) / 4) << qps;
    }
}

// What chance makes of it has no more paths than the ports reach. Values: simulated in Python over
// random ports, and 8 where no port matters.
TEST(plan, chance_has_the_reachable_paths)
{
    plan_request request{
        48, {{model(crc16_ccitt), 4, {}}, {model(crc16_ccitt), 4, {}}}, {}, sport_min, sport_max};
    auto plan = plan_flows(request);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->reachable, 4U);
    EXPECT_NEAR(plan->random_load, 15.6, 0.1);

    request = {8, {{model(crc32), 4, {}}}, {}, sport_min, sport_max};
    request.stages[0].hash.fields = field_src | field_dst;
    plan = plan_flows(request);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->random_load, 8);
    EXPECT_FALSE(plan->even);
    EXPECT_TRUE(plan->even_under.empty()) << "without the port no hash can be even";
}

TEST(plan, weights_are_even_when_the_shares_are_met)
{
    plan_request request{24, {{model(crc32), 7, {9, 1, 1, 1, 1, 1, 1}}}, {}, sport_min, sport_max};
    request.pair = pair("10.0.0.1", "10.0.0.2");
    const auto plan = plan_flows(request);
    ASSERT_TRUE(plan);
    // The shares are 14.4 and six times 1.6.
    EXPECT_EQ(plan->ideal_load, 15U);
    EXPECT_EQ(plan->load, (std::vector<std::uint64_t>{14, 2, 2, 2, 2, 1, 1}));
    EXPECT_TRUE(plan->even);
}

TEST(plan, polarised_stages_are_named)
{
    plan_request request{
        16, {{model(crc16_ccitt), 4, {}}, {model(crc16_ccitt), 4, {}}}, {}, sport_min, sport_max};
    request.stages[1].hash.seed = 0x1234; // does not help
    auto plan = plan_flows(request);
    ASSERT_TRUE(plan);
    expect_sound(request, *plan);
    EXPECT_FALSE(plan->even);
    EXPECT_EQ(plan->reachable, 4U);
    EXPECT_EQ(plan->stages[1].reached, 2U);
    EXPECT_EQ(plan->stages[1].added, 0U);
    EXPECT_EQ(plan->stages[1].shares_with, 1U);
    EXPECT_EQ(plan->max_load, 4U);
    EXPECT_TRUE(std::any_of(plan->notes.begin(), plan->notes.end(), [](const std::string &n) {
        return n.starts_with("polarised: stage 2");
    }));
    EXPECT_EQ(real_load(request, *plan, pair("10.0.0.1", "10.0.0.2")).size(), 4U);

    request.stages[1].hash.offset = 2; // other bits of the same hash
    plan = plan_flows(request);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->even);
    EXPECT_EQ(plan->reachable, 16U);
    EXPECT_EQ(plan->stages[1].shares_with, 0U);

    request.stages[1].hash.offset = 1; // one bit in common
    plan = plan_flows(request);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->reachable, 8U);
    EXPECT_EQ(plan->stages[1].added, 1U);
}

// Of one hash, the choices among a and b paths are those of lcm(a, b).
TEST(plan, polarised_stages_of_other_numbers_are_named)
{
    const struct {
        std::uint32_t first, second, reachable;
        hash_kind hash;
        bool polarised;
    } cases[] = {
        {6, 6, 6, crc16_arc, true},    {6, 4, 12, crc16_arc, true}, {6, 5, 30, crc16_arc, false},
        {12, 18, 36, crc16_arc, true}, {6, 6, 36, crc32, false},    {5, 7, 35, crc32, false},
        {100, 120, 0, crc32, false}, // more pairs than the ports can meet
    };
    for (const auto &c : cases) {
        const plan_request request{1000,
                                   {{model(crc16_arc), c.first, {}}, {model(c.hash), c.second, {}}},
                                   pair("10.0.0.1", "10.0.0.2"),
                                   sport_min,
                                   sport_max};
        const auto plan = plan_flows(request);
        ASSERT_TRUE(plan);
        if (c.reachable != 0) {
            EXPECT_EQ(plan->reachable, c.reachable) << c.first << " " << c.second;
        }
        EXPECT_EQ(std::any_of(plan->notes.begin(), plan->notes.end(),
                              [](const std::string &n) {
                                  return n.starts_with("polarised: stage 2") &&
                                         n.find("what stage 1 chose by") != n.npos;
                              }),
                  c.polarised)
            << c.first << " " << c.second;
    }
    // Three of four buckets lead to path 0, and the fourth repeats the second stage's path 3.
    const plan_request weights{64,
                               {{model(crc32), 2, {3, 1}}, {model(crc32), 4, {}}},
                               pair("10.0.0.1", "10.0.0.2"),
                               sport_min,
                               sport_max};
    const auto plan = plan_flows(weights);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->reachable, 4U);
    EXPECT_TRUE(std::any_of(plan->notes.begin(), plan->notes.end(), [](const std::string &n) {
        return n.find("finds 2.0 of its 4 paths") != n.npos;
    }));
}

TEST(plan, stages_by_trying)
{
    plan_request request{90,
                         {{model(crc32), 3, {}}, {model(crc16_arc), 5, {}}},
                         pair("10.0.0.1", "10.0.0.2"),
                         sport_min,
                         sport_max};
    const auto plan = plan_flows(request);
    ASSERT_TRUE(plan);
    expect_sound(request, *plan);
    EXPECT_TRUE(plan->even);
    EXPECT_EQ(plan->max_load, 6U);
    EXPECT_EQ(most(real_load(request, *plan, *request.pair)), 6U);
    request.pair.reset();
    const auto none = plan_flows(request);
    ASSERT_FALSE(none);
    EXPECT_NE(none.err().remedy.find("addresses"), std::string::npos);
}

TEST(plan, a_hash_that_does_not_see_ports)
{
    hash_model blind = model(crc16_ccitt);
    blind.fields = field_src | field_dst;
    const auto plan = plan_flows({8, {{blind, 8, {}}}, {}, sport_min, sport_max});
    ASSERT_TRUE(plan);
    EXPECT_FALSE(plan->even);
    EXPECT_EQ(plan->reachable, 1U);
    EXPECT_EQ(plan->max_load, 8U);
    EXPECT_FALSE(plan->notes.empty());
    const auto narrow = plan_flows({64, {{model(xor4), 64, {}}}, {}, sport_min, sport_max});
    ASSERT_TRUE(narrow);
    EXPECT_EQ(narrow->reachable, 16U);
    EXPECT_FALSE(narrow->even);
}

// Without addresses and with 6 paths: the bound said holds for all addresses that are tried.
TEST(plan, any_constant)
{
    std::mt19937 random(2);
    for (const hash_kind kind : {crc16_ccitt, xor16, crc32}) {
        plan_request request{32, {{model(kind), 6, {}}}, {}, sport_min, sport_max};
        const auto plan = plan_flows(request);
        ASSERT_TRUE(plan);
        expect_sound(request, *plan);
        EXPECT_EQ(plan->numbers, path_numbers::unknown);
        EXPECT_TRUE(plan->load.empty());
        EXPECT_EQ(plan->qps[0].path, no_path);
        EXPECT_GE(plan->worst_load, 6U);
        EXPECT_EQ(plan->worst_exhaustive, kind != crc32);
        if (plan->worst_exhaustive) {
            for (int i = 0; i < 300; i++) {
                address_pair ends = pair("10.0.0.1", "10.0.0.2");
                for (std::size_t b = 0; b < 4; b++)
                    ends.src.byte[b] = static_cast<std::uint8_t>(random());
                ASSERT_LE(most(real_load(request, *plan, ends)), plan->worst_load);
            }
        }
    }
}

// The first 2^k ports of the order differ in the low k bits of all hashes.
TEST(plan, unknown_hash_is_spread_under_all_modelled_ones)
{
    for (const hash_kind kind : {hash_kind::unknown, jenkins})
        for (std::uint32_t paths = 2; paths <= 256; paths *= 2) {
            const plan_request request{paths, {{model(kind), paths, {}}}, {}, sport_min, sport_max};
            const auto plan = plan_flows(request);
            ASSERT_TRUE(plan);
            expect_sound(request, *plan);
            EXPECT_EQ(plan->numbers, path_numbers::unknown);
            EXPECT_FALSE(plan->even);
            EXPECT_EQ(plan->worst_load, paths);
            std::size_t expected = 0;
            for (const hash_info &h : hashes()) {
                if (h.width == 0 || paths > 1U << std::min<unsigned>(h.width, 16))
                    continue;
                expected++;
                for (const address_pair &ends :
                     {pair("10.0.0.1", "10.0.0.2"), pair("fd00::1", "fd00::2")}) {
                    plan_request check = request;
                    check.stages[0].hash = model(h.kind);
                    ASSERT_EQ(most(real_load(check, *plan, ends)), 1U) << h.name << ' ' << paths;
                }
                EXPECT_NE(std::find(plan->even_under.begin(), plan->even_under.end(), h.name),
                          plan->even_under.end());
            }
            EXPECT_EQ(plan->even_under.size(), expected);
        }
    std::set<std::uint16_t> all;
    for (std::uint32_t i = 0; i < sport_count; i++)
        all.insert(spread_sport(i));
    EXPECT_EQ(all.size(), sport_count);
    EXPECT_EQ(*all.begin(), sport_min);
}

TEST(plan, qpn_in_the_hash_cannot_be_planned)
{
    hash_model with = model(crc32);
    with.fields = five_tuple | field_qpn;
    const auto plan = plan_flows({8, {{with, 8, {}}}, {}, sport_min, sport_max});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->numbers, path_numbers::unknown);
    EXPECT_NE(plan->notes[0].find("QPN"), std::string::npos);
}

// Report 64: sixteen labels with sixteen ports.
TEST(plan, report_64_sixteen_different_ports)
{
    const auto plan =
        plan_flows({16, {{model(hash_kind::unknown), 16, {}}}, {}, sport_min, sport_max});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->distinct_sports, 16U);
}

TEST(plan, a_million_queue_pairs)
{
    const plan_request request{1000000, {{model(crc16_ccitt), 64, {}}}, {}, sport_min, sport_max};
    const auto plan = plan_flows(request);
    ASSERT_TRUE(plan);
    expect_sound(request, *plan);
    EXPECT_TRUE(plan->even);
    EXPECT_EQ(plan->max_load, 15625U);
    EXPECT_EQ(plan->distinct_sports, 16384U);
    EXPECT_FALSE(plan->notes.empty());
}

TEST(plan, caveats_are_there)
{
    EXPECT_GE(plan_caveats().size(), 3U);
    for (const std::string_view caveat : plan_caveats())
        EXPECT_FALSE(caveat.empty());
}

TEST(plan, bad_requests)
{
    const plan_stage good{model(crc32), 4, {}};
    plan_stage no_paths = good;
    no_paths.paths = 0;
    plan_stage weights = good;
    weights.weight = {1, 2};
    plan_stage zero_weights = good;
    zero_weights.weight = {0, 0, 0, 0};
    plan_stage huge_weights = good;
    huge_weights.weight = {0xffffffff, 0xffffffff, 1, 1};
    plan_stage many = good;
    many.paths = 1000000;
    plan_stage wide = good;
    wide.hash = {crc16_arc, five_tuple, 0, 0x10000};
    const address_pair mixed{*parse_address("10.0.0.1"), *parse_address("fd00::1")};
    const std::pair<plan_request, const char *> requests[] = {
        {{0, {good}, {}, sport_min, sport_max}, "no queue pairs"},
        {{std::uint64_t{1} << 60, {good}, {}, sport_min, sport_max}, "more than can be"},
        {{1, {}, {}, sport_min, sport_max}, "no stage"},
        {{1, {no_paths}, {}, sport_min, sport_max}, "0 paths"},
        {{1, {good, no_paths}, {}, sport_min, sport_max}, "stage 2"},
        {{1, {many}, {}, sport_min, sport_max}, "more paths than ports"},
        {{1, {many, many, many, many}, {}, sport_min, sport_max}, "more paths than ports"},
        {{1, {good}, {}, 50000, 49999}, "first is above"},
        {{1, {good}, {}, 50000, 50002}, "more paths than ports"},
        {{1, {good}, {}, 0x8cd1, sport_max}, "below 49152"},
        {{1, {weights}, {}, sport_min, sport_max}, "2 weights"},
        {{1, {zero_weights}, {}, sport_min, sport_max}, "add up to 0"},
        {{1, {huge_weights}, {}, sport_min, sport_max}, "add up to"},
        {{1, {wide}, {}, sport_min, sport_max}, "wider"},
        {{1, {good}, mixed, sport_min, sport_max}, "IPv6"},
    };
    for (const auto &[request, text] : requests) {
        const auto plan = plan_flows(request);
        ASSERT_FALSE(plan) << text;
        EXPECT_EQ(plan.err().code, EINVAL);
        EXPECT_NE(plan.err().reason.find(text), std::string::npos) << plan.err().reason;
    }
    EXPECT_TRUE(plan_flows({1, {{model(crc32), 1, {}}}, {}, sport_min, sport_max}));
    EXPECT_TRUE(plan_flows({1, {{model(crc32), 3, {}}}, {}, sport_min, sport_max}));
    EXPECT_TRUE(plan_flows({1, {{model(mod), 16384, {}}}, {}, sport_min, sport_max}));
    EXPECT_FALSE(plan_flows({1, {{model(mod), 16385, {}}}, {}, sport_min, sport_max}));
}

} // namespace
