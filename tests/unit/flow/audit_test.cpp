// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fixture.h"
#include "flow/audit.h"
#include "flow/derivation.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace adp::flow;
using enum hash_kind;

audit_request over(std::uint32_t paths, hash_kind kind = mod)
{
    return {{{kind, five_tuple, 0, 0}, paths, {}}, {}};
}

flow_audit audited(std::string_view text, const audit_request &request)
{
    auto audit = audit_flows(parse_flows(text), request);
    EXPECT_TRUE(audit) << (audit ? "" : audit.err().reason);
    return audit ? *audit : flow_audit{};
}

const audit_cause *cause(const flow_audit &audit, cause_kind kind)
{
    const auto it = std::find_if(audit.causes.begin(), audit.causes.end(),
                                 [kind](const audit_cause &c) { return c.kind == kind; });
    return it == audit.causes.end() ? nullptr : &*it;
}

std::string lines(unsigned count, auto line)
{
    std::string text;
    for (unsigned i = 0; i < count; i++)
        text += line(i) + "\n";
    return text;
}

TEST(audit, counts)
{
    const flow_audit audit = audited("49152\n49153\n49153\n49156\n", over(4));
    EXPECT_EQ(audit.flows, 4U);
    EXPECT_EQ(audit.distinct_sports, 3U);
    EXPECT_EQ(audit.distinct_flows, 3U);
    EXPECT_EQ(audit.collisions, 1U);
    ASSERT_EQ(audit.shared.size(), 1U);
    EXPECT_EQ(audit.shared[0].sport, 49153);
    EXPECT_EQ(audit.shared[0].flows, 2U);
    EXPECT_EQ(audit.load, (std::vector<std::uint64_t>{2, 2, 0, 0}));
    EXPECT_EQ(audit.max_load, 2U);
    EXPECT_EQ(audit.ideal_load, 1U);
    EXPECT_DOUBLE_EQ(audit.mean_load, 1);
    EXPECT_DOUBLE_EQ(audit.max_over_mean, 2);
    EXPECT_DOUBLE_EQ(audit.entropy_bits, 1.5);
    EXPECT_DOUBLE_EQ(audit.ideal_bits, 2);
    EXPECT_NEAR(audit.expected.max_load, 2.12, 0.01);
    EXPECT_EQ(audit.numbers, path_numbers::absolute);
}

// Report 61 and its like: one port for all.
TEST(audit, report_61_all_on_one_port)
{
    const flow_audit audit = audited(fixture::text("R61-all-49152.txt"), over(8));
    EXPECT_EQ(audit.distinct_sports, 1U);
    EXPECT_EQ(audit.entropy_bits, 0);
    EXPECT_FALSE(std::signbit(audit.entropy_bits));
    EXPECT_EQ(audit.collisions, 7U);
    EXPECT_EQ(audit.max_load, 8U);
    ASSERT_NE(cause(audit, cause_kind::one_port), nullptr);
    EXPECT_EQ(cause(audit, cause_kind::one_port)->flows, 8U);
    EXPECT_NE(cause(audit, cause_kind::one_port)->text.find("NVSHMEM"), std::string::npos);
    EXPECT_EQ(cause(audit, cause_kind::unexplained), nullptr);
    EXPECT_EQ(cause(audit, cause_kind::override), nullptr);
}

TEST(audit, other_constants_are_named)
{
    const auto all = [](const char *port) {
        return lines(6, [port](unsigned) { return std::string(port); });
    };
    EXPECT_NE(
        cause(audited(all("65472"), over(4)), cause_kind::one_port)->text.find("UCX over verbs"),
        std::string::npos);
    EXPECT_NE(cause(audited(all("49513"), over(4)), cause_kind::one_port)
                  ->text.find("r_roce_min_src_udp_port"),
              std::string::npos);
    EXPECT_EQ(cause(audited("49152\n", over(4)), cause_kind::one_port), nullptr); // one flow
}

