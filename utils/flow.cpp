// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp flow: arithmetic on flow labels and UDP source ports; no device is asked.
#include "grammar.h"
#include "words.h"

#include "flow/audit.h"
#include "flow/derivation.h"
#include "flow/filter.h"
#include "flow/find.h"
#include "flow/plan.h"
#include "flow/rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace adp::cli {

namespace {

[[noreturn]] void refuse(const error &e)
{
    throw failure{e.reason + (e.remedy.empty() ? "" : "\n  " + e.remedy)};
}

std::uint32_t field_word(const run &r, std::size_t i, const std::string &command,
                         const std::string &what, std::uint32_t max)
{
    return static_cast<std::uint32_t>(number(need(r, i, command, what), max, what));
}

std::string label_text(std::uint32_t label)
{
    return fmt::format("{:#x}", label);
}

std::string sport_text(std::uint32_t sport)
{
    return fmt::format("{} ({:#x})", sport, sport);
}

void add_sport(record &element, std::uint32_t label, std::uint32_t sport, const char *derivation)
{
    element.add("flow_label", label, "flow label", label_text(label));
    element.add("udp_sport", sport, "UDP source port", sport_text(sport));
    element.add("derivation", derivation, "derivation");
}

flow::hash_model hash_word(const std::string &name)
{
    const flow::hash_info *h = flow::find_hash(name);
    if (h == nullptr) {
        std::vector<std::string_view> names;
        for (const flow::hash_info &each : flow::hashes())
            if (each.kind != flow::hash_kind::unknown)
                names.push_back(each.name);
        throw failure{fmt::format("hash \"{}\": unknown\n  one of {}, unknown", name,
                                  fmt::join(names, ", "))};
    }
    flow::hash_model model;
    model.kind = h->kind;
    return model;
}

flow::address address_word(const std::string &text)
{
    const auto a = flow::parse_address(text);
    if (!a)
        throw failure{fmt::format("\"{}\": not an IP address", text)};
    return *a;
}

// Words that plan and audit share: paths N, hash H, seed N, src A, dst B.
struct path_words {
    flow::plan_stage stage;
    std::optional<flow::address> src, dst;

    bool take(const run &r, std::size_t &i, const std::string &command)
    {
        const std::string &word = r.args[i];
        if (word == "paths")
            stage.paths = field_word(r, ++i, command, "paths", 65536);
        else if (word == "hash")
            stage.hash.kind = hash_word(need(r, ++i, command, "the name of a hash")).kind;
        else if (word == "seed")
            stage.hash.seed = field_word(r, ++i, command, "seed", UINT32_MAX);
        else if (word == "src")
            src = address_word(need(r, ++i, command, "a source address"));
        else if (word == "dst")
            dst = address_word(need(r, ++i, command, "a destination address"));
        else
            return false;
        return true;
    }

    std::optional<flow::address_pair> pair(const std::string &command) const
    {
        if (src.has_value() != dst.has_value())
            throw failure{command + ": src and dst go together"};
        return src ? std::optional<flow::address_pair>{{*src, *dst}} : std::nullopt;
    }
};

void add_load(record &element, const std::vector<std::uint64_t> &load)
{
    if (load.empty())
        element.absent("load", "which path a port takes is not known", "load");
    else
        element.add("load", load, "load", fmt::format("{}", fmt::join(load, " ")));
}

void add_notes(record &element, const std::vector<std::string> &notes)
{
    element.data("notes", notes);
    for (const std::string &note : notes)
        element.line("note: " + note);
}

} // namespace

void flow_label(run &r)
{
    const std::uint32_t l = field_word(r, 0, "flow label", "LQPN", flow::qpn_mask);
    const std::uint32_t q = field_word(r, 1, "flow label", "RQPN", flow::qpn_mask);
    no_more(r, 2, "flow label");
    record &element = r.element();
    element.data("lqpn", l);
    element.data("rqpn", q);
    const std::uint32_t label = flow::calc_flow_label(l, q);
    add_sport(element, label, flow::flow_label_to_udp_sport(label), "rdma_calc_flow_label");
}

