// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp flow audit: how flows that exist fall on paths, and why.
#include "flow_words.h"
#include "grammar.h"

#include "flow/audit.h"
#include "flow/knob.h"
#include "text/format.h"

namespace adp::cli {

namespace {

constexpr std::size_t most_input = 256U << 20; // a few million lines

void add_ports(record &element, const flow::flow_audit &audit)
{
    element.add("distinct_sports", audit.distinct_sports, "distinct ports");
    element.add("entropy_bits", audit.entropy_bits, "entropy of the ports",
                adp::format("{:.2f} bits of {:.2f}", audit.entropy_bits, audit.ideal_bits));
    element.data("ideal_bits", audit.ideal_bits);
    element.data("distinct_flows", audit.distinct_flows);
    record::list &shared = element.array("shared_sports");
    for (const flow::shared_port &p : audit.shared) {
        record &item = shared.item();
        item.data("udp_sport", p.sport);
        item.data("flows", p.flows);
    }
}

void add_loads(record &element, const flow::flow_audit &audit)
{
    element.data("path_numbers", flow::to_string(audit.numbers));
    add_load(element, audit.load);
    const bool expected = audit.expected_max_over_mean > 0;
    element.add("max_over_mean", audit.max_over_mean, "fullest over mean",
                adp::format("{:.2f}{}", audit.max_over_mean,
                            expected
                                ? adp::format(" (chance: {:.2f})", audit.expected_max_over_mean)
                                : ""));
    if (expected)
        element.data("expected_max_over_mean", audit.expected_max_over_mean);
    else
        element.absent("expected_max_over_mean", "not computed for weights");
    element.data("max_load", audit.max_load);
    element.data("ideal_load", audit.ideal_load);
    element.data("mean_load", audit.mean_load);
    element.add("collisions", audit.collisions, "collisions");
}

// The settings that the remedies name, each with what is surprising about it.
void add_knobs(record &element, const flow::flow_audit &audit, bool details)
{
    record::list &list = element.array("settings", details ? "settings" : "");
    for (const flow::knob &k : flow::knobs()) {
        bool named = false;
        for (const flow::audit_cause &c : audit.causes)
            named = named || c.remedy.find(k.name) != std::string::npos;
        if (!named)
            continue;
        record &item = list.item();
        item.data("stack", k.stack);
        item.data("setting", k.name);
        item.words("default", k.value, "none");
        item.data("text", k.text);
        item.words("trap", k.trap, "none is known");
        item.data("confidence", flow::to_string(k.trust));
        item.words("source", k.source, "inferred");
        if (!details)
            continue;
        item.line(adp::format("{} {}{}: {} ({})", k.stack, k.name,
                              k.value.empty() ? "" : adp::format(" (default {})", k.value), k.text,
                              flow::to_string(k.trust)));
        if (!k.trap.empty())
            item.line(adp::format("  trap: {}", k.trap));
    }
}

} // namespace

void flow_audit(run &r)
{
    flow::audit_request request;
    path_words words;
    words.stages.front().paths = 8;
    std::string file;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (words.take(r, i, "flow audit", false))
            continue;
        if (!file.empty())
            throw failure{
                adp::format("flow audit: \"{}\": not expected\n  adp help flow audit", r.args[i])};
        file = r.args[i];
    }
    if (file.empty())
        throw failure{"flow audit: FILE is missing (- for standard input)"};
    request.stage = words.stages.front();
    request.pair = words.pair("flow audit");
    const flow::flow_list flows = flow::parse_flows(read_input(file, most_input));
    for (const flow::line_error &e : flows.errors)
        r.complain(adp::format("{}: {} {}: {}: {}", file, flows.elements ? "element" : "line",
                               e.line, e.reason, printable(e.text)));
    if (flows.error_count > flows.errors.size())
        r.complain(adp::format("{}: {} more {} in error", file,
                               flows.error_count - flows.errors.size(),
                               flows.elements ? "elements" : "lines"));
    if (flows.error_count != 0)
        r.raise(exit_request);
    auto audit = flow::audit_flows(flows, request);
    if (!audit)
        refuse(audit.err());
    record &element = r.element();
    element.add("flows", audit->flows, "flows");
    element.data("errors", flows.error_count);
    add_ports(element, *audit);
    element.add("paths", audit->paths, "paths");
    element.add("hash", flow::info(request.stage.hash.kind).name, "hash");
    add_loads(element, *audit);
    record::list &causes = element.array("causes", "causes");
    for (const flow::audit_cause &c : audit->causes) {
        record &item = causes.item();
        item.data("cause", flow::to_string(c.kind));
        item.data("flows", c.flows);
        item.data("text", c.text);
        item.words("remedy", c.remedy, "none is known");
        item.line(c.text);
        if (!c.remedy.empty())
            item.line("  " + c.remedy);
    }
    add_knobs(element, *audit, r.opt.details > 0);
    add_notes(element, audit->notes); // the list's own are among them
}

} // namespace adp::cli