// Ports that were calculated here have no other cause than what they were calculated of.
TEST(audit, calculated_ports)
{
    const flow_audit pair =
        audited("0x11a 0x2c7 10.0.0.1 10.0.1.1\n0x2c7 0x11a 10.0.0.2 10.0.1.2\n", over(4));
    EXPECT_EQ(cause(pair, cause_kind::one_port), nullptr);
    ASSERT_NE(cause(pair, cause_kind::same_qpns), nullptr);
    EXPECT_EQ(cause(pair, cause_kind::same_qpns)->flows, 2U);
    EXPECT_NE(cause(pair, cause_kind::same_qpns)->text.find("0x11a"), std::string::npos);
    // R64: two labels that fold to one port.
    const flow_audit folded = audited("label 0x1\nlabel 0x4000\n", over(4));
    EXPECT_EQ(cause(folded, cause_kind::one_port), nullptr);
    ASSERT_FALSE(folded.causes.empty());
    EXPECT_EQ(folded.causes.front().kind, cause_kind::fold_collision);
    const flow_audit same = audited("label 0x7\nlabel 0x7\n", over(4));
    EXPECT_EQ(cause(same, cause_kind::one_port), nullptr);
    EXPECT_NE(cause(same, cause_kind::same_label), nullptr);
    // UCX's own label says more than that it is one label.
    EXPECT_NE(cause(audited("label 0xfffff\nlabel 0xfffff\n", over(4)), cause_kind::one_port),
              nullptr);
}

TEST(audit, ucx_paths)
{
    const flow_audit verbs =
        audited(lines(64, [](unsigned i) { return std::to_string(65472 + i % 2); }), over(8, mod));
    ASSERT_NE(cause(verbs, cause_kind::ucx_paths), nullptr);
    EXPECT_EQ(cause(verbs, cause_kind::ucx_paths)->flows, 64U);
    EXPECT_NE(cause(verbs, cause_kind::ucx_paths)->remedy.find("UCX_IB_NUM_PATHS"),
              std::string::npos);
    const flow_audit devx =
        audited(lines(64, [](unsigned i) { return std::to_string(49152 + i % 4); }), over(8, mod));
    EXPECT_NE(cause(devx, cause_kind::ucx_paths), nullptr);
    // planned consecutive ports, each once, are not that
    const flow_audit good =
        audited(lines(8, [](unsigned i) { return std::to_string(49152 + i); }), over(8, mod));
    EXPECT_TRUE(good.causes.empty());
    EXPECT_EQ(good.max_load, 1U);
}

TEST(audit, ports_of_one_second)
{
    const flow_audit audit = audited(
        lines(60, [](unsigned i) { return std::to_string(50000 + i / 15 * 1237); }), over(4));
    ASSERT_NE(cause(audit, cause_kind::repeated_ports), nullptr);
    EXPECT_NE(cause(audit, cause_kind::repeated_ports)->text.find("GDAKI"), std::string::npos);
}

// Facts 1.1: 64 pairs of equal QPNs from 0x11: 3 of 8 values, 32 on one.
TEST(audit, equal_qpns)
{
    const auto squares = [](unsigned i) {
        return std::to_string(0x11 + i) + " " + std::to_string(0x11 + i);
    };
    const flow_audit audit = audited(lines(64, squares), over(8));
    EXPECT_EQ(audit.max_load, 32U);
    ASSERT_NE(cause(audit, cause_kind::equal_qpns), nullptr);
    EXPECT_NE(cause(audit, cause_kind::equal_qpns)->text.find("3 of 8"), std::string::npos);
    const auto shifted = [](unsigned i) {
        return std::to_string(0x1000 + i) + " " + std::to_string(0x2000 + i);
    };
    const flow_audit good = audited(lines(64, shifted), over(8));
    EXPECT_EQ(good.max_load, 8U);
    EXPECT_EQ(cause(good, cause_kind::equal_qpns), nullptr);
}