void flow_sport(run &r)
{
    std::optional<std::uint32_t> label, l, q;
    std::optional<std::pair<std::uint32_t, std::uint32_t>> cm;
    const std::string c = "flow sport";
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        if (word == "label")
            label = field_word(r, ++i, c, "label", flow::label_mask);
        else if (word == "lqpn")
            l = field_word(r, ++i, c, "lqpn", flow::qpn_mask);
        else if (word == "rqpn")
            q = field_word(r, ++i, c, "rqpn", flow::qpn_mask);
        else if (word == "cm") {
            const std::uint32_t s = field_word(r, ++i, c, "CM source port", 0xffff);
            cm = {s, field_word(r, ++i, c, "CM destination port", 0xffff)};
        } else
            throw failure{fmt::format("flow sport: \"{}\": unknown\n  adp help flow sport", word)};
    }
    if (l.has_value() != q.has_value())
        throw failure{"flow sport: lqpn and rqpn go together"};
    if (!label && !l && !cm)
        throw failure{"flow sport: label L, lqpn A rqpn B, or cm SPORT DPORT is missing"};
    record &element = r.element();
    if (cm) {
        const std::uint32_t from_cm = flow::cm_flow_label(cm->first, cm->second);
        const std::uint32_t used = label.value_or(from_cm);
        add_sport(element, used, flow::calc_udp_sport(used, l.value_or(0), q.value_or(0)),
                  label ? "label" : "rdma-cm");
        if (!label)
            element.line("not symmetric, but both directions use the active side's label");
        return;
    }
    const std::uint32_t used =
        label.value_or(0) != 0 || !l ? label.value_or(0) : flow::calc_flow_label(*l, *q);
    add_sport(element, used, flow::flow_label_to_udp_sport(used),
              label.value_or(0) != 0 ? "label"
              : l                    ? "rdma_calc_flow_label"
                                     : "label");
    if (used == 0 && !l)
        element.line("drivers take label 0 for none and hash the QPNs instead");
}

void flow_find(run &r)
{
    const std::uint32_t sport = field_word(r, 0, "flow find", "SPORT", 0xffff);
    flow::find_options options;
    if (r.args.size() > 1) {
        if (r.args[1] != "lqpn" || r.args.size() != 5 || r.args[3] != "rqpn")
            throw failure{"flow find: SPORT [ lqpn A rqpn B ]"};
        options.qpns = {field_word(r, 2, "flow find", "lqpn", flow::qpn_mask),
                        field_word(r, 4, "flow find", "rqpn", flow::qpn_mask)};
    }
    auto found = flow::find_derivations(sport, options);
    if (!found)
        refuse(found.err());
    record &element = r.element();
    element.add("udp_sport", sport, "UDP source port", sport_text(sport));
    const flow::label_set labels = flow::udp_sport_to_flow_labels(sport);
    json all = json::array();
    std::string text;
    for (std::uint32_t i = 0; i < labels.count; i++) {
        all.push_back(labels.label[i]);
        if (i < 4)
            text += (i == 0 ? "" : ", ") + label_text(labels.label[i]);
    }
    element.add("flow_labels", all, "flow labels",
                labels.count == 0 ? "none: below 49152"
                                  : fmt::format("{} ... ({})", text, labels.count));
    record::list &list = element.array("derivations", "derivations");
    for (const flow::found_derivation &d : *found) {
        record &item = list.item();
        item.data("derivation", d.name);
        item.data("flow_label", d.label ? json(*d.label) : json{});
        item.data("likely", d.likely ? 1 : 0);
        item.data("text", d.text);
        item.line(fmt::format("{}{}: {}", d.likely ? "" : "possible, ", d.name, d.text));
    }
}

void flow_plan(run &r)
{
    flow::plan_request request;
    path_words words;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (words.take(r, i, "flow plan"))
            continue;
        if (r.args[i] == "qps")
            request.qps = field_word(r, ++i, "flow plan", "qps", 1U << 20);
        else
            throw failure{
                fmt::format("flow plan: \"{}\": unknown\n  adp help flow plan", r.args[i])};
    }
    if (request.qps == 0 || words.stage.paths < 2)
        throw failure{"flow plan: paths N (2 or more) and qps M are needed"};
    request.stages = {words.stage};
    request.pair = words.pair("flow plan");
    auto plan = flow::plan_flows(request);
    if (!plan)
        refuse(plan.err());
    for (std::size_t i = 0; i < plan->qps.size(); i++) {
        const flow::planned_qp &p = plan->qps[i];
        record &item = r.element();
        if (i == 0)
            item.line("qp      path  udp_sport  flow_label");
        item.data("qp", i);
        item.data("path", p.path == flow::no_path ? json{} : json(p.path));
        item.data("udp_sport", p.udp_sport);
        item.data("flow_label", p.flow_label);
        item.line(fmt::format("{:<7} {:<5} {:<10} {:#x}", i,
                              p.path == flow::no_path ? "-" : std::to_string(p.path), p.udp_sport,
                              p.flow_label));
    }
    record &summary = r.element();
    summary.add("path_numbers", flow::to_string(plan->numbers), "path numbers");
    add_load(summary, plan->load);
    summary.add("max_load", plan->max_load, "fullest path");
    summary.add("ideal_load", plan->ideal_load, "at best");
    summary.add("random_load", plan->random_load, "without a plan",
                fmt::format("{:.2f} on average", plan->random_load));
    summary.data("even", plan->even ? 1 : 0);
    summary.data("distinct_sports", plan->distinct_sports);
    add_notes(summary, plan->notes);
}

