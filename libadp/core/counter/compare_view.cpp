// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/compare_part.h"

#include <algorithm>

namespace adp::counter {

namespace {

struct status {
    concept_id what;
    std::uint32_t status;
    std::string_view name;
};
// What the requester's completion said (enum ibv_wc_status; the pairs seen in a public fault study).
constexpr status statuses[] = {
    {concept_id::transport_retries_exceeded, 12, "RETRY_EXC_ERR"},
    {concept_id::rnr_retries_exceeded, 13, "RNR_RETRY_EXC_ERR"},
    {concept_id::remote_access_error, 10, "REM_ACCESS_ERR"},
    {concept_id::remote_invalid_request, 9, "REM_INV_REQ_ERR"},
    {concept_id::remote_operation_error, 11, "REM_OP_ERR"},
};

const observation *find_name(const end_counters &e, std::string_view name)
{
    for (const observation &o : e.counters)
        if (o.name == name)
            return &o;
    return nullptr;
}

void common_notes(const end_counters &e, comparison &c)
{
    if (!e.given)
        return;
    const std::string who = std::string{to_string(e.role)};
    if (e.uncounted)
        c.notes.push_back(who + ": all its counters are 0 while the port has traffic: queue pairs "
                                "made through DEVX, or bound to another set, are outside them. 0 "
                                "is not \"healthy\", and contradicts nothing");
    if (e.unmeasured)
        c.notes.push_back(who + ": " + std::string{why_unmeasured} + ". They contradict nothing");
    if (e.totals)
        c.notes.push_back(who + ": these are totals since its counters began, not what happened in "
                                "an interval: take a second listing for a difference");
    if (const observation *o = find_name(e, "adaptive_routing_forced_en");
        o != nullptr && o->delta.value_or(0) == 1)
        c.notes.push_back(who + ": adaptive routing is forced on: out_of_sequence and "
                                "packet_seq_err are then no evidence of loss by themselves");
    for (const std::string &n : e.notes)
        c.notes.push_back(who + ": " + n);
    std::string unknown;
    std::string other_role;
    for (const observation &o : e.counters) {
        if (o.delta.value_or(0) == 0)
            continue;
        if (o.about->what == concept_id::unknown && o.name != "adaptive_routing_forced_en")
            unknown += (unknown.empty() ? "" : ", ") + o.name;
        else if (is_trouble(o.about->what) && o.about->end != side::unknown &&
                 o.about->end != e.role)
            other_role += (other_role.empty() ? "" : ", ") + o.name;
    }
    if (!unknown.empty())
        c.notes.push_back(who + ": moved, and what they mean is not known: " + unknown);
    if (!other_role.empty())
        c.notes.push_back(who + ": its port has the other role in some connections as well: " +
                          other_role + " moved");
}

} // namespace

bool is_trouble(concept_id c)
{
    switch (c) {
    case concept_id::unknown:
    case concept_id::other:
    case concept_id::request_received:
    case concept_id::request_sent:
    case concept_id::traffic_sent:
    case concept_id::traffic_received:
    case concept_id::acknowledgement:
    case concept_id::resource:
    case concept_id::setting: return false;
    default: return true;
    }
}

bool end_view::mine(const observation &o) const
{
    return o.about->end == side::unknown || o.about->end == e_.role;
}

bool end_view::measured(const observation &o) const
{
    return o.delta && (*o.delta != 0 || !(e_.uncounted || e_.unmeasured) || o.from == family::pma);
}

evidence end_view::line(const observation &o) const
{
    evidence e;
    e.end = e_.role;
    e.name = o.name;
    e.delta = o.delta;
    e.in = o.about->in;
    e.at_least = o.at_least;
    e.text = o.about->meaning;
    e.source = o.about->source;
    return e;
}

moved end_view::of(concept_id c, bool named) const
{
    moved m = moved::unknown;
    for (const observation &o : e_.counters) {
        if (o.about->what != c || !mine(o) || !measured(o))
            continue;
        if (named && o.about->end == side::unknown)
            continue;
        if (*o.delta != 0)
            return moved::yes;
        m = o.at_least ? m : moved::no;
    }
    return m;
}

moved end_view::any(std::initializer_list<concept_id> all) const
{
    moved m = moved::unknown;
    for (const concept_id c : all) {
        const moved one = of(c);
        if (one == moved::yes)
            return moved::yes;
        if (one == moved::no)
            m = moved::no;
    }
    return m;
}

std::uint64_t end_view::most(concept_id c) const
{
    std::uint64_t n = 0;
    for (const observation &o : e_.counters)
        if (o.about->what == c && mine(o))
            n = std::max(n, o.delta.value_or(0));
    return n;
}

bool end_view::quiet() const
{
    bool any = false;
    for (const observation &o : e_.counters) {
        if (!is_trouble(o.about->what) || !mine(o) || !measured(o))
            continue;
        if (*o.delta != 0)
            return false;
        any = true;
    }
    return e_.given && any;
}

void end_view::tell(finding &f, concept_id c, std::string text) const
{
    for (const observation &o : e_.counters) {
        if (o.about->what != c || !mine(o))
            continue;
        evidence e = line(o);
        if (!o.delta)
            e.text = "not known: " + o.reason;
        else if (!measured(o))
            e.text = e_.uncounted ? "not known: 0 as every counter of the port, which has traffic"
                                  : "not known: 0 as every counter of the port, maybe unmeasured";
        else if (!text.empty())
            e.text = text;
        f.lines.push_back(std::move(e));
    }
}

void end_view::tell(finding &f, std::initializer_list<concept_id> all) const
{
    for (const concept_id c : all)
        tell(f, c);
}

std::vector<evidence> end_view::moves() const
{
    std::vector<evidence> all;
    for (const observation &o : e_.counters)
        if (is_trouble(o.about->what) && o.delta.value_or(0) != 0)
            all.push_back(line(o));
    return all;
}

comparison compare_ends(const end_counters &requester, const end_counters &responder)
{
    comparison c;
    const both_ends ends{end_view{requester}, end_view{responder}};
    c.findings = judge_patterns(ends);
    bool at[2] = {};
    for (const end_view *v : {&ends.req, &ends.resp}) {
        for (evidence &e : v->moves()) {
            at[v == &ends.resp ? 1 : 0] = true;
            c.moves.push_back(std::move(e));
        }
        for (const status &s : statuses) {
            // Only the requester's completion has these; a responder's access error is the same event.
            for (const observation &o : v->end().counters)
                if (o.about->what == s.what && o.about->end != side::responder &&
                    v->role() == side::requester && o.delta.value_or(0) != 0) {
                    evidence e;
                    e.end = v->role();
                    e.name = o.name;
                    e.delta = o.delta;
                    e.in = o.about->in;
                    e.at_least = o.at_least;
                    e.text = o.about->meaning;
                    e.source = o.about->source;
                    c.fatal.push_back({s.status, s.name, std::move(e)});
                }
        }
    }
    if (at[0] && at[1])
        c.moved = which_end::both;
    else if (at[0])
        c.moved = which_end::requester;
    else if (at[1])
        c.moved = which_end::responder;
    else if (ends.req.quiet() && ends.resp.quiet())
        c.moved = which_end::none;
    else if (ends.req.quiet() || ends.resp.quiet())
        c.why_unknown = ends.req.quiet() ? "the requester counted no error or retry; what the "
                                           "responder counted is not known"
                                         : "the responder counted no error or retry; what the "
                                           "requester counted is not known";
    else if (requester.unmeasured || responder.unmeasured)
        c.why_unknown = "whether the port's zeros were measured is not known: nothing can be said";
    else if (requester.uncounted || responder.uncounted)
        c.why_unknown = "the counters do not count these queue pairs: nothing can be said";
    else
        c.why_unknown = "no counter of errors or retries is here: nothing can be said";
    common_notes(requester, c);
    common_notes(responder, c);
    if (!requester.given || !responder.given)
        c.notes.push_back("the counters of the " +
                          std::string{requester.given ? "responder" : "requester"} +
                          " are not here: what only they can tell stays undetermined");
    if (ends.resp.quiet() && c.moved == which_end::requester)
        c.notes.push_back("zeros at the responder are no proof of a good path: what never arrives "
                          "is not counted there");
    return c;
}

} // namespace adp::counter
