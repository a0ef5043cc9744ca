// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fixture.h"
#include "flow/flow_list.h"

#include <gtest/gtest.h>

namespace {

using namespace adp::flow;

// The one flow of a text that is not in error.
flow_record one(std::string_view text)
{
    const flow_list list = parse_flows(text);
    EXPECT_EQ(list.error_count, 0U)
        << text << ": " << (list.errors.empty() ? "" : list.errors[0].reason);
    EXPECT_EQ(list.flows.size(), 1U) << text;
    return list.flows.empty() ? flow_record{} : list.flows[0];
}

std::string reason(std::string_view text)
{
    const flow_list list = parse_flows(text);
    EXPECT_EQ(list.error_count, 1U) << text;
    return list.errors.empty() ? "" : list.errors[0].reason;
}

TEST(flow_list, ports_and_qpns)
{
    EXPECT_EQ(one("49152").sport, 49152);
    EXPECT_EQ(one("0xc001\n").sport, 49153);
    EXPECT_EQ(one("  49153 \r\n").sport, 49153);
    EXPECT_EQ(one("36049").sport, 36049); // bnxt_re
    const flow_record qpns = one("0x11 0x12");
    EXPECT_EQ(qpns.lqpn, 0x11U);
    EXPECT_EQ(qpns.rqpn, 0x12U);
    EXPECT_EQ(qpns.sport, 49458); // report 65
    EXPECT_EQ(qpns.has, has_qpns);
    EXPECT_EQ(one("178, 179").sport, 64631);
    EXPECT_EQ(one("0 5").sport, 49152);
}

TEST(flow_list, addresses_in_any_place)
{
    for (const char *text :
         {"10.0.0.1 10.0.0.2 49153", "49153 10.0.0.1 10.0.0.2", "10.0.0.1,49153,10.0.0.2",
          "10.0.0.1:49153 10.0.0.2:4791", "10.0.0.2:4791 10.0.0.1:49153",
          "udp ESTAB 0 0 10.0.0.1:49153 10.0.0.2:4791", "src 10.0.0.1 dst 10.0.0.2 sport 49153",
          "10.0.0.1 ::ffff:10.0.0.2 49153"}) {
        const flow_list list = parse_flows(text);
        ASSERT_EQ(list.flows.size(), 1U) << text;
        EXPECT_EQ(list.flows[0].sport, 49153) << text;
        ASSERT_EQ(list.pairs.size(), 1U) << text;
        EXPECT_EQ(to_string(list.pairs[0].src), "10.0.0.1") << text;
        EXPECT_EQ(to_string(list.pairs[0].dst), "10.0.0.2") << text;
    }
    const flow_list v6 = parse_flows("[fd00::1]:50000 [fd00::2]:4791\n0x11 0x12 fd00::1 fd00::2\n");
    ASSERT_EQ(v6.flows.size(), 2U);
    EXPECT_EQ(v6.pairs.size(), 1U);
    EXPECT_EQ(v6.flows[1].sport, 49458);
    EXPECT_EQ(to_string(v6.pairs[0].src), "fd00::1");
}

TEST(flow_list, tcpdump_text)
{
    const flow_list list = parse_flows(
        "tcpdump: verbose output suppressed\n"
        "12:00:00.000001 IP 10.0.0.1.49152 > 10.0.0.2.4791: UDP, length 64\n"
        "12:00:00.000002 IP 10.0.0.1.49152 > 10.0.0.2.4791: UDP, length 1040\n"
        "12:00:00.000003 IP 10.0.0.2.49152 > 10.0.0.1.4791: UDP, length 20\n"
        "12:00:00.000004 IP6 fd00::1.36049 > fd00::2.4791: UDP, length 20\n"
        "12:00:00.000005 aa:bb:cc:00:00:01 > aa:bb:cc:00:00:02, ethertype 802.1Q (0x8100), length "
        "98: "
        "vlan 7, p 0, ethertype IPv4 (0x0800), 10.0.0.1.500 > 10.0.0.2.4791: UDP, length 52\n"
        "12:00:00.000006 ARP, Request who-has 10.0.0.2 tell 10.0.0.1, length 28\n"
        "12:00:00.000007 IP 10.0.0.1.4791 > 10.0.0.2.53: UDP, length 20\n"
        "12:00:00.000008 IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 1, seq 1, length 64\n"
        "\t0x0000:  4500 0054 0000 4000 4001 0000 0a00 0001\n");
    EXPECT_EQ(list.error_count, 0U);
    ASSERT_EQ(list.flows.size(), 4U);
    EXPECT_EQ(list.flows[0].packets, 2U);
    EXPECT_EQ(list.flows[0].line, 2U);
    EXPECT_EQ(list.flows[1].packets, 1U);
    EXPECT_EQ(list.flows[2].sport, 36049);
    EXPECT_EQ(list.flows[3].sport, 500); // captured: a fact
    EXPECT_EQ(list.pairs.size(), 3U);
    EXPECT_EQ(list.ignored, 5U);
}

TEST(flow_list, verbose_tcpdump_text)
{
    const flow_list list =
        parse_flows("12:00:00.1 IP (tos 0x2, ttl 64, id 1, offset 0, flags [DF], proto UDP "
                    "(17), length 92)\n"
                    "    10.0.0.1.49999 > 10.0.0.2.4791: [no cksum] UDP, length 64\n"
                    "12:00:00.2 IP6 (class 0x02, flowlabel 0x12345, hlim 64, next-header UDP (17) "
                    "payload length: 72)"
                    " fd00::1.50001 > fd00::2.4791: UDP, length 64\n");
    EXPECT_EQ(list.error_count, 0U);
    ASSERT_EQ(list.flows.size(), 2U);
    EXPECT_EQ(list.flows[0].sport, 49999);
    EXPECT_EQ(list.flows[1].sport, 50001);
}

TEST(flow_list, tcpdump_with_host_names)
{
    EXPECT_NE(reason("1.0 IP node1.49152 > node2.4791: UDP").find("tcpdump -n"), std::string::npos);
    EXPECT_NE(reason("1.0 IP 10.0.0.1.70000 > 10.0.0.2.4791: UDP").find("70000"),
              std::string::npos);
}

TEST(flow_list, queue_pair_listings)
{
    const flow_list list = parse_flows(
        "link mlx5_0/1 lqpn 1 type GSI qp_state RTS comm [ib_core]\n"
        "link mlx5_0/1 lqpn 17 rqpn 18 type RC qp_state RTS pid 31609 comm sport udp_sport 49458\n"
        "link mlx5_0/1 lqpn 87 rqpn 88 type RC state RTS rq-psn 1 sq-psn 2 pid 1 comm x\n"
        "link mlx5_0/1 lqpn 89 type RC qp_state INIT udp_sport -\n"
        "link mlx5_0/1 lqpn 90 rqpn 1 type UD qp_state RTS\n"
        "link bnxt_re0/1 lqpn 91 rqpn 2 type RC qp_state RTS udp_sport 500\n"
        "link mlx5_0/1 lqpn 92 rqpn 3 type RC flow_label 0x4000 src 10.0.0.1 dst 10.0.0.2 "
        "lag_tx_port_affinity 2\n");
    EXPECT_EQ(list.error_count, 0U) << list.errors[0].reason;
    ASSERT_EQ(list.flows.size(), 4U);
    EXPECT_EQ(list.flows[0].sport, 49458);
    EXPECT_EQ(list.flows[0].has, has_qpns | has_sport);
    EXPECT_EQ(list.flows[1].sport, 56808);
    EXPECT_EQ(list.flows[2].sport, 500);
    EXPECT_EQ(list.flows[3].sport, 49153);
    EXPECT_EQ(list.flows[3].affinity, 2);
    EXPECT_EQ(list.ignored, 3U);
}

// As `adp -d qp` prints it; a program's name can have blanks in it.
TEST(flow_list, table_of_adp_qp)
{
    const flow_list list = parse_flows(
        "dev/port     lqpn      rqpn      type    state  pid     comm            port    known    "
        "to  retry  rnr    outst  peer\n"
        "mlx5_0/1     0x11      0x12      RC      RTS    100     my prog, x      49458   qpc      "
        "14  7/7    7/7    0      10.0.0.2\n"
        "    port: hash of the two numbers\n"
        "mlx5_0/1     0x13      -         RC      INIT   100     b               -       unknown  "
        "-   -      -      -      -\n"
        "mlx5_0/-     0x14      0x15      RC      RTS    -       -               49153   derived  "
        "-   -      -      -      -\n"
        "mlx5_0/1     0x16      0x1       UD      RTS    5       c               49154   qpc      "
        "-   -      -      -      -\n"
        "mlx5_0/1     0x17\n");
    ASSERT_EQ(list.flows.size(), 2U);
    EXPECT_EQ(list.flows[0].sport, 49458);
    EXPECT_EQ(list.flows[0].lqpn, 0x11U);
    EXPECT_EQ(list.flows[0].rqpn, 0x12U);
    EXPECT_EQ(list.flows[1].sport, 49153);
    EXPECT_EQ(list.ignored, 2U);
    ASSERT_EQ(list.error_count, 1U);
    EXPECT_EQ(list.errors[0].line, 7U);
}

TEST(flow_list, names_nearly_right)
{
    EXPECT_NE(reason("lqpn 17 rqpn 18 udp_sprot 49458").find("did you mean udp_sport"),
              std::string::npos);
    EXPECT_NE(
        reason("src 10.0.0.1 dst 10.0.0.2 sport 49152 flow_labl 3").find("did you mean flow_label"),
        std::string::npos);
    // Words of another matter are none of ours.
    EXPECT_EQ(one("dev mlx5_0 lqpn 17 rqpn 18 state RTS pid 7").sport, 49458);
}

TEST(flow_list, long_words_are_cut_and_a_byte_order_mark_is_none)
{
    EXPECT_LT(reason(std::string(10'000'000, 'x')).size(), 200U);
    EXPECT_LT(reason("lqpn " + std::string(1'000'000, 'x')).size(), 200U);
    EXPECT_EQ(one("\xef\xbb\xbf"
                  "49153\n")
                  .sport,
              49153);
}

TEST(flow_list, json)
{
    EXPECT_TRUE(parse_flows("[]").elements);
    EXPECT_FALSE(parse_flows("49152").elements);
    const flow_list list = parse_flows(R"( [
 {"dev":"mlx5_0","port":1,"lqpn":17,"rqpn":18,"type":"RC","flow_label":null,"udp_sport":null},
 {"dev":"mlx5_0","port":1,"lqpn":1,"rqpn":null,"type":"GSI","udp_sport":null},
 {"lqpn":19,"rqpn":20,"type":"RC","udp_sport":55555,"src":"10.0.0.1","dst":"10.0.0.2"},
 {"lqpn":16777216,"rqpn":20,"type":"RC"},
 {"lqpn":21,"rqpn":-1,"type":"RC"},
 7,
 {"lqpn":21,"rqpn":null,"type":"RC","udp_sport":null},
 {"udp_sport":49152}
])");
    EXPECT_EQ(list.lines, 8U);
    ASSERT_EQ(list.flows.size(), 3U);
    EXPECT_EQ(list.flows[0].sport, 49458);
    EXPECT_EQ(list.flows[1].sport, 55555);
    EXPECT_EQ(list.flows[1].line, 3U);
    EXPECT_EQ(list.ignored, 2U);
    ASSERT_EQ(list.error_count, 3U);
    EXPECT_EQ(list.errors[0].line, 4U);
    EXPECT_NE(list.errors[0].text.find("16777216"), std::string::npos);
    EXPECT_NE(list.errors[0].reason.find("24 bits"), std::string::npos);
    EXPECT_EQ(list.errors[1].line, 5U);
    EXPECT_EQ(list.errors[2].line, 6U);