void flow_audit(run &r)
{
    flow::audit_request request;
    path_words words;
    words.stage.paths = 8;
    std::string file;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (words.take(r, i, "flow audit"))
            continue;
        if (!file.empty())
            throw failure{
                fmt::format("flow audit: \"{}\": not expected\n  adp help flow audit", r.args[i])};
        file = r.args[i];
    }
    if (file.empty())
        throw failure{"flow audit: FILE is missing (- for standard input)"};
    request.stage = words.stage;
    request.pair = words.pair("flow audit");
    const flow::flow_list flows = flow::parse_flows(read_input(file));
    for (const flow::line_error &e : flows.errors)
        r.complain(fmt::format("{}: line {}: {}: {}", file, e.line, e.reason, e.text));
    if (flows.error_count != 0)
        r.raise(exit_request);
    auto audit = flow::audit_flows(flows, request);
    if (!audit)
        refuse(audit.err());
    record &element = r.element();
    element.add("flows", audit->flows, "flows");
    element.add("distinct_sports", audit->distinct_sports, "distinct ports");
    element.add("paths", audit->paths, "paths");
    element.add("hash", flow::info(request.stage.hash.kind).name, "hash");
    add_load(element, audit->load);
    element.add("max_over_mean", audit->max_over_mean, "fullest over mean",
                fmt::format("{:.2f} (chance: {:.2f})", audit->max_over_mean,
                            audit->expected_max_over_mean));
    element.data("expected_max_over_mean", audit->expected_max_over_mean);
    element.add("collisions", audit->collisions, "collisions");
    record::list &causes = element.array("causes", "causes");
    for (const flow::audit_cause &c : audit->causes) {
        record &item = causes.item();
        item.data("cause", flow::to_string(c.kind));
        item.data("flows", c.flows);
        item.data("text", c.text);
        item.data("remedy", c.remedy.empty() ? json{} : json(c.remedy));
        item.line(c.text);
        if (!c.remedy.empty())
            item.line("  " + c.remedy);
    }
    add_notes(element, audit->notes); // the list's own are among them
}

void flow_filter(run &r)
{
    flow::filter_options options;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (r.args[i] == "vlan")
            options.vlan_tags = field_word(r, ++i, "flow filter", "vlan", 4);
        else if (r.args[i] == "host")
            options.host = address_word(need(r, ++i, "flow filter", "an address"));
        else
            throw failure{
                fmt::format("flow filter: \"{}\": unknown\n  adp help flow filter", r.args[i])};
    }
    auto filter = flow::make_filter(options);
    if (!filter)
        refuse(filter.err());
    record &element = r.element();
    element.data("filter", filter->expression);
    element.line(filter->expression);
    element.data("notes", filter->notes);
    if (r.opt.details > 0)
        for (const std::string &note : filter->notes)
            element.line("# " + note);
}

void flow_rules(run &r)
{
    no_more(r, 1, "flow rules");
    if (!r.args.empty() && flow::find_sport_rule(r.args[0]) == nullptr)
        throw failure{fmt::format("flow rules: \"{}\": no such driver or stack", r.args[0])};
    for (const flow::rule_row &row : flow::sport_rules()) {
        if (!r.args.empty() && flow::find_sport_rule(r.args[0]) != &row)
            continue;
        record &element = r.element(std::string{row.name});
        element.data("name", row.name);
        element.data("kind", row.driver ? "driver" : "stack");
        const auto choice = [&element](const char *key, const char *label,
                                       const flow::sport_choice &c) {
            record &o = element.object(key);
            o.data("rule", flow::to_string(c.rule));
            o.data("confidence", flow::to_string(c.trust));
            o.data("text", c.text);
            element.line(fmt::format("{:14} {} ({})", label, c.text, flow::to_string(c.trust)));
        };
        choice("connected", "connected QP", row.connected);
        choice("address_handle", "address handle", row.handle);
        element.data("source", row.source);
        if (r.opt.details > 0)
            element.line(fmt::format("{:14} {}", "source", row.source));
        if (!row.note.empty())
            element.line(std::string{row.note});
        element.data("note", row.note.empty() ? json{} : json(row.note));
    }
}

} // namespace adp::cli
