// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Patterns: what was measured on rxe with netem (Linux 6.1, RC writes from one device to the other) and
// what public reports gave, with the answer that was right there.
#include "counter/compare.h"

#include "fixture.h"

#include <map>

namespace adp::counter {
namespace {

using test::fixture;
using test::lines;

snapshot read(const std::string &text)
{
    auto s = parse_snapshot(text);
    EXPECT_TRUE(bool(s)) << (s ? "" : s.err().reason) << "\n" << text;
    return s ? std::move(*s) : snapshot{};
}

end_counters make(side role, const snapshot &first, const snapshot *second = nullptr,
                  const char *port = "")
{
    auto e = make_end(role, first, second, port);
    EXPECT_TRUE(bool(e)) << (e ? "" : e.err().reason);
    return e ? std::move(*e) : end_counters{};
}

// One delta listing for each end; "" for none.
comparison compare(const std::string &requester, const std::string &responder)
{
    end_counters req, resp;
    req.role = side::requester;
    resp.role = side::responder;
    if (!requester.empty())
        req = make(side::requester, read(requester));
    if (!responder.empty())
        resp = make(side::responder, read(responder));
    return compare_ends(req, resp);
}

std::string rxe(const std::string &moved)
{
    static const char *const names[] = {
        "ack_deferred",       "completer_retry_err", "duplicate_request",  "link_downed",
        "out_of_seq_request", "rcvd_pkts",           "rcvd_rnr_err",       "rcvd_seq_err",
        "rdma_recvs",         "rdma_sends",          "retry_exceeded_err", "retry_rnr_exceeded_err",
        "send_err",           "send_rnr_err",        "sent_pkts"};
    std::string text = "link rxe0/1";
    for (const char *name : names) {
        std::istringstream in{moved};
        std::string key, number = "+0";
        for (std::string k, n; in >> k >> n;)
            if (k == name)
                number = n;
        text += std::string{" "} + name + " " + number;
    }
    return text + "\n";
}

verdict is(const comparison &c, const char *pattern)
{
    const finding *f = c.find(pattern);
    EXPECT_NE(f, nullptr) << pattern;
    return f == nullptr ? verdict::undetermined : f->is;
}

#define EXPECT_VERDICT(c, pattern, wanted)                                                         \
    EXPECT_EQ(to_string(is(c, pattern)), to_string(verdict::wanted)) << (c).find(pattern)->text

// Less information gives no stronger verdict: nobody has given up yet, and no other end is known.
TEST(Causes, ADeadPeerIsNotExcludedByItsRequesterAlone)
{
    const comparison alone = compare(rxe("completer_retry_err +288"), "");
    EXPECT_VERDICT(alone, "dead_peer", undetermined);
    EXPECT_VERDICT(compare(rxe("completer_retry_err +288"), rxe("rcvd_pkts +0")), "dead_peer",
                   possible);
    EXPECT_VERDICT(
        compare("link mlx5_0/1 local_ack_timeout_err +500 req_transport_retries_exceeded "
                "+0 packet_seq_err +0\n",
                ""),
        "dead_peer", undetermined);
    // What rxe counts is any retry: no timer is named where none is known.
    const comparison both = compare(rxe("completer_retry_err +4"), rxe("rcvd_pkts +9"));
    EXPECT_EQ(both.find("loss_towards_responder")->text.find("timers"), std::string::npos)
        << both.find("loss_towards_responder")->text;
}

TEST(Causes, WaitingToSendNotifiesNobody)
{
    const comparison waited = compare("port_xmit_wait +700\nsymbol_error +0\n", "");
    EXPECT_VERDICT(waited, "congestion", supported);
    EXPECT_EQ(waited.find("congestion")->text.find("notified"), std::string::npos);
    const comparison marked = compare("link mlx5_0/1 np_cnp_sent +7\n", "");
    EXPECT_NE(marked.find("congestion")->text.find("notified"), std::string::npos);
}

// Port 6 of this recording is the uplink, whose zeros nobody measured.
TEST(Causes, ZerosOfAnUplinkProveNothing)
{
    end_counters resp;
    resp.role = side::responder;
    const snapshot s = read(fixture("vport/sriov72-d-switchdev-2vf-up-rdma-statistic.txt"));
    const comparison c = compare_ends(make(side::requester, s, nullptr, "mlx5_0/6"), resp);
    for (const finding &f : c.findings)
        EXPECT_EQ(to_string(f.is), to_string(verdict::undetermined)) << f.pattern << ": " << f.text;
    EXPECT_NE(c.why_unknown.find("zeros"), std::string::npos) << c.why_unknown;
    ASSERT_FALSE(c.notes.empty());
}

TEST(Ends, ALoneSetIsTaken)
{
    const snapshot s = read("link mlx5_2/1 cntn 5 pid 31609 comm client.1 rx_write_requests 7\n");
    ASSERT_TRUE(s.ports.at(0).set);
    EXPECT_EQ(make(side::requester, s).where, "mlx5_2/1 set 5");
    EXPECT_EQ(make(side::requester, s, nullptr, "mlx5_2/1").where, "mlx5_2/1 set 5");
    EXPECT_FALSE(make_end(side::requester, s, nullptr, "mlx5_3/1"));
    // Of two of one port none is taken for the other.
    const snapshot two = read("link mlx5_2/1 cntn 5 rx_write_requests 7\n"
                              "link mlx5_2/1 cntn 6 rx_write_requests 8\n");
    EXPECT_FALSE(make_end(side::requester, two, nullptr, ""));
    EXPECT_FALSE(make_end(side::requester, two, nullptr, "mlx5_2/1"));
    EXPECT_EQ(make(side::requester, two, nullptr, "mlx5_2/1 set 6").where, "mlx5_2/1 set 6");
}

TEST(Measured, NoLoss)
{
    const comparison c =
        compare(rxe("sent_pkts +1200 rcvd_pkts +300"), rxe("rcvd_pkts +1200 sent_pkts +300"));
    EXPECT_EQ(c.moved, which_end::none);
    EXPECT_TRUE(c.quiet());
    for (const finding &f : c.findings)
        EXPECT_NE(f.is, verdict::supported) << f.pattern << ": " << f.text;
    EXPECT_VERDICT(c, "loss_towards_responder", contradicted);
    EXPECT_VERDICT(c, "lost_acknowledgements", contradicted);
    EXPECT_VERDICT(c, "reordering", contradicted);
    EXPECT_VERDICT(c, "dead_peer", contradicted);
}

TEST(Measured, LossOnData)
{
    const comparison c = compare(rxe("rcvd_seq_err +30 completer_retry_err +58"),
                                 rxe("out_of_seq_request +45 duplicate_request +26"));
    EXPECT_EQ(c.moved, which_end::both);
    EXPECT_VERDICT(c, "loss_towards_responder", supported);
    EXPECT_VERDICT(c, "lost_acknowledgements", possible);
    EXPECT_VERDICT(c, "reordering", possible); // not to be told apart for certain
    EXPECT_VERDICT(c, "rnr_pressure", contradicted);
    EXPECT_VERDICT(c, "dead_peer", contradicted);
    EXPECT_TRUE(c.fatal.empty());
}

TEST(Measured, LossOnAcknowledgements)
{
    const comparison c = compare(rxe("completer_retry_err +13"), rxe("duplicate_request +52"));
    EXPECT_VERDICT(c, "lost_acknowledgements", supported);
    EXPECT_VERDICT(c, "loss_towards_responder", contradicted);
    EXPECT_VERDICT(c, "reordering", contradicted);
}

TEST(Measured, DelayWithJitterReorders)
{
    const comparison c = compare(rxe("rcvd_seq_err +77 completer_retry_err +170"),
                                 rxe("out_of_seq_request +180 duplicate_request +191"));
    EXPECT_VERDICT(c, "reordering", supported);
    EXPECT_VERDICT(c, "loss_towards_responder", possible);
}

TEST(Measured, BlackHole)
{
    const comparison c = compare(rxe("completer_retry_err +7 retry_exceeded_err +1"), rxe(""));
    EXPECT_EQ(c.moved, which_end::requester);
    EXPECT_VERDICT(c, "dead_peer", supported);
    EXPECT_VERDICT(c, "lost_acknowledgements", contradicted);
    EXPECT_VERDICT(c, "reordering", contradicted);
    ASSERT_EQ(c.fatal.size(), 1U);
    EXPECT_EQ(c.fatal[0].status, 12U);
    // Before it gives up (retry_cnt 7 never does on rxe).
    EXPECT_VERDICT(compare(rxe("completer_retry_err +288"), rxe("")), "dead_peer", possible);
}

TEST(Measured, LinkDown)
{
    const comparison c = compare(rxe("link_downed +1"), rxe(""));
    EXPECT_VERDICT(c, "fabric_errors", supported);
    EXPECT_VERDICT(c, "loss_towards_responder", contradicted);
}

// R18: bad cables between switches, seen in switch ports alone.
TEST(Report, R18)
{
    const comparison c = compare(fixture("reports/R18-ib-isl.txt"), "");
    EXPECT_VERDICT(c, "fabric_errors", supported);
    EXPECT_VERDICT(c, "congestion", supported);
    EXPECT_NE(c.find("fabric_errors")->text.find("treat the symptom"), std::string::npos);
    EXPECT_NE(c.find("fabric_errors")->text.find("congestion"), std::string::npos);
    EXPECT_VERDICT(c, "timeouts_without_naks", contradicted);
    // A port dropped packets: that requests were among them is not excluded by timers alone.
    EXPECT_VERDICT(c, "loss_towards_responder", possible);
}

// A pattern is contradicted by counters alone that are there, measured, and did not move.
TEST(Compare, OneCounterContradictsOnlyItsOwn)
{
    const comparison c = compare("local_ack_timeout_err +0\n", "");
    EXPECT_VERDICT(c, "timeouts_without_naks", contradicted);
    for (const char *pattern :
         {"loss_towards_responder", "lost_acknowledgements", "lost_responses", "reordering",
          "rnr_pressure", "dead_peer", "congestion", "fabric_errors", "refused_requests"})
        EXPECT_VERDICT(c, pattern, undetermined);
    // Only both ends together say that neither moved.
    EXPECT_EQ(c.moved, which_end::unknown);
    EXPECT_NE(c.why_unknown.find("responder"), std::string::npos);
    EXPECT_EQ(compare("", "out_of_sequence +0\n").moved, which_end::unknown);
    EXPECT_EQ(compare("local_ack_timeout_err +0\n", "out_of_sequence +0\n").moved, which_end::none);
    // With the other half the gap is excluded as well.
    EXPECT_VERDICT(compare("local_ack_timeout_err +0\npacket_seq_err +0\n", ""),
                   "loss_towards_responder", contradicted);
    EXPECT_VERDICT(compare("local_ack_timeout_err +0\n", "out_of_sequence +0\n"),
                   "loss_towards_responder", contradicted);
    EXPECT_VERDICT(compare("packet_seq_err +0\n", ""), "loss_towards_responder", undetermined);
    // Packets out of sequence, and nothing known of what followed.
    EXPECT_VERDICT(compare("rx_write_requests +1\n", "out_of_sequence +9\n"), "reordering",
                   possible);
    EXPECT_VERDICT(compare("req_rnr_retries_exceeded +0\n", ""), "rnr_pressure", undetermined);
    EXPECT_VERDICT(compare("rnr_nak_retry_err +0\n", ""), "rnr_pressure", contradicted);
    EXPECT_VERDICT(compare("rx_icrc_encapsulated +0\n", ""), "fabric_errors", undetermined);
    EXPECT_VERDICT(compare("req_remote_access_errors +0\n", ""), "refused_requests", undetermined);
    EXPECT_VERDICT(compare("req_remote_access_errors +0\nreq_remote_invalid_request +0\n", ""),
                   "refused_requests", contradicted);
}

// R48: zero is not healthy: the port has traffic and none of its counters has moved.
TEST(Report, R48)
{
    const std::string text = "rx_write_requests 0\nlocal_ack_timeout_err 0\npacket_seq_err 0\n"
                             "out_of_sequence 0\nduplicate_request 0\nport_xmit_packets 1200000\n";
    for (const comparison &c : {compare(text, ""), compare(text, text)}) {
        EXPECT_EQ(c.moved, which_end::unknown);
        for (const finding &f : c.findings)
            EXPECT_EQ(to_string(f.is), to_string(verdict::undetermined)) << f.pattern << f.text;
        bool said = false;
        for (const std::string &n : c.notes)
            said = said || n.find("is not \"healthy\"") != std::string::npos;
        EXPECT_TRUE(said);
    }
    // Where one of them counts, they are no zeros of nobody.
    const comparison counts = compare("rx_write_requests 5\nlocal_ack_timeout_err 0\n"
                                      "packet_seq_err 0\nport_xmit_packets 1200000\n",
                                      "");
    EXPECT_VERDICT(counts, "loss_towards_responder", contradicted);
}

// R33: adaptive routing is forced on; packets out of sequence and nothing else.
TEST(Report, R33)
{
    const std::string text = fixture("reports/R33-ar-flags.txt");
    for (const comparison &c : {compare(text, ""), compare(text, text)}) {
        EXPECT_VERDICT(c, "reordering", supported);
        EXPECT_NE(c.find("reordering")->text.find("No loss"), std::string::npos);
        EXPECT_VERDICT(c, "loss_towards_responder", contradicted);
        bool said = false;
        for (const std::string &n : c.notes)
            said = said || n.find("no evidence of loss by themselves") != std::string::npos;
        EXPECT_TRUE(said);
    }
}

// R43: a slow receiver, not a fatal error.
TEST(Report, R43)
{
    const comparison c = compare(fixture("reports/R43-rnr-not-fatal.txt"), "");
    EXPECT_VERDICT(c, "rnr_pressure", supported);
    EXPECT_NE(c.find("rnr_pressure")->text.find("not fatal"), std::string::npos);
    EXPECT_TRUE(c.fatal.empty());
    // The same on a kernel without the counter of spent retries.
    const comparison old = compare("rnr_nak_retry_err +500\nout_of_buffer +0\n", "");
    EXPECT_VERDICT(old, "rnr_pressure", supported);
    EXPECT_NE(old.find("rnr_pressure")->text.find("cannot be told"), std::string::npos);
    EXPECT_EQ(old.find("rnr_pressure")->text.find("not fatal"), std::string::npos);
    const comparison at_peer = compare("rnr_nak_retry_err +500\n", "out_of_buffer +480\n");
    EXPECT_EQ(at_peer.moved, which_end::both);
}

// R44: real loss, congestion, hardly an error completion; totals.
TEST(Report, R44)
{
    const comparison c = compare(fixture("reports/R44-nccl394-counters.txt"), "");
    EXPECT_VERDICT(c, "loss_towards_responder", supported);
    EXPECT_VERDICT(c, "congestion", supported);
    EXPECT_VERDICT(c, "timeouts_without_naks", contradicted);
    EXPECT_NE(is(c, "dead_peer"), verdict::supported);
    EXPECT_TRUE(c.fatal.empty());
    bool totals = false;
    for (const std::string &n : c.notes)
        totals = totals || n.find("second listing") != std::string::npos;
    EXPECT_TRUE(totals);
}

// R45: timeouts, notifications sent without a mark counted; lifespan is a setting.
TEST(Report, R45)
{
    const comparison c = compare(fixture("reports/R45-byteps179-counters.txt"), "");
    EXPECT_VERDICT(c, "timeouts_without_naks", possible);
    EXPECT_NE(c.find("timeouts_without_naks")->remedy.find("lossy class"), std::string::npos);
    EXPECT_VERDICT(c, "congestion", supported);
    EXPECT_NE(c.find("congestion")->text.find("no mark counted"), std::string::npos);
    EXPECT_NE(c.find("congestion")->text.find("no source"), std::string::npos);
    for (const evidence &e : c.moves)
        EXPECT_NE(e.name, "lifespan");
    EXPECT_EQ(describe("mlx5", "lifespan").about->is, kind::gauge);
    EXPECT_EQ(describe("mlx5", "lifespan").about->in, unit::milliseconds);
}

// R46: each set of deltas gives exactly its completion status.
TEST(Report, R46)
{
    std::map<std::string, std::pair<std::string, std::string>> cases; // own, peer's
    std::string name;
    for (const std::string &line : lines(fixture("reports/R46-signatures.txt"))) {
        if (line.front() == '[')
            name = line.substr(1, line.size() - 2);
        else if (line.rfind("peer.", 0) == 0)
            cases[name].second += line.substr(5) + "\n";
        else
            cases[name].first += line + "\n";
    }
    ASSERT_EQ(cases.size(), 4U);
    const std::map<std::string, std::uint32_t> status = {
        {"retry_exc", 12}, {"rnr", 13}, {"rem_access", 10}, {"rem_inv", 9}};
    for (const auto &[which, text] : cases) {
        const comparison c = compare(text.first, text.second);
        ASSERT_EQ(c.fatal.size(), 1U) << which;
        EXPECT_EQ(c.fatal[0].status, status.at(which)) << which;
    }
    // The study's responder stayed at zero: no proof of a good path.
    const comparison dead =
        compare(cases["retry_exc"].first, "out_of_sequence +0\nduplicate_request +0\n");
    EXPECT_VERDICT(dead, "dead_peer", supported);
    bool said = false;
    for (const std::string &n : dead.notes)
        said = said || n.find("no proof of a good path") != std::string::npos;
    EXPECT_TRUE(said);
    EXPECT_VERDICT(compare(cases["rnr"].first, cases["rnr"].second), "rnr_pressure", supported);
    EXPECT_VERDICT(compare(cases["rem_access"].first, ""), "refused_requests", supported);
    EXPECT_VERDICT(compare(cases["rem_inv"].first, ""), "refused_requests", supported);
    EXPECT_VERDICT(compare(cases["rem_inv"].first, ""), "rnr_pressure", undetermined);
}

// A VF whose queue pair ran out of retries, in the recordings before and after.
TEST(Recording, RetriesOfAVf)
{
    const snapshot before = read(fixture("vport/vf72-a-vf-bound-sysfs.txt"));
    const snapshot after = read(fixture("vport/vf72-b-vf-retry-exceeded-sysfs.txt"));
    const end_counters vf = make(side::requester, before, &after, "mlx5_1/1");
    end_counters none;
    none.role = side::responder;
    const comparison c = compare_ends(vf, none);
    EXPECT_EQ(c.moved, which_end::requester);
    bool timeouts = false;
    for (const evidence &e : c.moves)
        timeouts = timeouts || (e.name == "local_ack_timeout_err" && e.delta == 8U);
    EXPECT_TRUE(timeouts);
    // Its own out_of_sequence stayed 0; the responder is not in the recording.
    EXPECT_VERDICT(c, "reordering", undetermined);
    EXPECT_VERDICT(c, "lost_acknowledgements", undetermined);
    // The same seen from the PF, at the VF's representor.
    const end_counters rep = make(side::requester, before, &after, "mlx5_0/2");
    bool at_pf = false;
    for (const evidence &e : compare_ends(rep, none).moves)
        at_pf = at_pf || (e.name == "vport_local_ack_timeout_err" && e.delta == 8U);
    EXPECT_TRUE(at_pf);
}

TEST(Compare, PacketsAndEventsAreNeverAdded)
{
    const comparison c = compare("local_ack_timeout_err +3\npacket_seq_err +4\n", "");
    for (const finding &f : c.findings)
        for (const evidence &e : f.lines)
            if (e.delta) {
                EXPECT_TRUE(*e.delta == 3 || *e.delta == 4) << e.name;
            }
    for (const evidence &e : c.moves)
        EXPECT_EQ(e.in, e.name == "packet_seq_err" ? unit::packets : unit::events);
}

TEST(Compare, WhatIsMissingIsNotZero)
{
    // A device without the retransmission group: nothing of it can be contradicted.
    const comparison c = compare("rx_write_requests +5\n", "rx_write_requests +5\n");
    EXPECT_EQ(c.moved, which_end::unknown);
    for (const char *pattern : {"loss_towards_responder", "lost_acknowledgements", "reordering",
                                "timeouts_without_naks", "rnr_pressure", "dead_peer"})
        EXPECT_VERDICT(c, pattern, undetermined);
    // An unreadable counter is none either.
    const comparison u = compare("local_ack_timeout_err N/A\n", "duplicate_request N/A\n");
    EXPECT_VERDICT(u, "timeouts_without_naks", undetermined);
    EXPECT_VERDICT(u, "lost_acknowledgements", undetermined);
}

TEST(Compare, TheOtherRoleOfAPortIsNoEvidence)
{
    // The requester's port has duplicates of other traffic: not the responder's.
    const comparison c = compare("local_ack_timeout_err +0\nduplicate_request +9\n",
                                 "duplicate_request +0\nout_of_sequence +0\n");
    EXPECT_VERDICT(c, "lost_acknowledgements", contradicted);
    bool said = false;
    for (const std::string &n : c.notes)
        said = said || n.find("other role") != std::string::npos;
    EXPECT_TRUE(said);
}

// What arrives at one end says nothing of what arrives at the other: with a line of the wrong end the
// answer is the one without it.
TEST(Compare, AZeroOfTheWrongEndContradictsNothing)
{
    const std::string own =
        "packet_seq_err +111\nlocal_ack_timeout_err +8\nimplied_nak_seq_err +0\n";
    EXPECT_VERDICT(compare(own, ""), "reordering", undetermined);
    const comparison c = compare(own + "out_of_sequence +0\nduplicate_request +0\n", "");
    EXPECT_VERDICT(c, "reordering", undetermined);
    EXPECT_NE(c.find("reordering")->text.find("at the responder is not known"), std::string::npos);
    EXPECT_VERDICT(c, "lost_acknowledgements", undetermined);
    EXPECT_VERDICT(c, "loss_towards_responder", supported);
    // The reverse: what only a requester counts, at the responder.
    const comparison r =
        compare("", "local_ack_timeout_err +0\npacket_seq_err +0\n"
                    "implied_nak_seq_err +0\nrnr_nak_retry_err +0\n"
                    "req_transport_retries_exceeded +0\n"
                    "req_remote_access_errors +0\nreq_remote_invalid_request +0\n");
    for (const finding &f : r.findings)
        EXPECT_EQ(to_string(f.is), "undetermined") << f.pattern << ": " << f.text;
    // It may have come with responses: what came out of sequence at the requester is reordering.
    const comparison came = compare("packet_seq_err +0\nlocal_ack_timeout_err +0\n"
                                    "implied_nak_seq_err +0\nout_of_sequence +9\n",
                                    "");
    EXPECT_VERDICT(came, "reordering", supported);
    EXPECT_NE(came.find("reordering")->text.find("at the requester"), std::string::npos);
}

// The receiver of data counts marks (notification point), the sender the notifications (reaction
// point); an end that has one of the two knows one direction.
TEST(Compare, CongestionOfOneDirectionIsNotTheOthers)
{
    const std::string np = "np_ecn_marked_roce_packets +0\nnp_cnp_sent +0\n";
    const std::string rp = "rp_cnp_handled +0\nrp_cnp_ignored +0\n";
    EXPECT_VERDICT(compare(np, ""), "congestion", undetermined);
    EXPECT_NE(compare(np, "").find("congestion")->text.find("responses"), std::string::npos);
    EXPECT_VERDICT(compare("", rp), "congestion", undetermined);
    EXPECT_VERDICT(compare(rp, np), "congestion", undetermined);
    EXPECT_VERDICT(compare(rp + np, ""), "congestion", contradicted);
    EXPECT_VERDICT(compare(np, np), "congestion", contradicted);
    EXPECT_VERDICT(compare(np, "np_cnp_sent +3\n"), "congestion", supported);
}

// mana's NAK counters do not say whether NAKs were sent or received.
TEST(Compare, ACounterWithoutASideContradictsFromBothEndsOnly)
{
    const std::string naks = "link mana_0/1 nak_access_error +0 nak_inv_req +0 nak_inv_read +0\n";
    EXPECT_VERDICT(compare(naks, ""), "refused_requests", undetermined);
    EXPECT_VERDICT(compare("", naks), "refused_requests", undetermined);
    EXPECT_VERDICT(compare(naks, naks), "refused_requests", contradicted);
}

// All is there, and it cannot be of the same connections.
TEST(Compare, EndsThatContradictEachOther)
{
    const std::string zeros = "out_of_sequence +0\nduplicate_request +0\nout_of_buffer +0\n";
    const std::string quiet =
        "local_ack_timeout_err +0\nimplied_nak_seq_err +0\nroce_adp_retrans +0\n";
    for (const char *timeouts : {"+0", "+4"}) {
        const comparison c = compare(
            std::string{"packet_seq_err +500\nimplied_nak_seq_err +0\nlocal_ack_timeout_err "} +
                timeouts + "\n",
            zeros);
        for (const char *pattern : {"loss_towards_responder", "reordering"}) {
            EXPECT_NE(c.find(pattern)->text.find("the two ends contradict each other"),
                      std::string::npos)
                << c.find(pattern)->text;
            EXPECT_NE(c.find(pattern)->remedy.find("same connections"), std::string::npos);
        }
        EXPECT_VERDICT(c, "reordering", undetermined);
        EXPECT_EQ(is(c, "loss_towards_responder"),
                  timeouts == std::string{"+0"} ? verdict::undetermined : verdict::possible);
    }
    // Twice at the responder, and nothing was sent again.
    const comparison twice =
        compare("packet_seq_err +0\n" + quiet, "out_of_sequence +0\nduplicate_request +7\n");
    EXPECT_VERDICT(twice, "lost_acknowledgements", undetermined);
    EXPECT_NE(twice.find("lost_acknowledgements")->text.find("contradict each other"),
              std::string::npos);
    // Adaptive retransmission is no part of this listing: it may have sent them.
    EXPECT_VERDICT(compare("packet_seq_err +0\nlocal_ack_timeout_err +0\n",
                           "out_of_sequence +0\nduplicate_request +7\n"),
                   "lost_acknowledgements", possible);
}

TEST(Compare, WhichPort)
{
    const snapshot s = read("link mlx5_0/1 out_of_sequence 1\nlink mlx5_0/2 out_of_sequence 2\n");
    auto e = make_end(side::responder, s, nullptr, "");
    ASSERT_FALSE(e);
    EXPECT_NE(e.err().reason.find("mlx5_0/2"), std::string::npos);
    EXPECT_EQ(make(side::responder, s, nullptr, "mlx5_0/2").counters.at(0).delta, 2U);
    EXPECT_FALSE(make_end(side::responder, s, nullptr, "mlx5_1"));
    snapshot other = s;
    snapshot third = s;
    other.boot_id = "a";
    third.boot_id = "b";
    EXPECT_FALSE(make_end(side::responder, other, &third, "mlx5_0/2")) << "another boot";
}

} // namespace
} // namespace adp::counter