TEST(audit, zero_qpn)
{
    const flow_audit audit = audited("5 0\n6 0\n7 0\n", over(2));
    ASSERT_NE(cause(audit, cause_kind::zero_qpn), nullptr);
    EXPECT_EQ(cause(audit, cause_kind::zero_qpn)->flows, 3U);
}

// Report 64: labels 1 and 0x4000 collide.
TEST(audit, report_64_label_collision)
{
    const flow_audit audit = audited("label 1\nlabel 0x4000\nlabel 7\n", over(2));
    ASSERT_NE(cause(audit, cause_kind::fold_collision), nullptr);
    EXPECT_NE(cause(audit, cause_kind::fold_collision)->text.find("0x1 and 0x4000"),
              std::string::npos);
    EXPECT_NE(cause(audit, cause_kind::fold_collision)->text.find("49153"), std::string::npos);
    EXPECT_EQ(cause(audit, cause_kind::same_label), nullptr);
    ASSERT_EQ(audit.shared.size(), 1U);
    EXPECT_EQ(audit.shared[0].sport, 49153);
    const flow_audit same = audited("label 5\nlabel 5\nlabel 7\nlabel 8\n", over(2));
    ASSERT_NE(cause(same, cause_kind::same_label), nullptr);
    EXPECT_EQ(cause(same, cause_kind::same_label)->flows, 1U);
    EXPECT_EQ(cause(same, cause_kind::fold_collision), nullptr);
}

TEST(audit, stride)
{
    const flow_audit audit =
        audited(lines(16, [](unsigned i) { return std::to_string(50000 + 12 * i); }), over(8));
    ASSERT_NE(cause(audit, cause_kind::stride), nullptr);
    EXPECT_NE(cause(audit, cause_kind::stride)->text.find("2 of 8 paths"), std::string::npos);
    EXPECT_EQ(audit.max_load, 8U);
    EXPECT_EQ(
        cause(audited(lines(16, [](unsigned i) { return std::to_string(50000 + 3 * i); }), over(8)),
              cause_kind::stride),
        nullptr);
}

TEST(audit, two_even_ports_are_no_stride)
{
    EXPECT_EQ(cause(audited("49152\n50000\n", over(2)), cause_kind::stride), nullptr);
    EXPECT_NE(
        cause(audited(lines(8, [](unsigned i) { return std::to_string(50000 + 2 * i); }), over(2)),
              cause_kind::stride),
        nullptr);
}

// Consecutive ports under CRC16-CCITT: 0x3730, 0x6e60 and 0xdcc0 leave the low four bits as they are.
TEST(audit, few_classes)
{
    const flow_audit audit = audited(lines(8, [](unsigned i) { return std::to_string(49152 + i); }),
                                     over(8, crc16_ccitt));
    EXPECT_EQ(audit.max_load, 8U);
    ASSERT_NE(cause(audit, cause_kind::few_classes), nullptr);
    EXPECT_NE(cause(audit, cause_kind::few_classes)->text.find("1 of 8 paths"), std::string::npos);
    EXPECT_EQ(audit.numbers, path_numbers::relative);
    EXPECT_FALSE(audit.notes.empty());
}

TEST(audit, port_not_hashed)
{
    audit_request request = over(4, crc32);
    request.stage.hash.fields = field_src | field_dst;
    const flow_audit audit = audited("49152 10.0.0.1 10.0.0.2\n49153 10.0.0.1 10.0.0.2\n"
                                     "49154 10.0.0.1 10.0.0.2\n",
                                     request);
    EXPECT_NE(cause(audit, cause_kind::port_not_hashed), nullptr);
    EXPECT_EQ(audit.max_load, 3U);
}

