// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "statistic.h"

#include "statistic_input.h"
#include "switch_port.h"
#include "text/format.h"
#include "words.h"

#include <algorithm>
#include <array>
#include <fmt/ranges.h>
#include <fnmatch.h>

namespace adp::cli {

namespace {

using counter::concept_id;

enum class section : std::uint8_t {
    requester,
    gave_up,
    responder,
    either,
    congestion,
    errors,
    traffic,
    port,
    other,
    count
};

constexpr std::array<std::string_view, static_cast<std::size_t>(section::count)> headings = {
    "retransmission, counted where requests are sent",
    "retries exceeded: the queue pair failed",
    "retransmission, counted where requests arrive",
    "retransmission; no source says at which end it is counted",
    "congestion control",
    "completion and access errors",
    "traffic",
    "link and port",
    "other",
};

// Retransmission by the end that a source gives the counter, never by what it sounds like.
section of_end(counter::side end)
{
    switch (end) {
    case counter::side::requester: return section::requester;
    case counter::side::responder: return section::responder;
    default: return section::either;
    }
}

section section_of(const counter::description &d)
{
    switch (d.what) {
    case concept_id::ack_timeout:
    case concept_id::sequence_nak_received:
    case concept_id::implied_nak:
    case concept_id::rnr_nak_received:
    case concept_id::any_retry:
    case concept_id::retransmitted:
    case concept_id::adaptive_retransmission:
    case concept_id::adaptive_timeout:
    case concept_id::slow_restart:
    case concept_id::out_of_sequence:
    case concept_id::duplicate_request:
    case concept_id::rnr_nak_sent:
    case concept_id::no_receive_buffer: return of_end(d.end);
    case concept_id::transport_retries_exceeded:
    case concept_id::rnr_retries_exceeded:
    case concept_id::unresponsive_peer: return section::gave_up;
    case concept_id::ecn_marked:
    case concept_id::cnp_sent:
    case concept_id::cnp_handled:
    case concept_id::cnp_ignored:
    case concept_id::cnp_received:
    case concept_id::congestion: return section::congestion;
    case concept_id::completion_error:
    case concept_id::completion_flushed:
    case concept_id::remote_access_error:
    case concept_id::remote_invalid_request:
    case concept_id::remote_operation_error:
    case concept_id::local_error:
    case concept_id::icrc_error:
    case concept_id::drop: return section::errors;
    case concept_id::request_received:
    case concept_id::request_sent:
    case concept_id::traffic_sent:
    case concept_id::traffic_received:
    case concept_id::acknowledgement: return section::traffic;
    case concept_id::link_error:
    case concept_id::link_downed:
    case concept_id::port_error:
    case concept_id::port_discard:
    case concept_id::port_wait: return section::port;
    default: return section::other;
    }
}

std::string in_words(std::string_view concept_word)
{
    std::string text{concept_word};
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

// "7", ">= 255", "1009 (stale)".
std::string number_text(const counter::value &v)
{
    switch (v.is) {
    case counter::state::measured: return adp::format("{}", v.number);
    case counter::state::saturated: return adp::format(">= {}", v.number);
    case counter::state::stale: return adp::format("{} (stale)", v.number);
    default: return "-";
    }
}

std::string label_of(const counter::value &v)
{
    const bool plain = v.about->what == concept_id::unknown || v.about->what == concept_id::other ||
                       v.about->what == concept_id::resource;
    return plain ? "" : in_words(counter::to_string(v.about->what));
}

void add_lines(std::string &text, const std::vector<const counter::value *> &values, int details)
{
    std::size_t width = 0, label_width = 0;
    for (const counter::value *v : values) {
        width = std::max(width, number_text(*v).size());
        label_width = std::max(label_width, label_of(*v).size());
    }
    for (const counter::value *v : values) {
        text += adp::format("    {:>{}}  {:<{}}  {}", number_text(*v), width, label_of(*v),
                            label_width, shown_name(v->name));
        if (details > 0) {
            const counter::description &d = *v->about;
            text += adp::format("  [{}, {}]", counter::to_string(d.in), counter::to_string(d.end));
            if (!d.meaning.empty())
                text += adp::format("\n    {:>{}}  {}", "", width, d.meaning);
        }
        text += "\n";
    }
}

void add_absent(std::string &text, const std::vector<counter::value> &values, counter::state is,
                const char *adjective)
{
    for (const std::string &line : absent_lines(values, is, adjective))
        text += adp::format("  {}\n", line);
}

} // namespace

std::vector<std::string> absent_lines(const std::vector<counter::value> &values, counter::state is,
                                      const char *adjective)
{
    std::vector<std::pair<std::string, std::string>> lines; // why, names
    for (const counter::value &v : values) {
        if (v.is != is)
            continue;
        const std::string why = !v.gate.empty() ? "capability " + v.gate : v.reason;
        auto line = std::find_if(lines.begin(), lines.end(),
                                 [&why](const auto &l) { return l.first == why; });
        if (line == lines.end())
            line = lines.insert(lines.end(), {why, ""});
        line->second += (line->second.empty() ? "" : ", ") + shown_name(v.name);
    }
    std::vector<std::string> text;
    for (const auto &[why, names] : lines)
        text.push_back(adp::format("{}: {}{}", adjective, names,
                                   why.empty() ? "" : adp::format(" ({})", one_line(why))));
    return text;
}

std::string shown_name(const std::string &name)
{
    return one_line(name.substr(0, 64)) + (name.size() > 64 ? "..." : "");
}

std::string grouped(const std::vector<counter::value> &values, int details)
{
    std::string text;
    for (std::size_t s = 0; s < headings.size(); s++) {
        std::vector<const counter::value *> moved;
        std::string zeros;
        for (const counter::value &v : values) {
            if (!v.has_number() || section_of(*v.about) != static_cast<section>(s))
                continue;
            if (v.number != 0 || details > 0)
                moved.push_back(&v);
            else
                zeros += (zeros.empty() ? "" : ", ") + shown_name(v.name);
        }
        if (moved.empty() && zeros.empty())
            continue;
        text += adp::format("  {}\n", headings[s]);
        add_lines(text, moved, details);
        if (!zeros.empty())
            text += adp::format("    0: {}\n", zeros);
    }
    add_absent(text, values, counter::state::unreadable, "cannot be read");
    add_absent(text, values, counter::state::not_measured, "not measured");
    add_absent(text, values, counter::state::optional_off, "off");
    add_absent(text, values, counter::state::not_exposed, "not shown by this device");
    return text;
}

record &add_counter(record::list &list, const counter::value &v)
{
    const counter::description &d = *v.about;
    record &c = list.item();
    c.data("name", v.name);
    c.data("value", v.has_number() ? json(v.number) : json{}); // null: the state says why
    c.data("state", counter::to_string(v.is));
    add_description(c, d);
    c.data("overflow", counter::to_string(d.at_end));
    if (!v.gate.empty())
        c.data("gate", v.gate);
    if (!v.reason.empty())
        c.data("reason", v.reason);
    if (v.error != 0)
        c.data("errno", ::strerrorname_np(v.error));
    return c;
}

std::string place_of(const taken &t)
{
    return counter::place(t.counters);
}

void identify_counters(record &element, const taken &t, const adp_context *ctx)
{
    const counter::port_counters &p = t.counters;
    element.data("dev", p.dev);
    if (p.source.empty())
        element.absent("path", t.reason);
    else
        element.data("path", p.source);
    element.data("simulated", adp_device_simulated(adp_context_device(ctx)));
    element.words("pci", p.pci, "no PCI function behind it");
    element.words("driver", p.driver,
                  t.err != 0 ? t.reason : std::string{"whose names these are is not known"});
    element.maybe("port", p.port ? json(*p.port) : json{}, "the device level");
    if (!p.function.empty()) {
        element.data("function", p.function);
        if (!t.function_reason.empty())
            element.data("function_reason", t.function_reason);
    } else {
        element.absent("function", !t.function_reason.empty()
                                       ? t.function_reason
                                       : std::string{"the device's own function"});
    }
    element.words("netdev", p.netdev,
                  !t.function_reason.empty()
                      ? t.function_reason
                      : std::string{"shown at ports in switchdev mode alone"});
    identify_switch_port(element, t.devlink);
    element.words("source", p.source, t.reason);
    if (!t.note.empty())
        element.data("source_reason", t.note);
}

bool counter_filter::passes(const counter::value &v) const
{
    if (side && v.about->end != *side)
        return false;
    if (!concept_word.empty() && counter::to_string(v.about->what) != concept_word)
        return false;
    if (!name.empty() && ::fnmatch(name.c_str(), v.name.c_str(), 0) != 0)
        return false;
    return !nonzero || (v.has_number() && v.number != 0);
}

bool take_filter(const run &r, std::size_t &i, const std::string &command, keywords &once,
                 counter_filter &filter)
{
    const std::string &word = r.args[i];
    for (const char *known : {"nonzero", "side", "concept", "name"})
        if (word == known)
            once.take(command, word);
    if (word == "nonzero") {
        filter.nonzero = true;
        return true;
    }
    if (word == "side") {
        const std::string &side = need(r, ++i, command, "side requester|responder|unknown");
        for (const auto s :
             {counter::side::unknown, counter::side::requester, counter::side::responder})
            if (counter::to_string(s) == side)
                filter.side = s;
        if (!filter.side)
            throw failure{
                adp::format("{}: side \"{}\": requester, responder or unknown", command, side)};
        return true;
    }
    if (word == "concept") {
        const std::string &given = need(r, ++i, command, "concept WORD");
        std::vector<std::string_view> known;
        for (unsigned c = 0; c <= static_cast<unsigned>(concept_id::setting); c++)
            known.push_back(counter::to_string(static_cast<concept_id>(c)));
        if (std::find(known.begin(), known.end(), given) == known.end())
            throw failure{adp::format("{}: concept \"{}\": unknown; one of {}", command, given,
                                      fmt::join(known, ", "))};
        filter.concept_word = given;
        return true;
    }
    if (word == "name") {
        filter.name = need(r, ++i, command, "name PATTERN");
        return true;
    }
    return false;
}

} // namespace adp::cli
