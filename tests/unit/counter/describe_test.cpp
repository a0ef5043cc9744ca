// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Names from what kernels printed (recordings, public dumps); meanings from the sources they cite.
#include "counter/counter.h"

#include "fixture.h"

#include <algorithm>
#include <set>
#include <utility>

namespace adp::counter {
namespace {

using test::fixture;
using test::lines;

// The folders of a -names recording: folder -> names.
std::vector<std::pair<std::string, std::vector<std::string>>> folders(const std::string &file)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> all;
    for (const std::string &line : lines(fixture("vport/" + file))) {
        if (!line.empty() && line.back() == ':')
            all.push_back({line.substr(0, line.size() - 1), {}});
        else if (!all.empty() && !line.empty())
            all.back().second.push_back(line);
    }
    return all;
}

std::vector<std::string_view> views(const std::vector<std::string> &names)
{
    return {names.begin(), names.end()};
}

TEST(Describe, EveryNameOfTheRecordingsIsKnown)
{
    const auto all = folders("sriov72-d-switchdev-2vf-up-names.txt");
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].second.size(), 32U);
    for (const auto &[folder, names] : all) {
        for (const std::string &name : names) {
            const lookup found = describe("mlx5_core", name);
            EXPECT_TRUE(found.known()) << folder << " " << name;
            EXPECT_EQ(found.vport, name.rfind("vport_", 0) == 0) << name;
        }
    }
}

TEST(Describe, NothingLacksWhereEverythingIsThere)
{
    const auto all = folders("sriov72-d-switchdev-2vf-up-names.txt");
    EXPECT_TRUE(missing("mlx5", views(all[0].second), true, false).empty());
    EXPECT_TRUE(missing("mlx5", views(all[2].second), false, true).empty());
}

std::set<std::string> gates(const std::vector<value> &values)
{
    std::set<std::string> all;
    for (const value &v : values) {
        EXPECT_EQ(v.is, state::not_exposed);
        EXPECT_FALSE(v.has_number());
        all.insert(v.gate);
    }
    return all;
}

// Recordings i and j were made with these capability bits off.
TEST(Describe, WhatLacksIsNamedWithItsCapability)
{
    const auto i = folders("sriov72-i-without-roce_accl-enhanced_error-names.txt");
    const auto device = missing("mlx5", views(i[0].second), true, false);
    EXPECT_EQ(device.size(), 15U);
    EXPECT_EQ(gates(device), (std::set<std::string>{"roce_accl", "enhanced_error_q_counters"}));
    const auto port = missing("mlx5", views(i[2].second), false, true);
    EXPECT_EQ(port.size(), 15U);
    EXPECT_TRUE(std::any_of(port.begin(), port.end(), [](const value &v) {
        return v.name == "vport_req_transport_retries_exceeded" &&
               v.gate == "enhanced_error_q_counters";
    }));
    const auto j = folders("sriov72-j-without-retransmission-out_of_seq-names.txt");
    EXPECT_EQ(gates(missing("mlx5", views(j[0].second), true, false)),
              (std::set<std::string>{"out_of_seq_cnt", "retransmission_q_counters"}));
}

// 6.1 has the groups but not their newest names: the kernel lacks them, not the device.
TEST(Describe, AnOldKernelIsNoMissingCapability)
{
    const auto all = folders("sriov61-a-legacy-2vf-names.txt");
    ASSERT_FALSE(all.empty());
    const auto lacking = missing("mlx5", views(all[0].second), false, false);
    std::set<std::string> names;
    for (const value &v : lacking) {
        names.insert(v.name);
        EXPECT_TRUE(v.gate.empty()) << v.name;
        EXPECT_NE(v.reason.find("since 6."), std::string::npos) << v.reason;
    }
    EXPECT_EQ(names, (std::set<std::string>{"req_rnr_retries_exceeded",
                                            "req_transport_retries_exceeded", "rx_dct_connect"}));
}

TEST(Describe, SidesAreWhatSourcesSay)
{
    const auto end = [](const char *driver, const char *name) {
        return describe(driver, name).about->end;
    };
    EXPECT_EQ(end("mlx5", "local_ack_timeout_err"), side::requester);
    EXPECT_EQ(end("mlx5", "packet_seq_err"), side::requester);
    EXPECT_EQ(end("mlx5", "duplicate_request"), side::responder);
    EXPECT_EQ(end("mlx5", "out_of_buffer"), side::responder);
    // No source names these.
    EXPECT_EQ(end("mlx5", "out_of_sequence"), side::unknown);
    EXPECT_EQ(end("mlx5", "roce_adp_retrans"), side::unknown);
    EXPECT_EQ(end("irdma", "RTO"), side::unknown);
    EXPECT_EQ(end("mlx4", "rq_num_oos"), side::responder);
    EXPECT_EQ(end("mana", "responder_oos"), side::responder);
    EXPECT_EQ(end("rxe", "out_of_seq_request"), side::responder);
    EXPECT_EQ(end("hfi1", "RcSeqNak"), side::responder);
    for (const std::string_view driver : drivers())
        for (const description &d : table(driver))
            EXPECT_EQ(d.end == side::unknown, d.end_basis == basis::none)
                << driver << " " << d.name;
}

