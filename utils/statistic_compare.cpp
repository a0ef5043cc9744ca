// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp statistic compare: both ends of a connection, what their counters support.
#include "grammar.h"
#include "statistic_input.h"
#include "words.h"

#include "counter/compare.h"
#include "text/format.h"

namespace adp::cli {

namespace {

struct end_words {
    bool given = false;
    std::vector<std::string> files;
    std::string port;
};

counter::end_counters read_end(const run &r, counter::side role, const end_words &words)
{
    counter::end_counters none;
    none.role = role;
    if (!words.given)
        return none;
    const counter::snapshot first = read_counters(r, words.files[0]);
    counter::snapshot second;
    if (words.files.size() > 1)
        second = read_counters(r, words.files[1]);
    auto end =
        counter::make_end(role, first, words.files.size() > 1 ? &second : nullptr, words.port);
    if (!end)
        throw failure{adp::format("{}: {}{}", counter::to_string(role), end.err().reason,
                                  end.err().remedy.empty() ? "" : "\n  " + end.err().remedy)};
    return std::move(*end);
}

std::string line_of(const counter::evidence &e)
{
    return adp::format("{:9} {} {}", counter::to_string(e.end), e.name,
                       e.delta ? delta_text(*e.delta, e.at_least, e.in) : "-");
}

void add_evidence(record::list &list, const counter::evidence &e, bool show)
{
    record &item = list.item();
    item.data("end", counter::to_string(e.end));
    item.data("name", e.name);
    item.maybe("delta", e.delta ? json(*e.delta) : json{}, "how far it moved is not known");
    item.data("at_least", e.at_least ? 1 : 0);
    item.data("unit", counter::to_string(e.in));
    item.data("text", e.text);
    item.data("source", e.source);
    if (show)
        item.line(one_line(adp::format("{}: {} [{}]", line_of(e), e.text, e.source)));
}

std::string summary(const counter::comparison &c)
{
    switch (c.moved) {
    case counter::which_end::none: return "neither end counted an error or a retry";
    case counter::which_end::requester: return "the requester moved";
    case counter::which_end::responder: return "the responder moved";
    case counter::which_end::both: return "both ends moved";
    case counter::which_end::unknown: break;
    }
    return c.why_unknown;
}

void add_finding(record::list &list, const counter::finding &f, bool show, bool details)
{
    record &item = list.item();
    item.data("pattern", f.pattern);
    item.data("verdict", counter::to_string(f.is));
    item.data("text", f.text);
    item.words("remedy", f.remedy, "nothing to look at follows from it");
    item.data("source", f.source);
    if (show)
        item.line(adp::format("{}: {}: {}", counter::to_string(f.is), f.pattern, f.text));
    record::list &lines = item.array("evidence");
    for (const counter::evidence &e : f.lines)
        add_evidence(lines, e, details);
    if (show && !f.remedy.empty())
        item.line("  look at: " + f.remedy);
    if (details)
        item.line(adp::format("  rule: {}", f.source));
}

} // namespace

void statistic_compare(run &r)
{
    const std::string command = "statistic compare";
    end_words requester, responder;
    end_words *now = nullptr;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        if (word == "requester" || word == "responder") {
            now = word == "requester" ? &requester : &responder;
            if (now->given)
                throw failure{adp::format("{}: {} is given twice", command, word)};
            now->given = true;
        } else if (now == nullptr) {
            throw failure{adp::format("{}: \"{}\": requester or responder first\n  adp help {}",
                                      command, word, command)};
        } else if (word == "port") {
            if (!now->port.empty())
                throw failure{adp::format("{}: port is given twice for one end", command)};
            now->port = need(r, ++i, command, "a port");
        } else if (now->files.size() == 2) {
            throw failure{adp::format("{}: \"{}\": a third file for one end", command, word)};
        } else {
            now->files.push_back(word);
        }
    }
    if (!requester.given && !responder.given)
        throw failure{adp::format(
            "{}: requester FILE and responder FILE are missing\n  adp help {}", command, command)};
    for (const end_words *e : {&requester, &responder})
        if (e->given && e->files.empty())
            throw failure{adp::format("{}: the {} has no file", command,
                                      e == &requester ? "requester" : "responder")};
    const counter::end_counters req = read_end(r, counter::side::requester, requester);
    const counter::end_counters resp = read_end(r, counter::side::responder, responder);
    const counter::comparison c = counter::compare_ends(req, resp);

    record &e = r.element();
    e.data("moved", counter::to_string(c.moved));
    e.line(summary(c));
    for (const counter::end_counters *end : {&req, &resp}) {
        const bool unnamed = end->where == "?"; // place() of a text that did not say
        e.words(std::string{counter::to_string(end->role)}, unnamed ? "" : end->where,
                unnamed ? "its listing names no device" : "this end was not given");
    }
    record::list &moves = e.array("moves");
    for (const counter::evidence &m : c.moves)
        add_evidence(moves, m, true);
    record::list &ended = e.array("ended");
    for (const counter::ended &d : c.fatal) {
        record &item = ended.item();
        item.data("status", d.status);
        item.data("name", d.name);
        item.data("counter", d.line.name);
        item.line(
            adp::format("queue pairs ended with {} ({}): {}", d.name, d.status, line_of(d.line)));
    }
    record::list &findings = e.array("findings");
    const bool details = r.opt.details > 0;
    for (const counter::verdict v :
         {counter::verdict::supported, counter::verdict::possible, counter::verdict::contradicted,
          counter::verdict::undetermined})
        for (const counter::finding &f : c.findings)
            if (f.is == v)
                add_finding(findings, f, true, details);
    e.data("notes", c.notes);
    for (const std::string &n : c.notes)
        e.line(one_line("note: " + n));
    if (!c.quiet())
        r.raise(exit_differs);
}

} // namespace adp::cli
