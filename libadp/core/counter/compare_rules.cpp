// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a pattern of both ends supports. The rules follow from what a counter counts; where they rest
// on more, the source says on what: "rxe" is our measurement on rxe of Linux 6.1 with netem (loss of
// 5 % on data or on acknowledgements, delay with jitter, a black hole). No source tells loss from reordering by counters alone.
#include "counter/compare_part.h"

#include <array>

namespace adp::counter {

namespace {

using enum concept_id;

constexpr std::string_view follows = "follows from what the counters count";
constexpr std::string_view rxe =
    "measured on rxe (Linux 6.1, netem); elsewhere it follows from what "
    "the counters count";
constexpr std::string_view reports = "user reports; follows from what the counters count";

constexpr std::string_view loss_to_resp = "loss_towards_responder",
                           lost_acks = "lost_acknowledgements", lost_resp = "lost_responses",
                           reorder = "reordering", no_naks = "timeouts_without_naks",
                           rnr = "rnr_pressure", dead = "dead_peer", congest = "congestion",
                           fabric = "fabric_errors", refused = "refused_requests";
constexpr std::array<std::string_view, 10> all_patterns = {
    loss_to_resp, lost_acks, lost_resp, reorder, no_naks, rnr, dead, congest, fabric, refused};

struct view {
    const both_ends &ends;
    moved timeout, retry, seq, implied, oos, dup, given_up, adaptive;