    EXPECT_EQ(parse_flows("[]").error_count, 0U);
    EXPECT_EQ(reason("{\"lqpn\":1}"), "JSON, but not an array");
    const flow_list broken = parse_flows("[\n{\"lqpn\":1},\n{\"lqpn\":\n");
    ASSERT_EQ(broken.error_count, 1U);
    EXPECT_GE(broken.errors[0].line, 3U);
    EXPECT_EQ(broken.errors[0].reason, "not well-formed JSON");
    const std::string deep(100000, '[');
    EXPECT_EQ(parse_flows("[{\"src\":" + deep).error_count, 1U);
}

TEST(flow_list, a_comment_names_columns)
{
    const flow_list all = parse_flows(fixture::text("R61-all-49152.txt"));
    EXPECT_EQ(all.error_count, 0U);
    ASSERT_EQ(all.flows.size(), 8U);
    EXPECT_EQ(all.flows[0].sport, 49152);
    EXPECT_EQ(all.flows[0].lqpn, 101U);
    EXPECT_TRUE(all.notes.empty());

    const flow_list pairs = parse_flows(fixture::text("R65-qpn-vectors.txt"));
    EXPECT_EQ(pairs.error_count, 0U);
    ASSERT_EQ(pairs.flows.size(), 9U);
    EXPECT_EQ(pairs.flows[2].label, 0xca629U);
    EXPECT_EQ(pairs.flows[2].sport, 58907);

    EXPECT_EQ(parse_flows(fixture::text("R60-ucx-sport.txt")).flows.size(), 2U);
    EXPECT_EQ(one("# just words\n# port\n55555").sport, 55555);
    EXPECT_NE(reason("# lqpn rqpn udp_sport\n1 2\n").find("2 values for 3 columns"),
              std::string::npos);
}

