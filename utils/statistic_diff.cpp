// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp statistic diff: two snapshots or listings, what moved between them.
#include "grammar.h"
#include "statistic.h"
#include "statistic_input.h"
#include "text/format.h"
#include "words.h"

#include <algorithm>
#include <cstdlib>

namespace adp::cli {

namespace {

void add_number(record &item, const char *key, const counter::value &v)
{
    const std::string why = v.reason.empty() ? std::string{counter::to_string(v.is)} : v.reason;
    item.maybe(key, v.has_number() ? json(v.number) : json{}, why);
}

bool worth_a_line(const counter::counter_change &c)
{
    switch (c.what.is) {
    case counter::step::same:
    case counter::step::frozen: return false;
    case counter::step::gauge: return c.before.number != c.after.number;
    case counter::step::no_number: return c.before.is != c.after.is;
    default: return true;
    }
}

std::string text_of(const counter::counter_change &c, std::optional<std::int64_t> interval,
                    std::optional<std::uint64_t> speed)
{
    const counter::description &d = *c.latest().about;
    std::string text;
    if (c.what.is == counter::step::gauge)
        text = adp::format("{} -> {}", grouped(c.before.number), grouped(c.after.number));
    else if (c.what.delta)
        text = delta_text(*c.what.delta, c.what.is == counter::step::at_least, d.in);
    else
        text = adp::format("{} -> {}", c.before.has_number() ? grouped(c.before.number) : "-",
                           c.after.has_number() ? grouped(c.after.number) : "-");
    if (c.what.delta && *c.what.delta != 0) {
        if (const auto bits = counter::bits_per_second(d, *c.what.delta, interval)) {
            text += adp::format("  {}bit{}",
                                rate_text(*bits).substr(0, rate_text(*bits).size() - 2), "/s");
            if (counter::above_link_speed(*bits, speed))
                text += "  above the link's speed: a wrong unit, interval or reset";
        } else if (const auto rate = counter::rate(*c.what.delta, interval)) {
            text += "  " + rate_text(*rate);
        }
    }
    if (d.end != counter::side::unknown)
        text += adp::format("  {}", counter::to_string(d.end));
    if (!c.what.reason.empty())
        text += adp::format("  ({})", c.what.reason);
    return one_line(text);
}

void add_counter(record::list &list, const counter::counter_change &c,
                 std::optional<std::int64_t> interval, std::optional<std::uint64_t> speed,
                 bool show, std::size_t width)
{
    const counter::value &v = c.latest();
    record &item = list.item();
    item.data("name", v.name);
    item.data("family", counter::to_string(c.from));
    add_number(item, "before", c.before);
    add_number(item, "after", c.after);
    const std::string no_delta =
        c.what.reason.empty() ? std::string{counter::to_string(c.what.is)} : c.what.reason;
    item.maybe("delta", c.what.delta ? json(*c.what.delta) : json{}, no_delta);
    item.data("step", counter::to_string(c.what.is));
    item.words("reason", c.what.reason, "the step says it all");
    add_description(item, *v.about);
    const auto rate =
        c.what.delta ? counter::rate(*c.what.delta, interval) : std::optional<double>{};
    const std::string no_rate = c.what.delta ? "the interval is not known" : no_delta;
    item.maybe("rate_per_s", rate ? json(*rate) : json{}, no_rate);
    const auto bits = c.what.delta ? counter::bits_per_second(*v.about, *c.what.delta, interval)
                                   : std::optional<double>{};
    item.maybe("bits_per_s", bits ? json(*bits) : json{},
               !rate ? no_rate : std::string{"it does not count bytes"});
    if (show)
        item.line(adp::format("{:{}}  {}", one_line(v.name), width, text_of(c, interval, speed)));
}

// Two texts were read, and nothing else.
void add_files(record &e)
{
    e.absent("path", "a comparison of files");
    e.absent("simulated", "the files do not say it");
}

void add_identity(record &e, const counter::port_counters &p)
{
    e.words("dev", p.dev, "the listing names no device");
    add_files(e);
    e.maybe("port", p.port ? json(*p.port) : json{},
            p.at_device ? "the device level" : "the listing names no port");
    e.words("driver", p.driver, "neither said by the listing nor known by its names");
    e.words("function", p.function, "the listing does not say it");
}

void add_port(run &r, const counter::port_change &p, const counter::snapshot_change &all)
{
    std::string heading = port_heading(p.after);
    if (all.interval_ms)
        heading += adp::format("  {:.3g} s", static_cast<double>(*all.interval_ms) / 1000);
    record &e = r.element(heading);
    add_identity(e, p.after);
    e.data("comparable", p.comparable ? 1 : 0);
    e.words("reason", p.reason, "nothing is in the way");
    e.maybe("interval_ms", all.interval_ms ? json(*all.interval_ms) : json{},
            "the listings do not say when they were taken");
    e.data("notes", all.notes);
    if (!p.reason.empty())
        e.line(one_line(p.comparable ? p.reason : "not comparable: " + p.reason));
    std::size_t width = 0;
    std::size_t shown = 0;
    std::size_t unchanged = 0;
    std::vector<counter::value> untold; // without a number at both ends, and without a line
    const auto shows = [&](const counter::counter_change &c) {
        return r.opt.details > 0 || (p.comparable && worth_a_line(c));
    };
    for (const counter::counter_change &c : p.counters) {
        if (shows(c)) {
            width = std::max(width, std::min<std::size_t>(c.latest().name.size(), 40));
            shown++;
        } else if (c.what.is == counter::step::same || c.what.is == counter::step::gauge) {
            unchanged++;
        } else if (p.comparable) {
            untold.push_back(c.latest());
        }
    }
    const auto speed = p.after.speed_mbps ? p.after.speed_mbps : p.before.speed_mbps;
    record::list &list = e.array("counters");
    for (const counter::counter_change &c : p.counters)
        add_counter(list, c, all.interval_ms, speed, shows(c), width);
    if (p.comparable && unchanged != 0)
        e.line(adp::format("{}{} unchanged", shown == 0 ? "nothing moved, " : "", unchanged));
    for (const auto &[is, adjective] : {std::pair{counter::state::unreadable, "cannot be read"},
                                        std::pair{counter::state::not_measured, "not measured"},
                                        std::pair{counter::state::optional_off, "off"},
                                        std::pair{counter::state::stale, "stale"}})
        for (const std::string &line : absent_lines(untold, is, adjective))
            e.line(line);
}

void add_missing(run &r, const std::vector<std::string> &places, const char *reason)
{
    for (const std::string &place : places) {
        record &e = r.element(place);
        const std::size_t slash = place.rfind('/');
        const std::string dev = place.substr(0, slash);
        e.words("dev", dev == "?" ? "" : dev, "the listing names no device");
        add_files(e);
        e.maybe("port",
                slash == std::string::npos
                    ? json{}
                    : json(std::strtoul(place.c_str() + slash + 1, nullptr, 10)),
                "the device level");
        e.data("comparable", 0);
        e.data("reason", reason);
        e.data("counters", json::array());
        e.line(reason);
    }
}

} // namespace

void statistic_diff(run &r)
{
    const std::string command = "statistic diff";
    const std::string &first = need(r, 0, command, "BEFORE");
    const std::string &second = need(r, 1, command, "AFTER");
    std::string dev;
    if (r.args.size() > 2) {
        if (r.args[2] != "dev")
            throw failure{adp::format("{}: \"{}\": not expected\n  adp help {}", command, r.args[2],
                                      command)};
        dev = need(r, 3, command, "a device");
        no_more(r, 4, command);
    }
    counter::snapshot before = read_counters(r, first);
    counter::snapshot after = read_counters(r, second);
    if (!dev.empty()) {
        for (counter::snapshot *s : {&before, &after}) {
            auto &ports = s->ports;
            ports.erase(std::remove_if(ports.begin(), ports.end(),
                                       [&](const counter::port_counters &p) {
                                           return p.dev != dev && counter::place(p) != dev;
                                       }),
                        ports.end());
            if (ports.empty())
                throw failure{adp::format("{}: no {} in it", s == &before ? first : second, dev)};
        }
    }
    auto all = counter::compare_snapshots(before, after);
    if (!all)
        throw failure{all.err().reason +
                      (all.err().remedy.empty() ? "" : "\n  " + all.err().remedy)};
    for (const std::string &n : all->notes)
        r.note(one_line(n));
    for (const std::string &n : counter::suspicions(after))
        r.note(one_line(n));
    for (const counter::port_change &p : all->ports)
        add_port(r, p, *all);
    add_missing(r, all->only_before, "not in the second");
    add_missing(r, all->only_after, "not in the first");
    if (all->comparable() == 0) {
        r.complain(adp::format("{} and {} do not belong together: {}", first, second,
                               all->ports.front().reason));
        r.raise(exit_request);
    } else if (all->moved()) {
        r.raise(exit_differs);
    }
}

} // namespace adp::cli
