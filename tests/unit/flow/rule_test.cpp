// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/derivation.h"
#include "flow/find.h"
#include "flow/knob.h"
#include "flow/rule.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace adp::flow;

TEST(rule, names_are_unique_and_found)
{
    std::set<std::string> names;
    for (const rule_row &row : sport_rules()) {
        EXPECT_TRUE(names.insert(std::string{row.name}).second) << row.name;
        EXPECT_EQ(find_sport_rule(row.name), &row);
        std::istringstream words{std::string{row.alias}};
        for (std::string word; words >> word;) {
            EXPECT_TRUE(names.insert(word).second) << word;
            EXPECT_EQ(find_sport_rule(word), &row);
        }
        // What is called verified names where.
        if (row.connected.trust == confidence::verified) {
            EXPECT_FALSE(row.source.empty()) << row.name;
        }
    }
    EXPECT_EQ(find_sport_rule("cxgb4"), nullptr);
    EXPECT_EQ(find_sport_rule(""), nullptr);
    EXPECT_EQ(find_sport_rule("ice i40e"), nullptr) << "one name at a time";
    EXPECT_EQ(find_sport_rule("i40e")->name, "irdma") << "by the driver of its PCI function";
    for (const char *name :
         {"mlx5", "rxe", "irdma", "hns", "erdma", "mana", "ionic", "bnxt_re", "mlx4"})
        EXPECT_TRUE(find_sport_rule(name) && find_sport_rule(name)->driver) << name;
}

TEST(rule, derives_connected_ports)
{
    // rows of the vector file: QPNs 0x1234 and 0x5678 give label 0x60002, port 49178
    for (const char *driver :
         {"mlx5", "mlx5_core", "rxe", "irdma", "hns", "erdma", "mana", "ionic"}) {
        const derived_sport known = derive_sport(driver, 0, 0x1234, 0x5678);
        EXPECT_EQ(known.sport, 49178) << driver;
        EXPECT_EQ(known.label, 0x60002U) << driver;
        EXPECT_EQ(known.source, sport_source::derived) << driver;
        EXPECT_EQ(derive_sport(driver, std::nullopt, 0x1234, 0x5678).source, sport_source::assumed);
        EXPECT_EQ(derive_sport(driver, std::nullopt, 0x1234, 0x5678).sport, 49178);
        EXPECT_EQ(derive_sport(driver, 1, 0x1234, 0x5678).sport, 49153);
        EXPECT_EQ(derive_sport(driver, 0xffffffff, 0x1234, 0x5678).sport, 65472);
        EXPECT_EQ(derive_sport(driver, 0xffffffff, 0x1234, 0x5678).label, 0xfffffU);
        EXPECT_EQ(derive_sport(driver, 0x100000, 0x1234, 0x5678).sport, 49152);
    }
    EXPECT_EQ(derive_sport("mlx5", 0, 0x1234, 0).source, sport_source::unknown);
    EXPECT_EQ(derive_sport("rxe", 0, 0x11, 0).sport, 57236); // vector 66
    for (const char *driver : {"bnxt_re", "mlx4", "siw", "efa", "cxgb4", "nccl", ""}) {
        const derived_sport none = derive_sport(driver, 0, 0x1234, 0x5678);
        EXPECT_EQ(none.sport, 0) << driver;
        EXPECT_EQ(none.source, sport_source::unknown) << driver;
        EXPECT_FALSE(none.reason.empty());
    }
}

TEST(rule, derives_ports_of_datagrams)
{
    const derived_sport rxe = derive_datagram_sport("rdma_rxe", 0x11, false);
    EXPECT_EQ(rxe.sport, 57236); // vector 66
    EXPECT_EQ(rxe.source, sport_source::derived);
    EXPECT_EQ(derive_datagram_sport("bnxt_re", 1, true).sport, 36049) << "a constant, for QP1";
    EXPECT_EQ(derive_datagram_sport("bnxt_re", 0x11, false).source, sport_source::unknown);
    EXPECT_EQ(derive_datagram_sport("mlx4_core", 1, true).sport, 49152);
    for (const char *driver : {"mlx5", "irdma", "hns", "erdma", "siw", "efa", "cxgb4", "nccl", ""})
        for (const bool general_service : {false, true}) {
            const derived_sport none = derive_datagram_sport(driver, 0x11, general_service);
            EXPECT_EQ(none.sport, 0) << driver;
            EXPECT_EQ(none.source, sport_source::unknown) << driver;
            EXPECT_FALSE(none.reason.empty());
        }
}

TEST(rule, every_word_is_said)
{
    std::set<std::string_view> words;
    for (unsigned r = 0; r <= static_cast<unsigned>(sport_rule::own_label); r++)
        EXPECT_TRUE(words.insert(to_string(static_cast<sport_rule>(r))).second) << r;
    EXPECT_EQ(to_string(sport_source::qpc), "qpc");
    EXPECT_EQ(to_string(sport_source::derived), "derived");
    EXPECT_EQ(to_string(sport_source::assumed), "assumed");
    EXPECT_EQ(to_string(sport_source::unknown), "unknown");
    EXPECT_EQ(to_string(confidence::reported), "reported");
}