TEST(audit, remarks)
{
    const flow_audit few = audited("49152\n49153\n", over(8));
    ASSERT_NE(cause(few, cause_kind::few_flows), nullptr);
    EXPECT_NE(cause(few, cause_kind::few_flows)->text.find("at least 6"), std::string::npos);
    EXPECT_NE(cause(audited("36049\n49152\n", over(2)), cause_kind::below_range), nullptr);
    const flow_audit changed = audited("lqpn 0x11 rqpn 0x12 sport 55555\n"
                                       "lqpn 0x57 rqpn 0x58 sport 56808\n",
                                       over(2));
    ASSERT_NE(cause(changed, cause_kind::override), nullptr);
    EXPECT_EQ(cause(changed, cause_kind::override)->flows, 1U);
    const flow_audit pinned = audited("sport 49152 lag_tx_port_affinity 1\n"
                                      "sport 49153 lag_tx_port_affinity 1\n",
                                      over(2));
    EXPECT_NE(cause(pinned, cause_kind::queue_affinity), nullptr);
    EXPECT_EQ(cause(audited("sport 49152 lag_tx_port_affinity 1\n"
                            "sport 49153 lag_tx_port_affinity 2\n",
                            over(2)),
                    cause_kind::queue_affinity),
              nullptr);
}

// Random QPN pairs are no worse than chance, and said to be so.
TEST(audit, random_pairs_are_chance)
{
    std::mt19937 random(4);
    for (const std::uint32_t paths : {8U, 16U, 64U}) {
        std::string text;
        for (int i = 0; i < 512; i++)
            text += std::to_string(1 + random() % 0xffffff) + " " +
                    std::to_string(1 + random() % 0xffffff) + "\n";
        const flow_audit audit = audited(text, over(paths));
        EXPECT_NE(cause(audit, cause_kind::chance), nullptr) << paths;
        EXPECT_EQ(audit.causes.size(), 1U) << audit.causes.back().text;
    }
}

TEST(audit, worse_than_chance_without_a_cause)
{
    const flow_audit audit = audited(
        lines(64, [](unsigned i) { return std::to_string(50000 + 8 * i + (i % 9 == 0 ? 1 : 0)); }),
        over(8));
    EXPECT_NE(cause(audit, cause_kind::unexplained), nullptr);
}

// A plan, audited, is even: the two ways of computing agree.
TEST(audit, plan_is_even)
{
    const address_pair ends{*parse_address("10.0.0.1"), *parse_address("10.0.0.2")};
    for (const auto &[kind, paths] :
         std::vector<std::pair<hash_kind, std::uint32_t>>{{crc16_ccitt, 16},
                                                          {crc16_arc, 6},
                                                          {crc32, 10},
                                                          {xor16, 32},
                                                          {toeplitz, 8},
                                                          {mod, 5}}) {
        const plan_stage stage{{kind, five_tuple, 0, 0}, paths, {}};
        const auto plan = plan_flows({3 * paths, {stage}, ends, sport_min, sport_max});
        ASSERT_TRUE(plan);
        std::string text;
        for (const planned_qp &qp : plan->qps)
            text += std::to_string(qp.udp_sport) + " 10.0.0.1 10.0.0.2\n";
        const flow_audit audit = audited(text, {stage, {}});
        EXPECT_EQ(audit.load, std::vector<std::uint64_t>(paths, 3));
        EXPECT_TRUE(audit.causes.empty());
        EXPECT_EQ(audit.collisions, 0U);
    }
}

TEST(audit, weights_are_shares)
{
    audit_request request = over(2);
    request.stage.weight = {1, 3};
    const flow_audit audit = audited("49152\n49153\n49154\n49155\n", request);
    EXPECT_EQ(audit.load, (std::vector<std::uint64_t>{1, 3}));
    EXPECT_DOUBLE_EQ(audit.max_over_mean, 1);
    EXPECT_EQ(audit.ideal_load, 3U) << "three quarters of four";
}