TEST(Describe, OneConceptHasManyNames)
{
    const auto what = [](const char *driver, const char *name) {
        return describe(driver, name).about->what;
    };
    for (const auto &[driver, name] :
         std::vector<std::pair<const char *, const char *>>{{"mlx5", "local_ack_timeout_err"},
                                                            {"mlx5", "vport_local_ack_timeout_err"},
                                                            {"mlx4", "sq_num_to"},
                                                            {"bnxt_re", "to_retransmits"},
                                                            {"bnxt_en", "local_ack_timeout_err"},
                                                            {"irdma", "RTO"},
                                                            {"mana", "requester_timeout"},
                                                            {"efa", "retrans_timeout_events"},
                                                            {"hfi1", "RcTimeOut"}})
        EXPECT_EQ(what(driver, name), concept_id::ack_timeout) << driver << " " << name;
    EXPECT_EQ(describe("bnxt_re", "out_of_sequence").about,
              describe("bnxt_re", "oos_drop_count").about);
    EXPECT_EQ(what("irdma", "Nak Sequence Error Implied"), concept_id::implied_nak);
    EXPECT_EQ(what("irdma", "tcpRetransSegs"), concept_id::retransmitted);
    EXPECT_EQ(what("rxe", "out_of_sequence"), concept_id::out_of_sequence);
}

TEST(Describe, UnknownNamesAreKept)
{
    const value v = make_value("ionic", "tx_rdma_something_new", 7);
    EXPECT_EQ(v.name, "tx_rdma_something_new");
    EXPECT_EQ(v.number, 7U);
    ASSERT_NE(v.about, nullptr);
    EXPECT_EQ(v.about->what, concept_id::unknown);
    EXPECT_EQ(v.about->end, side::unknown);
    EXPECT_FALSE(describe("mlx5", "").known());
    EXPECT_FALSE(describe("mlx5", "vport_").known());
    EXPECT_FALSE(describe("mlx5", "vport_rp_cnp_ignored").known())
        << "congestion has no vport twin";
    EXPECT_FALSE(describe("rxe", "vport_rcvd_rnr_err").known());
}

TEST(Describe, PortCountersSaturate)
{
    EXPECT_EQ(make_value("", "port_xmit_wait", 4294967295, family::pma).is, state::saturated);
    EXPECT_EQ(make_value("", "port_xmit_wait", 4294967294, family::pma).is, state::measured);
    EXPECT_EQ(make_value("", "excessive_buffer_overrun_errors", 15, family::pma).is,
              state::saturated);
    EXPECT_EQ(make_value("", "link_downed", 255, family::pma).is, state::saturated);
    EXPECT_EQ(make_value("", "symbol_error", 65535, family::pma).is, state::saturated);
    EXPECT_EQ(describe("", "port_xmit_data", family::pma).about->in, unit::words);
    // Q counters wrap: their largest value is a value.
    EXPECT_EQ(make_value("mlx5", "vport_roce_adp_retrans_to", 4294967295).is, state::measured);
    // The same name in both folders.
    EXPECT_EQ(describe("rxe", "link_downed").about->width_bits, 64);
    EXPECT_EQ(describe("rxe", "link_downed", family::pma).about->width_bits, 8);
}

TEST(Describe, GuessesADriverFromNames)
{
    EXPECT_EQ(driver_of_device("mlx5_bond_0"), "mlx5");
    EXPECT_EQ(driver_of_device("rxe0"), "rxe");
    EXPECT_EQ(driver_of_device("rocep1s0f5"), "");
    const std::vector<std::string_view> mana = {"requester_timeout", "responder_oos", "tx_bytes"};
    EXPECT_EQ(driver_of_names(mana), "mana");
    const std::vector<std::string_view> mlx5 = {"local_ack_timeout_err", "out_of_sequence"};
    EXPECT_EQ(driver_of_names(mlx5), "mlx5");
    const std::vector<std::string_view> none = {"x", ""};
    EXPECT_EQ(driver_of_names(none), "");
}

TEST(Describe, EveryRowIsWhole)
{
    for (const std::string_view driver : drivers()) {
        std::set<std::string_view> seen;
        for (const description &d : table(driver)) {
            EXPECT_TRUE(seen.insert(d.name).second) << driver << " " << d.name << " twice";
            EXPECT_FALSE(d.meaning.empty()) << d.name;
            EXPECT_FALSE(d.source.empty()) << d.name;
            EXPECT_NE(d.what, concept_id::unknown) << d.name;
            EXPECT_TRUE(d.group.empty() || find_group(driver, d.group) != nullptr) << d.group;
        }
    }
}

TEST(Describe, FoldersThatAreNotThere)
{
    EXPECT_NE(no_counters("mlx5_core", true, false).gate.find("q_counter_other_vport"),
              std::string_view::npos);
    EXPECT_EQ(no_counters("mlx5", false, false).gate, "max_qp_cnt");
    EXPECT_FALSE(no_counters("siw", false, false).text.empty());
    EXPECT_TRUE(no_counters("unheard_of", false, false).text.empty());
}

} // namespace
} // namespace adp::counter
