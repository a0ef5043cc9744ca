// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp flow plan: source ports that spread queue pairs evenly.
#include "flow_words.h"
#include "grammar.h"
#include "listing.h"
#include "text/format.h"

#include <fmt/ranges.h>

namespace adp::cli {

namespace {

void ports_word(const std::string &text, flow::plan_request &request)
{
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos)
        throw failure{adp::format("ports \"{}\": FIRST-LAST", text)};
    request.first =
        static_cast<std::uint16_t>(number(text.substr(0, dash), 0xffff, "the first port"));
    request.last =
        static_cast<std::uint16_t>(number(text.substr(dash + 1), 0xffff, "the last port"));
}

void add_stages(record &summary, const flow::flow_plan &plan)
{
    if (plan.stages.empty()) {
        summary.absent("stages", "counted in bits of a path's number, where each stage is linear "
                                 "with a power of two of paths");
        return;
    }
    record::list &list = summary.array("stages");
    for (const flow::stage_report &s : plan.stages) {
        record &item = list.item();
        item.data("bits", s.bits);
        item.data("reached", s.reached);
        item.data("added", s.added);
        if (s.shares_with == 0)
            item.absent("shares_with", "none");
        else
            item.data("shares_with", s.shares_with);
    }
}

void add_summary(record &summary, const flow::flow_plan &plan, bool details)
{
    summary.add("path_numbers", flow::to_string(plan.numbers), "path numbers");
    summary.data("paths", plan.paths);
    if (plan.reachable == 0)
        summary.absent("reachable", "which paths ports lead to is not known");
    else
        summary.data("reachable", plan.reachable);
    add_load(summary, plan.load);
    if (plan.max_load == 0)
        summary.absent("max_load", "which path a port takes is not known", "fullest path");
    else
        summary.add("max_load", plan.max_load, "fullest path");
    if (plan.reverse_max_load == 0)
        summary.absent("reverse_max_load", "the way back is not known");
    else
        summary.add("reverse_max_load", plan.reverse_max_load, "... of the way back");
    if (plan.worst_load != 0)
        summary.add("worst_load", plan.worst_load, "at worst");
    else
        summary.absent("worst_load", "the load is known");
    summary.add("ideal_load", plan.ideal_load, "at best");
    if (plan.random_load > 0)
        summary.add("random_load", plan.random_load, "without a plan",
                    adp::format("{:.2f} on average", plan.random_load));
    else
        summary.absent("random_load", "not computed for weights");
    summary.data("even", plan.even ? 1 : 0);
    summary.data("symmetric", plan.symmetric ? 1 : 0);
    summary.data("distinct_sports", plan.distinct_sports);
    summary.data("even_under", plan.even_under);
    if (!plan.even_under.empty() && plan.max_load == 0)
        summary.line(adp::format("even under {}", fmt::join(plan.even_under, ", ")));
    add_stages(summary, plan);
    add_notes(summary, plan.notes);
    summary.data("caveats", flow::plan_caveats());
    if (details)
        for (const std::string_view caveat : flow::plan_caveats())
            summary.line(adp::format("note: {}", caveat));
}

void add_planned(listing &out, std::size_t i, const flow::planned_qp &p)
{
    const bool known = p.path != flow::no_path;
    if (!out.for_programs()) {
        out.line(adp::format("{:<7} {:<5} {:<10} {:#x}", i, known ? std::to_string(p.path) : "-",
                             p.udp_sport, p.flow_label));
        return;
    }
    out.begin();
    out.data("qp", i);
    if (known)
        out.data("path", p.path);
    else
        out.absent("path", "the hash is not known");
    out.data("udp_sport", p.udp_sport);
    out.data("flow_label", p.flow_label);
    out.end();
}

} // namespace

void flow_plan(run &r)
{
    const std::string c = "flow plan";
    flow::plan_request request;
    path_words words;
    words.stages.front().paths = 0;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (words.take(r, i, c, true))
            continue;
        once.take(c, r.args[i]);
        if (r.args[i] == "qps")
            request.qps = field_word(r, ++i, c, "qps", 1U << 20);
        else if (r.args[i] == "ports")
            ports_word(need(r, ++i, c, "a range of ports"), request);
        else
            throw failure{adp::format("{}: \"{}\": unknown\n  adp help {}", c, r.args[i], c)};
    }
    if (request.qps == 0)
        throw failure{c + ": qps M is needed, 1 or more"};
    for (const flow::plan_stage &stage : words.stages)
        if (stage.paths == 0)
            throw failure{c + ": paths N is needed, 1 or more" +
                          (words.stages.size() > 1 ? ", for each stage" : "")};
    request.stages = words.stages;
    request.pair = words.pair(c);
    auto plan = flow::plan_flows(request);
    if (!plan)
        refuse(plan.err());
    listing out{r};
    out.line("qp      path  udp_sport  flow_label");
    for (std::size_t i = 0; i < plan->qps.size(); i++)
        add_planned(out, i, plan->qps[i]);
    record summary;
    add_summary(summary, *plan, r.opt.details > 0);
    out.add(summary);
    out.print(r);
}

} // namespace adp::cli