TEST(flow_list, numbers_that_look_like_ports_are_asked_about)
{
    const flow_list list = parse_flows("101 49152\n102 49152\n");
    EXPECT_EQ(list.flows.size(), 2U);
    ASSERT_EQ(list.notes.size(), 1U);
    EXPECT_NE(list.notes[0].find("# qpn sport"), std::string::npos);
    EXPECT_NE(list.notes[0].find("# label sport"), std::string::npos);
}

// The report's sample: five labels and what each folds to (0x4000 >> 14 is bit 0; 0x3fff ^ 0x3f).
TEST(flow_list, labels_with_their_ports_are_recognised)
{
    const std::string text = fixture::text("R64-label-collisions.txt");
    const flow_list named = parse_flows("# label sport\n" + text);
    const flow_list list = parse_flows(text);
    ASSERT_EQ(list.flows.size(), 5U);
    ASSERT_EQ(named.flows.size(), 5U);
    EXPECT_TRUE(named.notes.empty());
    ASSERT_EQ(list.notes.size(), 1U);
    EXPECT_NE(list.notes[0].find("read as label and port"), std::string::npos);
    EXPECT_NE(list.notes[0].find("# lqpn rqpn"), std::string::npos);
    constexpr std::uint16_t ports[] = {49152, 49153, 49153, 49152, 65472};
    constexpr std::uint32_t labels[] = {0x0, 0x1, 0x4000, 0x4001, 0xfffff};
    for (std::size_t i = 0; i < 5; i++) {
        for (const flow_record &r : {list.flows[i], named.flows[i]}) {
            EXPECT_EQ(r.sport, ports[i]);
            EXPECT_EQ(r.label, labels[i]);
            EXPECT_EQ(r.has, has_label | has_sport);
            EXPECT_EQ(r.lqpn, 0U);
            EXPECT_EQ(r.rqpn, 0U);
        }
    }
    // With addresses too, and named as QPNs it stays what it is named.
    const flow_list with = parse_flows("0x4000 49153 10.0.0.1 10.0.0.2\n");
    ASSERT_EQ(with.flows.size(), 1U);
    EXPECT_EQ(with.flows[0].label, 0x4000U);
    EXPECT_EQ(with.pairs.size(), 1U);
    EXPECT_EQ(parse_flows("# lqpn rqpn\n0x4000 49153\n").flows[0].has, has_qpns);
}

