// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Every dump and recording reads as it was printed; values from their sources (README.md of the fixtures).
#include "counter/snapshot.h"

#include "fixture.h"

#include <cerrno>
#include <filesystem>

namespace adp::counter {
namespace {

using test::fixture;
using test::lines;

snapshot read(const std::string &text)
{
    auto s = parse_snapshot(text);
    EXPECT_TRUE(bool(s)) << (s ? "" : s.err().reason);
    return s ? std::move(*s) : snapshot{};
}

const value *find(const std::vector<value> &values, const std::string &name)
{
    for (const value &v : values)
        if (v.name == name)
            return &v;
    return nullptr;
}

std::uint64_t number(const port_counters &p, const std::string &name)
{
    const value *v = find(p.values, name);
    if (v == nullptr)
        v = find(p.pma, name);
    EXPECT_NE(v, nullptr) << name;
    EXPECT_TRUE(v != nullptr && v->has_number()) << name;
    return v == nullptr ? UINT64_MAX : v->number;
}

// The names and numbers of a dump, read by this test in the simplest way that fits the file.
TEST(Dump, NameValueLists)
{
    for (const char *file : {"dumps/01-mlx5-procfs-fixture.txt", "dumps/09-hfi1-netdata-2020.txt",
                             "dumps/11-rxe-window-deltas-2026.txt"}) {
        const snapshot s = read(fixture(file));
        ASSERT_EQ(s.ports.size(), 1U) << file;
        std::size_t count = 0;
        for (const std::string &line : lines(fixture(file))) {
            std::istringstream in{line};
            std::string name;
            std::uint64_t wanted = 0;
            if (line.rfind("source:", 0) == 0 || !(in >> name >> wanted))
                continue;
            count++;
            EXPECT_EQ(number(s.ports[0], name), wanted) << file << " " << name;
        }
        EXPECT_EQ(s.ports[0].values.size() + s.ports[0].pma.size(), count) << file;
    }
    const snapshot mlx5 = read(fixture("dumps/01-mlx5-procfs-fixture.txt"));
    EXPECT_EQ(mlx5.ports[0].driver, "mlx5");
    EXPECT_TRUE(mlx5.ports[0].driver_guessed);
    EXPECT_EQ(find(mlx5.ports[0].values, "lifespan")->about->is, kind::gauge);
    EXPECT_EQ(read(fixture("dumps/09-hfi1-netdata-2020.txt")).ports[0].driver, "hfi1");
    EXPECT_EQ(read(fixture("dumps/11-rxe-window-deltas-2026.txt")).ports[0].driver, "rxe");
}

TEST(Dump, RdmaTextOneLineAPort)
{
    const snapshot oci = read(fixture("dumps/02-mlx5-oci-rdma-statistic.txt"));
    ASSERT_EQ(oci.ports.size(), 1U);
    EXPECT_EQ(oci.form, "rdma text");
    EXPECT_EQ(place(oci.ports[0]), "mlx5_2/1");
    EXPECT_EQ(oci.ports[0].values.size(), 29U);
    EXPECT_EQ(number(oci.ports[0], "rx_write_requests"), 18747U);
    // The vendor's order: by name only.
    EXPECT_EQ(oci.ports[0].values[10].name, "rx_dct_connect");
    const snapshot bond = read(fixture("dumps/06-mlx5-bond-rdma-statistic.txt"));
    EXPECT_EQ(place(bond.ports.at(0)), "mlx5_bond_0/1");
    EXPECT_EQ(number(bond.ports[0], "resp_cqe_error"), 3297U);
    EXPECT_EQ(number(bond.ports[0], "resp_cqe_flush_error"), 2792U);
}

TEST(Dump, RdmaTextBothForms)
{
    const snapshot s = read(fixture("dumps/03-mlx5-stat-show-2019.txt"));
    ASSERT_EQ(s.ports.size(), 1U);
    EXPECT_EQ(place(s.ports[0]), "rocep1s0f5/1");
    EXPECT_EQ(s.ports[0].values.size(), 21U);
    EXPECT_EQ(s.ports[0].driver, "mlx5");
    EXPECT_EQ(s.notes.size(), 1U) << "listed twice";
    const snapshot mana = read(fixture("dumps/08-mana-stat-show-2025.txt"));
    EXPECT_EQ(mana.ports.at(0).values.size(), 26U);
    EXPECT_EQ(number(mana.ports[0], "requester_timeout"), 45U);
    EXPECT_EQ(number(mana.ports[0], "requester_retries_exceeded"), 5U);
    EXPECT_EQ(find(mana.ports[0].values, "current_rate")->about->is, kind::gauge);
}

TEST(Dump, RdmaQpSets)
{
    const snapshot s = read(fixture("dumps/04-mlx5-stat-qp-show-2019.txt"));
    ASSERT_EQ(s.ports.size(), 1U);
    EXPECT_EQ(s.ports[0].set, 5U);
    EXPECT_EQ(s.ports[0].pid, 31609U);
    EXPECT_EQ(s.ports[0].comm, "client.1");
    EXPECT_EQ(s.ports[0].lqpn, std::vector<std::uint32_t>{178});
    EXPECT_EQ(s.ports[0].values.size(), 18U);
    EXPECT_EQ(s.ports[0].values[0].name, "rx_write_requests");
    EXPECT_TRUE(s.notes.empty());
}

TEST(Dump, GrepWithPaths)
{
    const snapshot s = read(fixture("dumps/07-mlx5-byteps-sysfs-2019.txt"));
    ASSERT_EQ(s.ports.size(), 1U);
    EXPECT_EQ(place(s.ports[0]), "mlx5_0/1");
    EXPECT_EQ(number(s.ports[0], "local_ack_timeout_err"), 2705U);
    EXPECT_EQ(number(s.ports[0], "np_cnp_sent"), 1333U);
    EXPECT_EQ(s.ports[0].values.size(), 6U);
}

TEST(Dump, NotANumber)
{
    const snapshot s = read(fixture("dumps/13-i40iw-counters-no-pma.txt"));
    ASSERT_EQ(s.ports.size(), 1U);
    EXPECT_EQ(s.ports[0].dev, "i40iw0");
    EXPECT_TRUE(s.ports[0].values.empty());
    EXPECT_EQ(s.ports[0].pma.size(), 8U);
    for (const value &v : s.ports[0].pma) {
        EXPECT_EQ(v.is, state::unreadable);
        EXPECT_EQ(v.reason, "N/A (no PMA)");
        EXPECT_EQ(v.error, ENODATA);
    }
}

TEST(Dump, OptionalCounters)
{
    const snapshot s = read(fixture("dumps/15-mlx5-optional-mode-2021.txt"));
    ASSERT_EQ(s.ports.size(), 2U);
    EXPECT_EQ(place(s.ports[1]), "rocep8s0f1/1");
    EXPECT_EQ(s.ports[1].values.size(), 3U);
    for (const value &v : s.ports[1].values)
        EXPECT_EQ(v.is, state::optional_off);
}

// Values known: 1000 V + i, i in the kernel's order.
void check_ports(const snapshot &s, std::size_t ports)
{
    ASSERT_EQ(s.ports.size(), ports);
    for (std::size_t p = 0; p < ports; p++) {
        ASSERT_EQ(s.ports[p].port, p + 1);
        ASSERT_EQ(s.ports[p].values.size(), 26U);
        const std::uint64_t vport = p == 1 || p == 2 ? p : 0; // the VFs
        for (std::size_t i = 0; i < 26; i++) {
            const value &v = s.ports[p].values[i];
            EXPECT_EQ(v.about, &table("mlx5")[i]) << v.name;
            EXPECT_TRUE(v.vport);
            const std::uint64_t wanted = vport == 2 && v.name == "vport_roce_adp_retrans_to"
                                             ? 4294967295
                                         : vport == 0 ? 0
                                                      : 1000 * vport + i + 1;
            EXPECT_EQ(v.number, wanted) << place(s.ports[p]) << " " << v.name;
        }
    }
}

TEST(Recording, RdmaTextAndJsonAreEqual)
{
    check_ports(read(fixture("vport/sriov72-d-switchdev-2vf-up-rdma-statistic.txt")), 6);
    check_ports(read(fixture("vport/sriov72-d-switchdev-2vf-up-rdma-statistic-json.txt")), 6);
    check_ports(read(fixture("vport/sriov72-d-switchdev-2vf-up-rdma-statistic-pretty.txt")), 6);
}

// iproute2 7.3 puts each counter on a line of its own.
TEST(Recording, RdmaTextOfNewerIproute2)
{
    std::string text;
    for (const std::string &line :
         lines(fixture("vport/sriov72-d-switchdev-2vf-up-rdma-statistic.txt"))) {
        std::istringstream in{line};
        std::string word, name, number;
        in >> word >> name;
        text += word + " " + name + "\n";
        while (in >> name >> number)
            text += "    " + name + " " + number + "\n";
    }
    check_ports(read(text), 6);
}

TEST(Recording, SysfsTree)
{
    const snapshot s = read(fixture("vport/sriov72-d-switchdev-2vf-up-sysfs.txt"));
    ASSERT_FALSE(s.ports.empty());
    EXPECT_TRUE(s.ports[0].at_device);
    EXPECT_EQ(s.ports[0].dev, "mlx5_0");
    EXPECT_EQ(s.ports[0].values.size(), 32U);
    EXPECT_EQ(number(s.ports[0], "rp_cnp_handled"), 5000000000U);
    EXPECT_EQ(number(s.ports[0], "local_ack_timeout_err"), 42U);
    ASSERT_GE(s.ports.size(), 7U);
    EXPECT_EQ(s.ports[3].port, 3U);
    EXPECT_EQ(number(s.ports[3], "vport_roce_adp_retrans_to"), 4294967295U);
    EXPECT_EQ(number(s.ports[3], "vport_out_of_sequence"), 2006U);
}

TEST(Recording, ARefusedPortHidesNoOther)
{
    bool seen = false;
    for (const auto &file :
         std::filesystem::directory_iterator{std::string{ADP_FIXTURES} + "/counter/vport"}) {
        const std::string name = file.path().filename();
        if (name.rfind("sriov72-x", 0) != 0 || name.find("-sysfs.txt") == std::string::npos)
            continue;
        seen = true;
        const snapshot s = read(fixture("vport/" + name));
        ASSERT_GE(s.ports.size(), 7U);
        EXPECT_EQ(number(s.ports[2], "vport_out_of_sequence"), 1006U);
        const value *refused = find(s.ports[3].values, "vport_out_of_sequence");
        ASSERT_NE(refused, nullptr);
        EXPECT_EQ(refused->is, state::unreadable);
        EXPECT_EQ(refused->error, EINVAL);
        EXPECT_EQ(number(s.ports[4], "vport_out_of_sequence"), 0U);
    }
    EXPECT_TRUE(seen);
}

// Each file reads, and never gives a name or number that is not in it.
TEST(Recording, EveryFileReads)
{
    std::size_t files = 0;
    for (const auto &file :
         std::filesystem::directory_iterator{std::string{ADP_FIXTURES} + "/counter/vport"}) {
        const std::string name = file.path().filename();
        if (name.find("-names.txt") != std::string::npos ||
            name.find("-netdevs.txt") != std::string::npos ||
            name.find("-rdma-link-json.txt") != std::string::npos ||
            name.find("-devlink-port-json.txt") != std::string::npos)
            continue;
        const std::string text = fixture("vport/" + name);
        auto s = parse_snapshot(text);
        files++;
        if (text == "[]\n" || text == "[ ]\n") {
            ASSERT_FALSE(s);
            EXPECT_EQ(s.err().code, ENODATA) << name;
            continue;
        }
        ASSERT_TRUE(bool(s)) << name << ": " << s.err().reason;
        EXPECT_TRUE(s->notes.empty()) << name << ": " << s->notes.front();
        for (const port_counters &p : s->ports) {
            EXPECT_EQ(p.driver, "mlx5");
            for (const value &v : p.values) {
                EXPECT_NE(text.find(v.name), std::string::npos);
                EXPECT_NE(v.about->what, concept_id::unknown) << name << " " << v.name;
                if (v.has_number()) {
                    EXPECT_NE(text.find(std::to_string(v.number)), std::string::npos);
                }
            }
        }
    }
    EXPECT_GT(files, 40U);
}

TEST(Forms, Listings)
{
    const std::string wanted_names[] = {"duplicate_request", "out_of_sequence"};
    const std::string forms[] = {
        "duplicate_request:7\nout_of_sequence:9\n",
        "duplicate_request: 7\r\nout_of_sequence: 9\r\n",
        "==> duplicate_request <==\n7\n\n==> out_of_sequence <==\n9\n",
        "==> /sys/class/infiniband/mlx5_0/ports/1/hw_counters/duplicate_request <==\n7\n\n"
        "==> /sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence <==\n9\n",
        "duplicate_request\n7\nout_of_sequence\n9\n",
        "duplicate_request  out_of_sequence\n7\n9\n",
        "$ ls\nduplicate_request\nout_of_sequence\n$ cat *\n7\n9\n",
        "total 0\n-r--r--r-- 1 root root 4096 Jul  1 14:38 duplicate_request\n"
        "-r--r--r-- 1 root root 4096 Jul  1 14:38 out_of_sequence\n7\n9\n",
        "Port 1 hw counters:\nduplicate_request: 7\nout_of_sequence: 9\n",
        "root@host:/sys/class/infiniband/mlx5_0/ports/1/hw_counters# grep . *\n"
        "duplicate_request:7\nout_of_sequence:9\n",
        "mlx5_0/ports/1/hw_counters/duplicate_request = 7\n"
        "mlx5_0/ports/1/hw_counters/out_of_sequence = 9\n",
        "./hw_counters/duplicate_request:7\n./hw_counters/out_of_sequence:9\n",
        R"([{"ifname":"mlx5_0","port":1,"duplicate_request":7,"out_of_sequence":9}])",
    };
    for (const std::string &form : forms) {
        const snapshot s = read(form);
        ASSERT_EQ(s.ports.size(), 1U) << form;
        ASSERT_EQ(s.ports[0].values.size(), 2U) << form;
        EXPECT_EQ(number(s.ports[0], wanted_names[0]), 7U) << form;
        EXPECT_EQ(number(s.ports[0], wanted_names[1]), 9U) << form;
        EXPECT_TRUE(s.notes.empty()) << form << s.notes.front();
    }
    EXPECT_EQ(place(read(forms[3]).ports[0]), "mlx5_0/1");
    EXPECT_EQ(place(read(forms[9]).ports[0]), "mlx5_0/1");
    EXPECT_EQ(read(forms[8]).ports[0].port, 1U);
}

TEST(Forms, ErrorsOfTheTools)
{
    const snapshot s =
        read("$ cd /sys/class/infiniband/mlx5_0/ports/1/hw_counters\n"
             "grep: lifespan: Permission denied\n"
             "cat: out_of_buffer: Invalid argument\n"
             "tail: cannot open 'rx_dct_connect' for reading: No such file or directory\n"
             "duplicate_request:1\n");
    EXPECT_EQ(find(s.ports.at(0).values, "lifespan")->error, EACCES);
    EXPECT_EQ(find(s.ports[0].values, "out_of_buffer")->error, EINVAL);
    EXPECT_EQ(find(s.ports[0].values, "rx_dct_connect")->error, ENOENT);
    EXPECT_EQ(number(s.ports[0], "duplicate_request"), 1U);
    EXPECT_EQ(place(s.ports[0]), "mlx5_0/1");
}

TEST(Forms, NamesWithBlanksAndCommas)
{
    const snapshot s = read("link irdma0/1 RNR sent 1 RNR received 2 Nak Sequence Error 3 "
                            "Nak Sequence Error Implied 4 RTO 5 Rcvd Out of order packets 6\n");
    EXPECT_EQ(s.ports.at(0).values.size(), 6U);
    EXPECT_EQ(number(s.ports[0], "Nak Sequence Error"), 3U);
    EXPECT_EQ(number(s.ports[0], "Nak Sequence Error Implied"), 4U);
    EXPECT_EQ(number(s.ports[0], "Rcvd Out of order packets"), 6U);
    const snapshot grep = read("hw_counters/Rcvd Out of order packets:6\nhw_counters/RTO:5\n");
    EXPECT_EQ(number(grep.ports.at(0), "Rcvd Out of order packets"), 6U);
    const snapshot hfi = read("link hfi1_0/1\n    SwLinkUp,32 4\n    RcTimeOut 1\n");
    EXPECT_EQ(number(hfi.ports.at(0), "SwLinkUp,32"), 4U);
}

// Keys of rdma's own and counters share one object.
TEST(Forms, ACounterNamedPort)
{
    const snapshot s = read(R"([{"ifname":"x0","port":1,"port":77,"ifname":5,"%s%n":3,"a,b":4}])");
    EXPECT_EQ(s.ports.at(0).port, 1U);
    EXPECT_EQ(number(s.ports[0], "port"), 77U);
    EXPECT_EQ(number(s.ports[0], "ifname"), 5U);
    EXPECT_EQ(number(s.ports[0], "%s%n"), 3U);
    EXPECT_EQ(number(s.ports[0], "a,b"), 4U);
    EXPECT_EQ(number(read("link x0/1 port 77 %s 3\n").ports.at(0), "port"), 77U);
}

TEST(Forms, RdmaJsonOfSets)
{
    const snapshot s = read(R"([{"ifindex":0,"ifname":"mlx5_2","port":1,"cntn":5,"qp-type":"RC",)"
                            R"("pid":31609,"comm":"x","rx_write_requests":3,"lqpn":[178,179]}])");
    EXPECT_EQ(s.ports.at(0).set, 5U);
    EXPECT_EQ(s.ports[0].lqpn, (std::vector<std::uint32_t>{178, 179}));
    EXPECT_EQ(s.ports[0].comm, "x");
    EXPECT_EQ(s.ports[0].values.size(), 1U);
}

TEST(Forms, NodeExporter)
{
    const snapshot s = read(fixture("node-exporter.prom"));
    ASSERT_EQ(s.ports.size(), 2U);
    EXPECT_EQ(s.form, "node_exporter");
    EXPECT_EQ(place(s.ports[1]), "rocep1s0f0/1");
    EXPECT_EQ(s.ports[1].driver, "mlx5");
    EXPECT_EQ(s.ports[1].speed_mbps, 200000U);
    EXPECT_EQ(number(s.ports[1], "port_rcv_packets"), 22367955U);
    EXPECT_EQ(number(s.ports[1], "local_ack_timeout_err"), 0U);
    EXPECT_EQ(number(s.ports[1], "port_data_received_bytes_total"), 22447398712U);
    EXPECT_EQ(find(s.ports[1].pma, "port_data_received_bytes_total")->about->in, unit::bytes);
    const snapshot efa =
        read("node_amazonefa_retrans_pkts{device=\"rdmap16s27\",port=\"1\"} 12\n"
             "node_amazonefa_recv_wrs{device=\"rdmap16s27\",port=\"1\"} 3.319097e+06\n");
    EXPECT_EQ(efa.ports.at(0).driver, "efa");
    EXPECT_EQ(number(efa.ports[0], "recv_wrs"), 3319097U);
    // Not exact any more: no number rather than a wrong one.
    const snapshot big =
        read("node_infiniband_rx_write_requests_total{device=\"a\",port=\"1\"} 1e+17\n");
    EXPECT_EQ(big.ports.at(0).values.at(0).is, state::unreadable);
}

TEST(Forms, Deltas)
{
    const snapshot s = read("out_of_sequence +120000\npacket_seq_err +0\n");
    EXPECT_TRUE(s.is_delta);
    EXPECT_EQ(number(s.ports.at(0), "out_of_sequence"), 120000U);
    EXPECT_FALSE(read("out_of_sequence 120000\n").is_delta);
    EXPECT_TRUE(read(format_snapshot(s)).is_delta);
}

TEST(Snapshot, ReadsWhatItWrites)
{
    snapshot s = read(fixture("vport/sriov72-d-switchdev-2vf-up-sysfs.txt"));
    s.time_ms = 1795000000123;
    s.uptime_ms = 4321;
    s.boot_id = "8d5e5c0e-0000-4000-8000-000000000001";
    s.host = "h\"1\n";
    s.ports[1].dev_index = 3;
    s.ports[1].netdev = "enp1s0npf0vf0";
    s.ports[1].function = "pf0vf0";
    s.ports[1].values.push_back(make_unreadable("mlx5", "odd \xff name", EINVAL, "why"));
    s.ports[1].values[0].is = state::not_measured;
    const snapshot again = read(format_snapshot(s));
    EXPECT_EQ(again.form, "snapshot");
    EXPECT_EQ(again.time_ms, s.time_ms);
    EXPECT_EQ(again.uptime_ms, s.uptime_ms);
    EXPECT_EQ(again.boot_id, s.boot_id);
    EXPECT_EQ(again.host, s.host);
    ASSERT_EQ(again.ports.size(), s.ports.size());
    EXPECT_EQ(again.ports[1].function, "pf0vf0");
    EXPECT_EQ(again.ports[1].dev_index, 3U);
    EXPECT_TRUE(again.ports[0].at_device);
    for (std::size_t p = 0; p < s.ports.size(); p++) {
        ASSERT_EQ(again.ports[p].values.size(), s.ports[p].values.size());
        for (std::size_t i = 0; i < s.ports[p].values.size(); i++) {
            const value &a = again.ports[p].values[i];
            const value &b = s.ports[p].values[i];
            EXPECT_EQ(a.is, b.is) << b.name;
            EXPECT_EQ(a.about, b.about) << b.name;
            if (b.has_number()) {
                EXPECT_EQ(a.number, b.number) << b.name;
            }
        }
    }
}

void refused(const std::string &text, int code, const std::string &says)
{
    auto s = parse_snapshot(text);
    ASSERT_FALSE(s) << text.substr(0, 200);
    EXPECT_EQ(s.err().code, code) << s.err().reason;
    EXPECT_NE(s.err().reason.find(says), std::string::npos) << s.err().reason;
}

TEST(Hostile, CutAndEditedSnapshots)
{
    snapshot s = read(fixture("dumps/02-mlx5-oci-rdma-statistic.txt"));
    const std::string text = format_snapshot(s);
    ASSERT_TRUE(bool(parse_snapshot(text)));
    for (std::size_t n = 1; n < text.size() - 2; n += 7) {
        const auto cut = parse_snapshot(text.substr(0, n));
        EXPECT_FALSE(cut) << n;
    }
    const auto edited = [&](const std::string &from, const std::string &to) {
        std::string t = text;
        const std::size_t at = t.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return t.replace(at, from.size(), to);
    };
    refused(edited("\"adp_statistic_snapshot\":1", "\"adp_statistic_snapshot\":2"), EINVAL,
            "version 2");
    refused(edited("18747", "-18747"), EINVAL, "rx_write_requests");
    refused(edited("18747", "187470000000000000000"), EINVAL, "rx_write_requests");
    refused(edited("18747", "1.5"), EINVAL, "rx_write_requests");
    refused(edited("18747", "null"), EINVAL, "rx_write_requests");
    refused(edited("18747", "\"18747\""), EINVAL, "rx_write_requests");
    refused(edited("\"measured\"", "\"well\""), EINVAL, "state");
    refused(edited("\"port_count\":1", "\"port_count\":2"), EINVAL, "1 of 2");
    refused(edited("\"counters\":[", "\"counters\":[7,"), EINVAL, "counters[0]");
    refused(edited("\"port\":1", "\"port\":\"1\""), EINVAL, "port");
}

TEST(Hostile, Numbers)
{
    const snapshot s =
        read("a_count:-5\nb_count:99999999999999999999999\nc_count:18446744073709551615\n"
             "d_count:18446744073709551616\n");
    EXPECT_EQ(find(s.ports.at(0).values, "a_count")->is, state::unreadable);
    EXPECT_EQ(find(s.ports[0].values, "a_count")->error, ERANGE);
    EXPECT_EQ(find(s.ports[0].values, "b_count")->error, ERANGE);
    EXPECT_EQ(number(s.ports[0], "c_count"), UINT64_MAX);
    EXPECT_EQ(find(s.ports[0].values, "d_count")->is, state::unreadable);
    const snapshot j =
        read(R"([{"ifname":"a","port":1,"x":-1,"y":1e3,"z":99999999999999999999,"t":"n"}])");
    for (const value &v : j.ports.at(0).values)
        EXPECT_EQ(v.is, state::unreadable) << v.name;
}

TEST(Hostile, Sizes)
{
    std::string many;
    for (int i = 0; i < 300; i++)
        many += "counter_" + std::to_string(i) + ":" + std::to_string(i) + "\n";
    EXPECT_EQ(read(many).ports.at(0).values.size(), 300U);
    refused(std::string(1U << 20, 'x'), EINVAL, "no counters");
    refused(std::string(1U << 20, '\n'), EINVAL, "no counters");
    refused(std::string(1U << 20, '['), EINVAL, "");
    refused("{" + std::string(1U << 20, ' '), EINVAL, "JSON");
    refused("", EINVAL, "no counters");
    refused(std::string(100, '\0'), EINVAL, "");
    refused("[" + std::string(100000, '[') + "]", EINVAL, "");
    std::string deep = "{\"adp_statistic_snapshot\":";
    for (int i = 0; i < 1000; i++)
        deep += "[";
    refused(deep, EFBIG, "");
    const std::string huge(1U << 20, '9');
    EXPECT_EQ(read("a_count:" + huge).ports.at(0).values.at(0).is, state::unreadable);
    EXPECT_LT(read("a_count:" + huge).ports.at(0).values.at(0).reason.size(), 300U);
}

TEST(Hostile, NamesAndTexts)
{
    EXPECT_EQ(read("link x/1 %s%s%s%n 5\n").ports.at(0).values.at(0).name, "%s%s%s%n");
    refused("link x/99999999999 a 5\n", EINVAL, "no counters");
    refused("the quick brown fox\njumps over\n", EINVAL, "no counters");
    const snapshot s = read("duplicate_request\nout_of_sequence\n7\n\nrnr_nak_retry_err:1\n");
    EXPECT_EQ(s.ports.at(0).values.size(), 1U) << "two names and one number do not pair";
    EXPECT_EQ(s.notes.size(), 1U);
}

// What is on stays on when the list of what can be turned on comes after it.
TEST(Optional, ModeAndThenWhatIsSupported)
{
    const std::string on = "link rocep8s0f0/1 optional-counters cc_rx_ce_pkts\n";
    const std::string known =
        "link rocep8s0f0/1 supported optional-counters cc_rx_ce_pkts,cc_tx_cnp_pkts\n";
    const snapshot s = read(on + known);
    ASSERT_EQ(s.ports.size(), 1U);
    ASSERT_EQ(s.ports[0].values.size(), 2U);
    EXPECT_EQ(s.ports[0].values[0].is, state::unreadable) << "on, without a value";
    EXPECT_EQ(s.ports[0].values[1].is, state::optional_off);
    EXPECT_TRUE(s.notes.empty());
    const snapshot alone = read(known);
    EXPECT_EQ(alone.ports.at(0).values.at(0).is, state::optional_off);
}

TEST(Hostile, ASnapshotWithAPortTwice)
{
    auto s = parse_snapshot("link mlx5_0/1 packet_seq_err 5\n");
    ASSERT_TRUE(bool(s));
    s->form = "snapshot";
    EXPECT_TRUE(bool(parse_snapshot(format_snapshot(*s))));
    s->ports.push_back(s->ports.front());
    refused(format_snapshot(*s), EINVAL, "mlx5_0/1 is there twice");
}

TEST(Suspicion, OneSetForTwoPorts)
{
    // Of a switchdev device: the two VFs differ; the ports of zeros may not have been measured.
    const auto vport =
        suspicions(read(fixture("vport/sriov72-d-switchdev-2vf-up-rdma-statistic.txt")));
    ASSERT_EQ(vport.size(), 1U);
    EXPECT_NE(vport[0].find("mlx5_0/6"), std::string::npos) << "the uplink";
    EXPECT_NE(vport[0].find("nobody measured"), std::string::npos);
    const snapshot s = read("link mlx5_0/1 out_of_sequence 3 packet_seq_err 2\n"
                            "link mlx5_0/2 out_of_sequence 3 packet_seq_err 2\n");
    ASSERT_EQ(suspicions(s).size(), 1U);
    EXPECT_NE(suspicions(s)[0].find("mlx5_0/2"), std::string::npos);
}

// Reports: R47, R48, R50, R53.
TEST(Report, VportNamesOfAListing)
{
    const snapshot s = read(fixture("reports/R47-vport-listing.txt"));
    ASSERT_EQ(s.ports.size(), 1U);
    for (const value &v : s.ports[0].values) {
        EXPECT_TRUE(v.vport) << v.name;
        EXPECT_NE(v.about->what, concept_id::unknown) << v.name;
    }
    EXPECT_EQ(find(s.ports[0].values, "vport_local_ack_timeout_err")->about->name,
              "local_ack_timeout_err");
    EXPECT_FALSE(parse_snapshot(":5\n"));
}

TEST(Report, ZeroIsNotHealthy)
{
    const snapshot s = read(fixture("reports/R48-devx-zero.txt"));
    const auto found = suspicions(s);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("DEVX"), std::string::npos);
}

TEST(Report, TextInsteadOfANumber)
{
    const snapshot s = read(fixture("reports/R50-na-no-pma.txt"));
    ASSERT_EQ(s.ports.at(0).pma.size(), 2U);
    for (const value &v : s.ports[0].pma)
        EXPECT_EQ(v.reason, "N/A (no PMA)");
}

TEST(Report, UnknownCountersAreShown)
{
    const snapshot s = read(fixture("reports/R53-mlx5-no-bytes.txt"));
    EXPECT_EQ(number(s.ports.at(0), "future_unknown_counter"), 1U);
    EXPECT_EQ(number(s.ports[0], "rnr_nak_retry_err"), 2U);
}

} // namespace
} // namespace adp::counter