TEST(knob, traps_are_told)
{
    std::set<std::string_view> names;
    for (const knob &k : knobs()) {
        EXPECT_TRUE(names.insert(k.name).second) << k.name;
        EXPECT_EQ(find_knob(k.name), &k);
        if (k.trust == confidence::verified) {
            EXPECT_FALSE(k.source.empty()) << k.name;
        }
    }
    ASSERT_NE(find_knob("NCCL_IB_OOO_RQ"), nullptr);
    EXPECT_NE(find_knob("NCCL_IB_OOO_RQ")->trap.find("ncclInternalError"), std::string_view::npos);
    EXPECT_NE(find_knob("NCCL_IB_QPS_PER_CONNECTION")->trap.find("devices"),
              std::string_view::npos);
    EXPECT_EQ(find_knob("UCX_NO_SUCH"), nullptr);
}

bool names(const std::vector<found_derivation> &found, std::string_view name, bool likely)
{
    return std::any_of(found.begin(), found.end(), [&](const found_derivation &d) {
        return d.name == name && d.likely == likely;
    });
}

TEST(find, report_60_ucx_default_path)
{
    const auto found = find_derivations(65472);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->front().name, "ucx-verbs");
    EXPECT_EQ(found->front().label, 0xfffffU);
    EXPECT_TRUE(found->front().likely);
    EXPECT_NE(found->front().text.find("path 0"), std::string::npos);
    EXPECT_EQ((*find_derivations(65473)).front().label, 0xffffeU);
}

TEST(find, constants)
{
    const auto base = find_derivations(49152);
    ASSERT_TRUE(base);
    for (const char *name : {"nvshmem", "mlx4", "ucx-devx"})
        EXPECT_TRUE(names(*base, name, true)) << name;
    EXPECT_TRUE(names(*base, "qpn-hash", false)); // a QPN of 0

    const auto bnxt = find_derivations(36049);
    ASSERT_TRUE(bnxt);
    EXPECT_EQ(bnxt->size(), 1U);
    EXPECT_TRUE(names(*bnxt, "bnxt_re", true));

    const auto below = find_derivations(1000);
    ASSERT_TRUE(below);
    EXPECT_EQ(below->front().name, "none");
}

TEST(find, what_it_names_gives_the_port)
{
    for (const std::uint32_t port : {49152U, 49153U, 49513U, 55555U, 56506U, 65535U}) {
        const auto found = find_derivations(port);
        ASSERT_TRUE(found);
        for (const found_derivation &d : *found)
            if (d.label && *d.label != 0) {
                EXPECT_EQ(ibv_flow_label_to_udp_sport(*d.label), port) << d.text;
            }
        EXPECT_TRUE(names(*found, "rdma-cm", false));
        EXPECT_TRUE(names(*found, "rxe", false));
        EXPECT_TRUE(names(*found, "erdma", false));
        // the likely ones come first
        EXPECT_TRUE(std::is_partitioned(found->begin(), found->end(),
                                        [](const found_derivation &d) { return d.likely; }));
    }
}

TEST(find, options)
{
    find_options options;
    options.lqpn = 0x1234;
    options.rqpn = 0x5678;
    EXPECT_TRUE(names(*find_derivations(49178, options), "qpn-hash", true));
    EXPECT_FALSE(names(*find_derivations(49179, options), "qpn-hash", true));
    options.ucx_factor = 16;
    EXPECT_TRUE(names(*find_derivations(49168, options), "ucx-devx", true)); // vector 61
    EXPECT_FALSE(names(*find_derivations(49169, options), "ucx-devx", true));
    EXPECT_TRUE(names(*find_derivations(65488, options), "ucx-verbs", true)); // vector 60
    options.ucx_factor = 0;
    EXPECT_TRUE(find_derivations(49168, options));
}

// Vectors 66 and 70: a queue pair of rxe, without a peer.
TEST(find, one_queue_pair_of_rxe)
{
    find_options options;
    options.lqpn = 0xabcdef;
    EXPECT_TRUE(names(*find_derivations(58314, options), "rxe", true));
    EXPECT_FALSE(names(*find_derivations(57236, options), "rxe", true));
    EXPECT_FALSE(names(*find_derivations(57236, options), "rxe", false));
    options.lqpn = 0x11;
    EXPECT_TRUE(names(*find_derivations(57236, options), "rxe", true));
}

TEST(find, bad_ports)
{
    for (const std::uint32_t port : {0U, 65536U, 0xffffffffU}) {
        const auto found = find_derivations(port);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.err().code, EINVAL);
        EXPECT_NE(found.err().reason.find(std::to_string(port)), std::string::npos);
    }
}

} // namespace