TEST(flow_list, one_line_that_does_not_fold_is_of_qpns)
{
    for (const char *odd : {"0x2 49155", "0x100001 49153", "0x11 0x12"}) {
        const flow_list list = parse_flows("0x1 49153\n0x4000 49153\n" + std::string{odd} + "\n");
        ASSERT_EQ(list.flows.size(), 3U) << odd;
        for (const flow_record &r : list.flows)
            EXPECT_EQ(r.has, has_qpns) << odd;
    }
}

TEST(flow_list, what_does_not_fit)
{
    constexpr struct {
        const char *text;
        const char *reason;
    } rows[] = {
        {"0", "0 is not a UDP port"},
        {"65536", "65536 is not a UDP port"},
        {"101", "below 49152"},
        {"49151", "below 49152"},
        {"18446744073709551616", "neither a number"},
        {"-1", "neither a number"},
        {"0x", "neither a number"},
        {"0x1g", "neither a number"},
        {"1e5", "neither a number"},
        {"port", "neither a number"},
        {"0x1000000 1", "24 bits"},
        {"1 16777216", "24 bits"},
        {"1 2 3", "name the columns"},
        {"10.0.0.1 10.0.0.2", "neither a port nor both QPNs"},
        {"10.0.0.1 49152", "one address"},
        {"10.0.0.1 10.0.0.2 10.0.0.3 49152", "more than two addresses"},
        {"10.0.0.1 fd00::1 49152", "IPv6"},
        {"10.0.0.1:49152", "two are needed"},
        {"10.0.0.1:0 10.0.0.2:4791", "source port 0"},
        {"label 0x100000", "20 bits"},
        {"label 0", "label 0 means none"},
        {"lqpn 5", "neither a port nor both QPNs"},
        {"rqpn 5", "neither a port nor both QPNs"},
        {R"([{"rqpn":5}])", "neither a port nor both QPNs"},
        {R"({"udp_sport":49152})", "not an array"},
        {"sport", "no value after sport"},
        {"sport x", "not a number"},
        {"sport 100", "below 49152"},
        {"src host sport 49152", "not an IP address"},
        {"sport 49152 lag_tx_port_affinity 16", "4 bits"},
    };
    for (const auto &row : rows)
        EXPECT_NE(reason(row.text).find(row.reason), std::string::npos) << row.text;
    const flow_list other =
        parse_flows("State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
                    "ESTAB 0 0 10.0.0.1:49152 10.0.0.2:80\n"
                    "UNCONN 0 0 [fd00::1]:50000 [fd00::2]:4791\n");
    EXPECT_EQ(other.ignored, 2U);
    EXPECT_EQ(other.error_count, 0U);
    EXPECT_EQ(other.flows.size(), 1U);
}

