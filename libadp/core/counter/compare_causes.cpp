// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Receive buffers, peers that are gone, congestion, links and refused requests.
#include "counter/compare_part.h"

namespace adp::counter {

namespace {

using enum concept_id;

constexpr std::string_view follows = "follows from what the counters count";
constexpr std::string_view lab = "a public fault study on ConnectX-6 (one lab)";
constexpr std::string_view lab_and_rxe =
    "a public fault study on ConnectX-6 (one lab), and a black "
    "hole measured on rxe";
constexpr std::string_view reports = "user reports; follows from what the counters count";

// What would say whether a retry count ran out, when the counter of it is not there.
constexpr std::string_view cannot_tell =
    "; whether retries ran out cannot be told: this kernel or device has no counter for it";

} // namespace

finding rnr_pressure(const both_ends &ends, std::string_view pattern)
{
    finding f;
    f.pattern = pattern;
    f.source = lab;
    ends.req.tell(f, {rnr_nak_received, rnr_retries_exceeded});
    ends.resp.tell(f, {no_receive_buffer, rnr_nak_sent});
    // Retries that ran out are the rest of the NAKs: their 0 alone excludes none.
    const moved nak = ends.req.of(rnr_nak_received);
    const moved at_req = nak != moved::unknown || ends.req.of(rnr_retries_exceeded) == moved::yes
                             ? ends.req.any({rnr_nak_received, rnr_retries_exceeded})
                             : moved::unknown;
    const moved at_resp =
        ends.resp.given() ? ends.resp.any({no_receive_buffer, rnr_nak_sent}) : moved::unknown;
    const moved gone = ends.req.of(rnr_retries_exceeded);
    if (at_req == moved::yes || (at_resp == moved::yes && at_req == moved::unknown)) {
        f.is = verdict::supported;
        f.text = "the receiver had no buffer posted in time";
        if (gone == moved::yes)
            f.text += ", and a requester gave up over it";
        else if (gone == moved::no)
            f.text += "; all of it was retried: slow, not fatal";
        else
            f.text += cannot_tell;
        f.remedy = "post receives earlier or more of them; rnr_retry 7 waits for ever";
    } else if (at_resp == moved::yes) {
        f.is = verdict::possible;
        f.text =
            "the responder lacked buffers, but this requester got no NAK for it: other traffic";
    } else if (at_req == moved::no) {
        f.is = verdict::contradicted;
        f.text = "no receiver-not-ready NAK came";
    } else {
        f.text = "receiver-not-ready NAKs are not known";
    }
    return f;
}

finding dead_peer(const both_ends &ends, std::string_view pattern)
{
    finding f;
    f.pattern = pattern;
    f.source = lab_and_rxe;
    ends.req.tell(f, {transport_retries_exceeded, unresponsive_peer, ack_timeout, any_retry,
                      sequence_nak_received, adaptive_retransmission});
    ends.resp.tell(f, {duplicate_request, out_of_sequence});
    const moved gone = ends.req.any({transport_retries_exceeded, unresponsive_peer});
    const moved tried = ends.req.any({ack_timeout, any_retry, adaptive_retransmission});
    const moved naks = ends.req.of(sequence_nak_received);
    const moved arrived =
        ends.resp.given() ? ends.resp.any({duplicate_request, out_of_sequence}) : moved::unknown;
    if (gone == moved::yes && naks != moved::yes && arrived == moved::no) {
        f.is = verdict::supported;
        f.text =
            "the requester gave up, no NAK came, and the responder counted nothing: requests did "
            "not arrive, or the peer's queue pair was gone";
    } else if (gone == moved::yes && naks != moved::yes && arrived == moved::unknown) {
        f.is = verdict::supported;
        f.text =
            "the requester gave up and no NAK came: nothing answered. Whether requests arrived "
            "is not known without the responder's counters";
    } else if (gone == moved::yes) {
        f.is = verdict::possible;
        f.text = "the requester gave up, but the peer answered or received something in between: "
                 "heavy loss would do that too";
    } else if (tried == moved::yes && arrived != moved::yes && naks != moved::yes) {
        f.is = arrived == moved::no ? verdict::possible : verdict::undetermined;
        f.text = arrived == moved::no
                     ? "the requester tries again and the responder counts nothing"
                     : "the requester tries again and no NAK came; what the responder counts is "
                       "not known";
        f.text += gone == moved::unknown ? std::string{cannot_tell}
                                         : std::string{"; nobody has given up yet"};
    } else if (gone == moved::no) {
        f.is = verdict::contradicted;
        f.text = "no requester gave up";
    } else {
        f.text = "no counter of spent retries is here";
    }
    if (f.is == verdict::supported)
        f.remedy =
            "is the peer alive, and did a link go down? adp retry explain: how long the queue "
            "pair waits";
    return f;
}

namespace {

// On the way from one end to the other no packet was marked: the receiver of the data counts marks
// and notifies, the sender gets the notifications (NVIDIA's counter page: notification point,
// reaction point). The same counters at the other end are about the way back.
bool no_marks(const end_view &sender, const end_view &receiver)
{
    return sender.any({cnp_handled, cnp_received, concept_id::congestion}) == moved::no ||
           receiver.any({ecn_marked, cnp_sent, concept_id::congestion}) == moved::no;
}

} // namespace

finding congestion_seen(const both_ends &ends, std::string_view pattern)
{
    finding f;
    f.pattern = pattern;
    f.source = reports;
    const auto signs = {ecn_marked,  cnp_sent,  cnp_handled,           cnp_received,
                        cnp_ignored, port_wait, concept_id::congestion};
    for (const end_view *v : {&ends.req, &ends.resp})
        for (const concept_id c : signs)
            if (v->of(c) != moved::unknown)
                v->tell(f, c);
    const moved at_req = ends.req.any(signs);
    const moved at_resp = ends.resp.any(signs);
    if (at_req == moved::yes || at_resp == moved::yes) {
        f.is = verdict::supported;
        const auto notices = {ecn_marked,   cnp_sent,    cnp_handled,
                              cnp_received, cnp_ignored, concept_id::congestion};
        const bool notified =
            ends.req.any(notices) == moved::yes || ends.resp.any(notices) == moved::yes;
        f.text = notified ? "congestion was seen and notified. It slows; it is no loss by itself"
                          : "a port had data to send and could not: flow control or arbitration "
                            "held it back. It slows; it is no loss by itself";
        if ((ends.req.of(ecn_marked) == moved::no && ends.req.of(cnp_sent) == moved::yes) ||
            (ends.resp.of(ecn_marked) == moved::no && ends.resp.of(cnp_sent) == moved::yes))
            f.text += ". Notifications were sent with no mark counted; no source says why";
        f.remedy = "incast, one hot uplink (adp flow audit), the rate of the receiver";
    } else if (no_marks(ends.req, ends.resp) && no_marks(ends.resp, ends.req)) {
        f.is = verdict::contradicted;
        f.text = "no mark, no notification";
    } else if (no_marks(ends.req, ends.resp) || no_marks(ends.resp, ends.req)) {
        f.text = no_marks(ends.req, ends.resp)
                     ? "no mark and no notification for what the requester sent; of the responses "
                       "nothing is known"
                     : "no mark and no notification for the responses; of what the requester sent "
                       "nothing is known";
    } else {
        f.text = "no counter of marks and notifications is here";
    }
    return f;
}

finding fabric_errors(const both_ends &ends, std::string_view pattern)
{
    finding f;
    f.pattern = pattern;
    f.source = reports;
    const auto errors = {link_error, link_downed, port_error, icrc_error};
    const auto drops = {port_discard, drop};
    for (const end_view *v : {&ends.req, &ends.resp})
        for (const concept_id c : errors)
            if (v->of(c) == moved::yes)
                v->tell(f, c);
    for (const end_view *v : {&ends.req, &ends.resp})
        for (const concept_id c : drops)
            if (v->of(c) == moved::yes)
                v->tell(f, c);
    const bool bad = ends.req.any(errors) == moved::yes || ends.resp.any(errors) == moved::yes;
    const bool dropped = ends.req.any(drops) == moved::yes || ends.resp.any(drops) == moved::yes;
    // Of the port itself; a checksum of RoCE packets alone says nothing of the link.
    const auto of_port = {link_error, link_downed, port_error, port_discard};
    const bool known =
        ends.req.any(of_port) != moved::unknown || ends.resp.any(of_port) != moved::unknown;
    if (bad || dropped) {
        f.is = verdict::supported;
        f.text = bad && dropped ? "packets arrived damaged and ports dropped packets: a physical "
                                  "fault on a link and congestion"
                 : bad ? "the link or packets on it were damaged: a cable, a module, a port"
                       : "a port dropped packets: it was down or congested";
        f.text += ". Other retry settings treat the symptom";
        f.remedy = "cables and modules of the links on the way, switches between switches included";
    } else if (known) {
        f.is = verdict::contradicted;
        f.text = "no error at these ports; links between switches show at the switches alone";
    } else {
        f.text = "no port counters are here (counters/, perfquery); links between switches show at "
                 "the switches alone";
    }
    return f;
}

finding refused_requests(const both_ends &ends, std::string_view pattern)
{
    finding f;
    f.pattern = pattern;
    f.source = follows;
    const auto errors = {remote_access_error, remote_invalid_request, remote_operation_error};
    ends.req.tell(f, errors);
    ends.resp.tell(f, errors);
    const moved at_req = ends.req.any(errors);
    const moved at_resp = ends.resp.any(errors);
    // A counter that names no side may be of the other one: it takes both ends then.
    const auto none_refused = [](const end_view &end, bool named) {
        return end.of(remote_access_error, named) == moved::no &&
               end.of(remote_invalid_request, named) == moved::no;
    };
    const bool none_named = none_refused(ends.req, true) || none_refused(ends.resp, true);
    const bool none_at_both = none_refused(ends.req, false) && none_refused(ends.resp, false);
    if (at_req == moved::yes || at_resp == moved::yes) {
        f.is = verdict::supported;
        f.text = "the responder refused requests: a key, an address, a permission, a length or an "
                 "opcode. The network carried them well";
        f.remedy =
            "the application's memory registration and exchange of keys; no timeout or retry "
            "changes this";
    } else if (none_named || none_at_both) {
        f.is = verdict::contradicted;
        f.text = "no request was refused";
    } else {
        f.text = "what would tell every kind of refusal is not here";
    }
    return f;
}

} // namespace adp::counter