TEST(audit, one_pair_for_flows_without_addresses)
{
    audit_request request = over(3, crc32);
    const flow_list list = parse_flows("49152\n49153\n49154\n");
    EXPECT_FALSE(audit_flows(list, request));
    request.pair = address_pair{*parse_address("10.0.0.1"), *parse_address("10.0.0.2")};
    const auto audit = audit_flows(list, request);
    ASSERT_TRUE(audit);
    EXPECT_EQ(audit->numbers, path_numbers::absolute);
    // 0x043366c7 of the first (zlib), and its two neighbours
    std::vector<std::uint64_t> load(3, 0);
    for (const std::uint32_t h :
         {0x043366c7U, 0x043366c7U ^ 0x01c26a37U, 0x043366c7U ^ 0x0384d46eU})
        load[h % 3]++;
    EXPECT_EQ(audit->load, load);
}

TEST(audit, both_directions_are_noted)
{
    const flow_audit audit = audited("1.0 IP 10.0.0.1.49153 > 10.0.0.2.4791: UDP\n"
                                     "1.1 IP 10.0.0.2.49153 > 10.0.0.1.4791: UDP\n",
                                     over(2));
    EXPECT_TRUE(std::any_of(audit.notes.begin(), audit.notes.end(), [](const std::string &n) {
        return n.find("both directions") != std::string::npos;
    }));
    EXPECT_EQ(audit.collisions, 0U); // different addresses
}

TEST(audit, errors_are_counted_and_the_rest_too)
{
    const flow_audit audit = audited("49152\noops\n49153\n0\n", over(2));
    EXPECT_EQ(audit.flows, 2U);
    EXPECT_NE(std::find(audit.notes.begin(), audit.notes.end(), "2 lines in error are left out"),
              audit.notes.end());
}

TEST(audit, bad_requests)
{
    const auto refused = [](std::string_view text, const audit_request &request) {
        const auto audit = audit_flows(parse_flows(text), request);
        EXPECT_FALSE(audit) << text;
        if (audit)
            return std::string();
        EXPECT_EQ(audit.err().code, EINVAL);
        return audit.err().reason;
    };
    EXPECT_NE(refused("", over(4)).find("no flows"), std::string::npos);
    EXPECT_NE(refused("oops\n", over(4)).find("line 1: 'oops'"), std::string::npos);
    EXPECT_NE(refused("49152", over(0)).find("0 paths"), std::string::npos);
    EXPECT_NE(refused("49152", over(0xffffffff)).find("paths"), std::string::npos);
    EXPECT_NE(refused("49152", over(4, hash_kind::unknown)).find("cannot be computed"),
              std::string::npos);
    EXPECT_NE(refused("49152", over(4, jenkins)).find("jenkins"), std::string::npos);
    EXPECT_NE(refused("49152\n49152 10.0.0.1 10.0.0.2\n", over(4, crc32)).find("line 1"),
              std::string::npos);
    EXPECT_NE(refused("49152", over(3, crc32)).find("needs addresses"), std::string::npos);
    audit_request request = over(2);
    request.stage.weight = {1};
    EXPECT_NE(refused("49152", request).find("weights"), std::string::npos);
    request.stage.weight = {0, 0};
    EXPECT_NE(refused("49152", request).find("weights"), std::string::npos);
    request = over(2);
    request.stage.hash.seed = 1;
    EXPECT_NE(refused("49152", request).find("mod"), std::string::npos);
    // a million paths, one path, three
    EXPECT_EQ(audited("49152\n49153\n", over(1000000)).load.size(), 1000000U);
    EXPECT_EQ(audited("49152\n49153\n", over(1)).max_over_mean, 1);
    EXPECT_EQ(audited("49152\n49153\n", over(3)).load.size(), 3U);
}

TEST(audit, a_million_flows)
{
    std::string text;
    std::mt19937 random(6);
    for (int i = 0; i < 1000000; i++)
        text += std::to_string(49152 + random() % 16384) + "\n";
    const flow_audit audit = audited(text, over(64, crc16_arc));
    EXPECT_EQ(audit.flows, 1000000U);
    EXPECT_EQ(audit.distinct_sports, 16384U);
    EXPECT_GT(audit.entropy_bits, 13.9);
    EXPECT_NE(cause(audit, cause_kind::chance), nullptr);
}

} // namespace