TEST(flow_list, nothing)
{
    for (const char *text : {"", "\n\n", "# a comment\n", " \t\r\n", ",,\n", "#"}) {
        const flow_list list = parse_flows(text);
        EXPECT_TRUE(list.flows.empty()) << text;
        EXPECT_EQ(list.error_count, 0U) << text;
    }
    EXPECT_EQ(parse_flows(std::string_view("\0\0", 2)).error_count, 1U);
}

TEST(flow_list, a_million_lines_with_errors_in_some)
{
    std::string text;
    std::uint64_t wrong = 0;
    for (int i = 1; i <= 1000000; i++) {
        if (i % 5000 == 7) {
            text += "oops\n";
            wrong++;
        } else {
            text += std::to_string(49152 + i % 16384) + " 10.0." + std::to_string(i % 7) +
                    ".1 10.1.0.1\n";
        }
    }
    const flow_list list = parse_flows(text);
    EXPECT_EQ(list.lines, 1000000U);
    EXPECT_EQ(list.error_count, wrong);
    ASSERT_EQ(list.errors.size(), max_line_errors);
    EXPECT_EQ(list.errors[0].line, 7U);
    EXPECT_EQ(list.errors[1].line, 5007U);
    EXPECT_EQ(list.flows.size(), 1000000 - wrong);
    EXPECT_EQ(list.pairs.size(), 7U);
    EXPECT_EQ(list.flows.back().line, 1000000U);
}

} // namespace
