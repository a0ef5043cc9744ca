// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp flow: arithmetic on flow labels and UDP source ports; no device is asked.
#include "flow_words.h"
#include "grammar.h"

#include "flow/derivation.h"
#include "flow/filter.h"
#include "flow/find.h"
#include "flow/rule.h"
#include "text/format.h"

namespace adp::cli {

namespace {

std::string label_text(std::uint32_t label)
{
    return adp::format("{:#x}", label);
}

std::string sport_text(std::uint32_t sport)
{
    return adp::format("{} ({:#x})", sport, sport);
}

void add_sport(record &element, std::uint32_t label, std::uint32_t sport, const char *derivation)
{
    element.add("flow_label", label, "flow label", label_text(label));
    element.add("udp_sport", sport, "UDP source port", sport_text(sport));
    element.add("derivation", derivation, "derivation");
}

// cm SPORT DPORT [flowinfo F]: the label. i stands on the last of them afterwards.
std::uint32_t cm_word(const run &r, std::size_t &i)
{
    const std::string c = "flow sport";
    const std::uint32_t from = field_word(r, ++i, c, "CM source port", 0xffff);
    const std::uint32_t to = field_word(r, ++i, c, "CM destination port", 0xffff);
    std::uint32_t flowinfo = 0;
    if (i + 1 < r.args.size() && r.args[i + 1] == "flowinfo") {
        i++;
        flowinfo = field_word(r, ++i, c, "flowinfo", UINT32_MAX);
    }
    return flow::cm_flow_label(from, to, flowinfo);
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
    using notes = std::vector<std::string>;
    std::optional<std::uint32_t> label, l, q;
    std::optional<std::uint32_t> cm;
    const std::string c = "flow sport";
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        once.take(c, word);
        if (word == "label")
            label = field_word(r, ++i, c, "label", flow::label_mask);
        else if (word == "lqpn")
            l = field_word(r, ++i, c, "lqpn", flow::qpn_mask);
        else if (word == "rqpn")
            q = field_word(r, ++i, c, "rqpn", flow::qpn_mask);
        else if (word == "cm")
            cm = cm_word(r, i);
        else
            throw failure{adp::format("flow sport: \"{}\": unknown\n  adp help flow sport", word)};
    }
    if (l.has_value() != q.has_value())
        throw failure{"flow sport: lqpn and rqpn go together"};
    if (label && cm)
        throw failure{"flow sport: a label of the application's or that of RDMA-CM, not both"};
    if (!label && !l && !cm)
        throw failure{"flow sport: label L, lqpn A rqpn B, or cm SPORT DPORT is missing"};
    record &element = r.element();
    const std::uint32_t given = label.value_or(cm.value_or(0));
    if (given == 0 && l) {
        const std::uint32_t hash = flow::calc_flow_label(*l, *q);
        add_sport(element, hash, flow::flow_label_to_udp_sport(hash), "rdma_calc_flow_label");
        add_notes(element, label || cm ? notes{"a label of 0 is none: the QPNs decide"} : notes{});
        return;
    }
    add_sport(element, given, flow::flow_label_to_udp_sport(given), cm ? "rdma-cm" : "label");
    if (given == 0)
        add_notes(element,
                  {"drivers take label 0 for none and hash the QPNs instead: give lqpn and "
                   "rqpn"});
    else
        add_notes(element, cm ? notes{"not symmetric, but both directions use the active side's "
                                      "label"}
                              : notes{});
}

void flow_find(run &r)
{
    const std::uint32_t sport = field_word(r, 0, "flow find", "SPORT", 0xffff);
    flow::find_options options;
    std::optional<std::uint32_t> l, q;
    keywords once;
    for (std::size_t i = 1; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        once.take("flow find", word);
        if (word == "lqpn")
            l = field_word(r, ++i, "flow find", "lqpn", flow::qpn_mask);
        else if (word == "rqpn")
            q = field_word(r, ++i, "flow find", "rqpn", flow::qpn_mask);
        else if (word == "ucx_factor")
            options.ucx_factor = field_word(r, ++i, "flow find", "ucx_factor", UINT32_MAX);
        else if (word == "ucx_paths")
            options.max_paths = field_word(r, ++i, "flow find", "ucx_paths", 16384);
        else
            throw failure{adp::format("flow find: \"{}\": unknown\n  adp help flow find", word)};
    }
    if (q && !l)
        throw failure{"flow find: rqpn goes with lqpn"};
    if (options.ucx_factor == 0)
        throw failure{"flow find: ucx_factor 0: at least 1"};
    options.lqpn = l;
    options.rqpn = q;
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
                                  : adp::format("{} ... ({})", text, labels.count));
    record::list &list = element.array("derivations", "derivations");
    for (const flow::found_derivation &d : *found) {
        record &item = list.item();
        item.data("derivation", d.name);
        if (d.label)
            item.data("flow_label", *d.label);
        else
            item.absent("flow_label", "it comes without a label");
        item.data("likely", d.likely ? 1 : 0);
        item.data("text", d.text);
        item.line(adp::format("{}{}: {}", d.likely ? "" : "possible, ", d.name, d.text));
    }
}

void flow_filter(run &r)
{
    flow::filter_options options;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        once.take("flow filter", r.args[i]);
        if (r.args[i] == "vlan")
            options.vlan_tags = field_word(r, ++i, "flow filter", "vlan", 4);
        else if (r.args[i] == "host")
            options.host = address_word(need(r, ++i, "flow filter", "an address"));
        else
            throw failure{
                adp::format("flow filter: \"{}\": unknown\n  adp help flow filter", r.args[i])};
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
        throw failure{adp::format("flow rules: \"{}\": no such driver or stack", r.args[0])};
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
            if (c.rule == flow::sport_rule::constant)
                o.data("udp_sport", c.value);
            o.words("text", c.text, "the rule says it all");
            if (c.rule == flow::sport_rule::none && c.text.empty())
                return; // it has nothing to do with such traffic
            std::string text{flow::to_string(c.rule)};
            if (c.rule == flow::sport_rule::constant)
                text += adp::format(" {}", c.value);
            if (!c.text.empty())
                text += adp::format("; {}", c.text);
            element.line(adp::format("{:14} {} ({})", label, text, flow::to_string(c.trust)));
        };
        choice("connected", "connected QP", row.connected);
        choice("address_handle", "address handle", row.handle);
        element.words("source", row.source, "none: inferred");
        if (r.opt.details > 0)
            element.line(adp::format("{:14} {}", "source", row.source));
        if (!row.note.empty())
            element.line(std::string{row.note});
        element.words("note", row.note, "none");
    }
}

} // namespace adp::cli