    explicit view(const both_ends &b)
        : ends(b), timeout(b.req.of(ack_timeout)), retry(b.req.of(any_retry)),
          seq(b.req.of(sequence_nak_received)), implied(b.req.of(implied_nak)),
          oos(b.resp.given() ? b.resp.of(out_of_sequence) : moved::unknown),
          dup(b.resp.given() ? b.resp.of(duplicate_request) : moved::unknown),
          given_up(b.req.of(transport_retries_exceeded)),
          adaptive(b.req.of(adaptive_retransmission))
    {
    }
    // Something was sent again, as far as this driver shows it.
    moved resent() const
    {
        return ends.req.any({ack_timeout, any_retry, sequence_nak_received, implied_nak,
                             adaptive_retransmission, retransmitted, transport_retries_exceeded});
    }
    // That nothing was sent again: neither a timer nor a NAK has moved, and both were measured, here
    // or where the gap would have been seen.
    bool nothing_resent() const
    {
        const bool timers = timeout == moved::no || retry == moved::no;
        const bool gaps = seq == moved::no || retry == moved::no || oos == moved::no;
        return timers && gaps && resent() != moved::yes;
    }
    // NAKs say that packets came out of sequence where the responder counted none.
    bool naks_without_gaps() const { return seq == moved::yes && oos == moved::no; }
    // Ports on the way dropped packets, or got damaged ones.
    bool ports_lost() const
    {
        const auto signs = {link_error, port_error, icrc_error, port_discard, drop};
        return ends.req.any(signs) == moved::yes || ends.resp.any(signs) == moved::yes;
    }
    // rxe: of every packet that comes late a copy has been asked for, and both arrive.
    bool late_copies() const
    {
        const std::uint64_t out = ends.resp.most(out_of_sequence);
        return out != 0 && ends.resp.most(duplicate_request) >= out - out / 10;
    }
};

constexpr std::string_view naks_but_no_gaps =
    "the two ends contradict each other: sequence NAKs came to the requester, and the responder "
    "counted nothing out of sequence";
constexpr std::string_view same_connections =
    "are these the two ends of the same connections, over the same time? At either port other "
    "peers count as well";

void data_lines(finding &f, const view &v)
{
    v.ends.req.tell(f, {sequence_nak_received, ack_timeout, any_retry, retransmitted});
    v.ends.resp.tell(f, {out_of_sequence, duplicate_request});
}

finding loss_towards_responder(const view &v)
{
    finding f;
    f.pattern = loss_to_resp;
    f.source = rxe;
    data_lines(f, v);
    const bool gap = v.oos == moved::yes || (v.oos == moved::unknown && v.seq == moved::yes);
    if (gap && v.timeout == moved::yes) {
        f.is = verdict::supported;
        f.text = "requests arrived with gaps, and besides that timers ran out: something did not "
                 "arrive at all";
    } else if (gap && v.timeout == moved::unknown && v.retry == moved::yes && !v.late_copies() &&
               v.dup != moved::unknown) {
        f.is = verdict::supported;
        f.text = "requests arrived with gaps, and fewer came twice than came out of sequence: the "
                 "missing ones had not arrived. Some reordering beside it is not excluded";
    } else if (gap && v.resent() == moved::yes) {
        f.is = verdict::possible;
        f.text =
            "requests arrived with gaps and were sent again; loss and reordering look the same "
            "in these counters";
    } else if (gap) {
        f.is = v.nothing_resent() ? verdict::contradicted : verdict::undetermined;
        f.text = v.nothing_resent()
                     ? "requests arrived out of sequence, but nothing was sent again: what was "
                       "missing came later"
                     : "whether anything was sent again is not known";
    } else if (v.naks_without_gaps()) {
        const bool timers = v.timeout == moved::yes || v.given_up == moved::yes;
        f.is = timers ? verdict::possible : verdict::undetermined;
        f.text = naks_but_no_gaps;
        if (timers)
            f.text += ". Timers ran out besides: something may not have arrived";
        f.remedy = same_connections;
        return f;
    } else if (v.oos == moved::no && v.dup == moved::yes) {
        f.is = verdict::contradicted;
        f.text = "no gap at the responder, and what was sent again had arrived before";
    } else if (v.timeout == moved::yes || v.given_up == moved::yes || v.retry == moved::yes) {
        f.is = verdict::possible;
        f.text = v.timeout == moved::yes || v.given_up == moved::yes ? "timers ran out"
                                                                     : "requests were sent again";
        f.text += " and no gap was seen: the last packets of messages may be lost, or all of them";
    } else if (v.nothing_resent()) {
        f.is = verdict::contradicted;
        f.text = "nothing was sent again";
    } else if (v.ports_lost()) {
        f.is = verdict::possible;
        f.text = "ports dropped packets or got damaged ones; whether requests were among them, no "
                 "counter here tells";
    } else {
        f.text = "what would tell it is not there";
    }
    if (f.is == verdict::supported || f.is == verdict::possible)
        f.remedy =
            "drops on the way to the responder: switch ports, PFC and the class of the traffic";
    return f;
}

finding lost_acknowledgements(const view &v)
{
    finding f;
    f.pattern = lost_acks;
    f.source = rxe;
    v.ends.resp.tell(f, {duplicate_request, out_of_sequence});
    v.ends.req.tell(f, {ack_timeout, any_retry, adaptive_retransmission});
    const bool timers = v.timeout == moved::yes || v.retry == moved::yes;
    if (v.dup == moved::no) {
        f.is = verdict::contradicted;
        f.text = "nothing arrived twice at the responder";
    } else if (v.dup == moved::yes && v.oos == moved::no && v.seq != moved::yes && timers) {
        f.is = verdict::supported;
        f.text = "requests arrived in order, were not acknowledged in time and came a second time: "
                 "acknowledgements were lost or late";
        f.remedy =
            "the way back from the responder; a slow responder or a timeout that is too short "
            "would look the same";
    } else if (v.dup == moved::yes && v.nothing_resent() &&
               (v.adaptive == moved::no || v.retry == moved::no)) {
        f.text = "the two ends contradict each other: requests arrived twice, and the requester "
                 "sent nothing again";
        f.remedy = same_connections;
    } else if (v.dup == moved::yes) {
        f.is = verdict::possible;
        f.text =
            v.adaptive == moved::yes
                ? "requests arrived twice; adaptive retransmission sends early copies, so that "
                  "takes no loss"
                : "requests arrived twice; that also follows when the requester goes back after "
                  "a gap";
    } else {
        f.text = "the responder's duplicates are not known";
    }
    return f;
}

finding lost_responses(const view &v)
{
    finding f;
    f.pattern = lost_resp;
    f.source = follows;
    v.ends.req.tell(f, {implied_nak});
    if (v.implied == moved::yes) {
        f.is = verdict::supported;
        f.text = "an acknowledgement overtook a read or atomic response: responses are lost or "
                 "reordered on the way to the requester";
        f.remedy = "drops and per-packet routing on the way from the responder";
    } else if (v.implied == moved::no) {
        f.is = verdict::contradicted;
        f.text = "no implied NAK; a lost last response would show as a timeout instead";
    } else {
        f.text = "implied NAKs are not known";
    }
    return f;
}

finding reordering(const view &v)
{
    finding f;
    f.pattern = reorder;
    f.source = rxe;
    data_lines(f, v);
    // The requester alone: what came out of sequence there is reordering too, of responses or of
    // other requests; that nothing did says nothing of the requests that arrive at the other end.
    const bool lone = !v.ends.resp.given();
    const moved own = lone ? v.ends.req.of(out_of_sequence) : moved::unknown;
    if (lone)
        v.ends.req.tell(f, out_of_sequence);
    const moved oos = own == moved::yes ? own : v.oos;
    const std::string came = own == moved::yes ? "packets arrived out of sequence at the requester"
                                               : "packets arrived out of sequence";
    if (v.naks_without_gaps()) {
        f.text = naks_but_no_gaps;
        f.remedy = same_connections;
    } else if (oos == moved::no) {
        f.is = verdict::contradicted;
        f.text = "nothing arrived out of sequence";
    } else if (own == moved::no) {
        f.text = "nothing arrived out of sequence at the requester; what arrived at the responder "
                 "is not known";
    } else if (oos == moved::unknown) {
        f.text = "packets out of sequence are not known";
    } else if (v.nothing_resent() && v.seq != moved::yes && v.implied != moved::yes) {
        f.is = verdict::supported;
        f.text = came + ", and neither a NAK nor a timeout followed: they came by different ways "
                        "and all came. No loss";
        f.remedy = "per-packet routing (adaptive routing) is the usual reason; no vendor page says "
                   "what these counters do under it";
    } else if (v.timeout == moved::unknown && v.late_copies()) {
        f.is = verdict::supported;
        f.text = "about as many requests came twice as came out of sequence: the missing packets "
                 "arrived late, after their copies. Loss beside it is not excluded";
    } else {
        f.is = verdict::possible;
        f.text = came + "; with NAKs or timeouts beside it loss and reordering look the same in "
                        "these counters";
        f.remedy = "with adaptive routing off, reordering would be gone and loss would stay";
    }
    return f;
}

finding timeouts_without_naks(const view &v)
{
    finding f;
    f.pattern = no_naks;
    f.source = reports;
    v.ends.req.tell(f, {ack_timeout, sequence_nak_received});
    v.ends.resp.tell(f, out_of_sequence);
    if (v.timeout == moved::no) {
        f.is = verdict::contradicted;
        f.text = "no timer ran out";
    } else if (v.timeout == moved::unknown) {
        f.text = "timeouts are not known as such";
    } else if (v.seq == moved::yes) {
        f.is = verdict::contradicted;
        f.text = "sequence NAKs came as well";
    } else {
        f.is = v.seq == moved::no ? verdict::supported : verdict::possible;
        f.text = "timers ran out and no NAK tells of a gap: the last packets of messages, whole "
                 "messages or their acknowledgements are lost, or the peer is slow";
        f.remedy =
            "is the traffic in the class that it should be in? All bytes in priority 0 and no "
            "pause frames (ethtool -S) mean a lossy class: look at the DSCP or priority mapping";
    }
    return f;
}

} // namespace

std::span<const std::string_view> patterns()
{
    return all_patterns;
}

std::vector<finding> judge_patterns(const both_ends &ends)
{
    const view v{ends};
    return {loss_towards_responder(v),   lost_acknowledgements(v),
            lost_responses(v),           reordering(v),
            timeouts_without_naks(v),    rnr_pressure(ends, rnr),
            dead_peer(ends, dead),       congestion_seen(ends, congest),
            fabric_errors(ends, fabric), refused_requests(ends, refused)};
}

} // namespace adp::counter
