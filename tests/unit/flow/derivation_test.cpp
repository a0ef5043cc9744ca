// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fixture.h"
#include "flow/batch.h"
#include "flow/derivation.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <optional>
#include <random>
#include <set>
#include <utility>

namespace {

using namespace adp::flow;

std::uint32_t input(const std::string &cell)
{
    return cell.empty() ? 0 : fixture::number(cell);
}

TEST(derivation, agrees_with_all_80_vectors)
{
    const std::vector<std::string> lines = fixture::lines("flow_vectors.csv");
    ASSERT_EQ(lines.size(), 81U); // with the heading
    for (std::size_t i = 1; i < lines.size(); i++) {
        const std::vector<std::string> cell = fixture::cells(lines[i]);
        ASSERT_EQ(cell.size(), 9U) << lines[i];
        const std::string &function = cell[1];
        const std::uint32_t a = input(cell[2]);
        const std::uint32_t b = input(cell[3]);
        const std::uint32_t c = input(cell[4]);
        std::uint32_t sport = 0;
        std::optional<std::uint32_t> label;
        if (function == "calc_flow_label+fold") {
            label = calc_flow_label(a, b);
            sport = flow_label_to_udp_sport(*label);
        } else if (function.starts_with("fold")) {
            label = a;
            sport = flow_label_to_udp_sport(a);
        } else if (function == "rdma_get_udp_sport") {
            label = a != 0 ? a : calc_flow_label(b, c);
            sport = calc_udp_sport(a, b, c);
        } else if (function.starts_with("rdma_cm")) {
            label = cm_flow_label(a, b);
            sport = flow_label_to_udp_sport(*label);
        } else if (function.starts_with("UCX verbs")) {
            label = ucx_verbs_flow_label(a, b);
            sport = flow_label_to_udp_sport(*label);
        } else if (function.starts_with("UCX DEVX")) {
            sport = ucx_devx_udp_sport(a, b);
        } else if (function.starts_with("rxe initial")) {
            sport = rxe_initial_udp_sport(a);
        } else if (function.starts_with("erdma")) {
            sport = erdma_ah_udp_sport(a);
        } else if (function.starts_with("inverse")) {
            label = udp_sport_to_flow_label(a);
            sport = flow_label_to_udp_sport(*label);
        } else {
            FAIL() << "unknown function: " << lines[i];
        }
        EXPECT_EQ(sport, fixture::number(cell[6])) << lines[i];
        EXPECT_EQ(sport, fixture::number(cell[7])) << lines[i];
        if (label) {
            EXPECT_EQ(*label, fixture::number(cell[5])) << lines[i];
        } else {
            EXPECT_TRUE(cell[5].empty()) << lines[i];
        }
    }
}

TEST(derivation, agrees_with_rdma_core_over_all_labels)
{
    for (std::uint32_t label = 0; label <= label_mask; label++)
        ASSERT_EQ(flow_label_to_udp_sport(label), ibv_flow_label_to_udp_sport(label)) << label;
    EXPECT_EQ(flow_label_to_udp_sport(0xffffffff), ibv_flow_label_to_udp_sport(0xffffffff));
    EXPECT_EQ(sport_min, IB_ROCE_UDP_ENCAP_VALID_PORT_MIN);
    EXPECT_EQ(sport_max, IB_ROCE_UDP_ENCAP_VALID_PORT_MAX);
    EXPECT_EQ(label_mask, static_cast<std::uint32_t>(IB_GRH_FLOWLABEL_MASK));
}

constexpr std::uint32_t edges[] = {0,       1,        2,        17,       0x3ff,    0x400,
                                   0xfffff, 0x100000, 0x7fffff, 0x800000, 0xfffffe, 0xffffff};

// The product in three parts, as the facts describe the fold.
std::uint32_t label_by_parts(std::uint32_t l, std::uint32_t r)
{
    const std::uint64_t p = std::uint64_t{l} * r;
    return static_cast<std::uint32_t>((p >> 40) ^ (p >> 20 & 0xfffff) ^ (p & 0xfffff));
}

TEST(derivation, label_is_symmetric_and_masked)
{
    std::mt19937 random(1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const std::uint32_t l : edges)
        for (const std::uint32_t r : edges)
            pairs.emplace_back(l, r);
    for (int i = 0; i < 100000; i++)
        pairs.emplace_back(random() & qpn_mask, random() & qpn_mask);
    for (const auto &[l, r] : pairs) {
        const std::uint32_t label = calc_flow_label(l, r);
        ASSERT_EQ(label, label_by_parts(l, r)) << l << ' ' << r;
        ASSERT_EQ(label, calc_flow_label(r, l)) << l << ' ' << r;
        ASSERT_EQ(label, calc_flow_label(l | 0xff000000, r | 0x5000000)) << l << ' ' << r;
        ASSERT_LE(label, label_mask);
    }
}

TEST(derivation, every_port_has_64_labels_and_they_are_all)
{
    std::vector<bool> seen(label_mask + 1, false);
    for (std::uint32_t port = sport_min; port <= sport_max; port++) {
        const label_set set = udp_sport_to_flow_labels(port);
        ASSERT_EQ(set.count, 64U);
        for (std::size_t i = 0; i < 64; i++) {
            ASSERT_EQ(ibv_flow_label_to_udp_sport(set.label[i]), port);
            ASSERT_TRUE(i == 0 || set.label[i] > set.label[i - 1]);
            ASSERT_FALSE(seen[set.label[i]]);
            seen[set.label[i]] = true;
        }
        const std::uint32_t smallest = set.label[0] != 0 ? set.label[0] : set.label[1];
        ASSERT_EQ(udp_sport_to_flow_label(port), smallest);
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
}

TEST(derivation, ports_below_the_range_have_no_label)
{
    for (const std::uint32_t port : {0U, 1U, 0x8cd1U, 0xbfffU}) {
        EXPECT_EQ(udp_sport_to_flow_label(port), 0U);
        EXPECT_EQ(udp_sport_to_flow_labels(port).count, 0U);
    }
    EXPECT_EQ(udp_sport_to_flow_label(0x5c001), 1U); // masked to 16 bits
}

// core/cma.c: the flow information of an IPv6 source address goes first.
TEST(derivation, cm_label_takes_ipv6_flow_information)
{
    EXPECT_EQ(cm_flow_label(4420, 50000, 0x12345), 0x12345U);
    EXPECT_EQ(cm_flow_label(4420, 50000, 0xfff12345), 0x12345U);
    EXPECT_EQ(cm_flow_label(4420, 50000, 0xfff00000), 0x2da8cU); // no label in it
    EXPECT_EQ(cm_flow_label(0x11144, 50000), cm_flow_label(0x1144, 50000));
}

TEST(derivation, report_67_cm_ports)
{
    for (const std::string &line : fixture::lines("R67-cm-flow.txt")) {
        const std::vector<std::string> cell = fixture::cells(line, ' ');
        const std::uint32_t label =
            cm_flow_label(fixture::number(cell[0]), fixture::number(cell[1]));
        EXPECT_EQ(label, fixture::number(cell[2])) << line;
        EXPECT_EQ(flow_label_to_udp_sport(label), fixture::number(cell[3])) << line;
    }
}

TEST(derivation, report_65_qpn_pairs)
{
    const std::vector<std::string> lines = fixture::lines("R65-qpn-vectors.txt");
    ASSERT_EQ(lines.size(), 9U);
    for (const std::string &line : lines) {
        const std::vector<std::string> cell = fixture::cells(line, ' ');
        const std::uint32_t l = fixture::number(cell[0]);
        const std::uint32_t r = fixture::number(cell[1]);
        EXPECT_EQ(calc_flow_label(l, r), fixture::number(cell[2])) << line;
        EXPECT_EQ(calc_udp_sport(0, l, r), fixture::number(cell[3])) << line;
        EXPECT_EQ(calc_udp_sport(0, r, l), fixture::number(cell[3])) << line;
    }
}

TEST(derivation, reports_60_and_64_labels)
{
    for (const std::string &line : fixture::lines("R60-ucx-sport.txt")) {
        const std::vector<std::string> cell = fixture::cells(line, ' ');
        EXPECT_EQ(flow_label_to_udp_sport(fixture::number(cell[1])), fixture::number(cell[3]));
    }
    for (const std::string &line : fixture::lines("R64-label-collisions.txt")) {
        const std::vector<std::string> cell = fixture::cells(line, ' ');
        EXPECT_EQ(flow_label_to_udp_sport(fixture::number(cell[0])), fixture::number(cell[1]));
    }
    EXPECT_EQ(nvshmem_udp_sport(0), 49152); // report 61
    EXPECT_EQ(nvshmem_udp_sport(0x12), 49170);
}

// Facts 1.1: squares cluster in the low bits; neighbours of two ranges do not.
TEST(derivation, squares_cluster)
{
    std::array<int, 8> square{};
    std::array<int, 8> shifted{};
    for (std::uint32_t i = 0; i < 64; i++) {
        square[calc_udp_sport(0, 0x11 + i, 0x11 + i) % 8]++;
        shifted[calc_udp_sport(0, 0x1000 + i, 0x2000 + i) % 8]++;
    }
    EXPECT_EQ(std::count(square.begin(), square.end(), 0), 5);
    EXPECT_EQ(*std::max_element(square.begin(), square.end()), 32);
    EXPECT_EQ(shifted, (std::array<int, 8>{8, 8, 8, 8, 8, 8, 8, 8}));
}

class batch : public testing::TestWithParam<batch_path> {};

// Lengths around the vectors' widths, unaligned, and nothing written beyond the end.
TEST_P(batch, same_as_one_by_one)
{
    if (!available(GetParam()))
        GTEST_SKIP() << to_string(GetParam()) << ": not on this machine";
    std::mt19937 random(7);
    for (const std::size_t n : {0U, 1U, 7U, 15U, 16U, 17U, 31U, 33U, 64U, 1000U})
        for (const std::size_t shift : {0U, 1U, 3U}) {
            std::vector<std::uint32_t> in(n + 8), l(n + 8), r(n + 8), label(n + 8, 0xdeadbeef);
            std::vector<std::uint16_t> sport(n + 8, 0xbeef);
            for (std::size_t i = 0; i < in.size(); i++) {
                in[i] = i % 3 == 0 ? 0U : static_cast<std::uint32_t>(random());
                l[i] = i % 5 == 0 ? edges[random() % std::size(edges)]
                                  : static_cast<std::uint32_t>(random());
                r[i] = i % 7 == 0 ? edges[random() % std::size(edges)]
                                  : static_cast<std::uint32_t>(random());
            }
            in[shift] = 0x100000;
            const auto run = [&](bool given, bool hashed, bool labels, bool sports) {
                std::fill(label.begin(), label.end(), 0xdeadbeef);
                std::fill(sport.begin(), sport.end(), std::uint16_t{0xbeef});
                run_batch({given ? in.data() + shift : nullptr, hashed ? l.data() + shift : nullptr,
                           hashed ? r.data() + shift : nullptr,
                           labels ? label.data() + shift : nullptr,
                           sports ? sport.data() + shift : nullptr, n},
                          GetParam());
                for (std::size_t i = 0; i < n + 8; i++) {
                    const bool inside = i >= shift && i < n + shift;
                    const std::uint32_t hash =
                        hashed ? label_by_parts(l[i] & 0xffffff, r[i] & 0xffffff) : 0;
                    const std::uint32_t one = given && (in[i] != 0 || !hashed) ? in[i] : hash;
                    ASSERT_EQ(label[i], inside && labels ? one : 0xdeadbeef) << n << ' ' << i;
                    ASSERT_EQ(sport[i],
                              inside && sports ? ibv_flow_label_to_udp_sport(one) : 0xbeef)
                        << n << ' ' << i;
                }
            };
            run(false, true, true, true);
            run(false, true, true, false);
            run(false, true, false, true);
            run(true, false, false, true);
            run(true, true, false, true);
        }
}

INSTANTIATE_TEST_SUITE_P(paths, batch, testing::Values(batch_path::plain, batch_path::avx2),
                         [](const auto &path) { return std::string(to_string(path.param)); });

TEST(batch_api, shortest_span_decides)
{
    const std::vector<std::uint32_t> l{0x11, 0x57, 0x3340};
    const std::vector<std::uint32_t> r{0x12, 0x58};
    std::vector<std::uint32_t> labels(3, 99);
    std::vector<std::uint16_t> sports(3, 9);
    calc_flow_labels(l, r, labels);
    EXPECT_EQ(labels, (std::vector<std::uint32_t>{0x132, 0x1de8, 99}));
    calc_udp_sports({}, l, r, sports);
    EXPECT_EQ(sports, (std::vector<std::uint16_t>{49458, 56808, 9}));
    calc_udp_sports(std::vector<std::uint32_t>{1}, l, r, sports);
    EXPECT_EQ(sports, (std::vector<std::uint16_t>{49153, 56808, 9}));
    flow_labels_to_udp_sports(std::vector<std::uint32_t>{0x3fff, 0x4001}, sports);
    EXPECT_EQ(sports, (std::vector<std::uint16_t>{65535, 49152, 9}));
    calc_flows(l, r, labels, std::span(sports).first(1));
    EXPECT_EQ(sports[0], 49458);
    EXPECT_EQ(sports[1], 49152);
    calc_flows({}, {}, {}, {});
}

} // namespace
