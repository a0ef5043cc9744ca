// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp statistic describe: the table of counters, for people. No device is asked.
#include "grammar.h"
#include "statistic_input.h"
#include "words.h"

#include "text/format.h"
#include "text/words.h"

#include <fmt/ranges.h>

namespace adp::cli {

namespace {

struct match {
    std::string_view driver; // "": a port counter
    const counter::description *about;
    counter::family from;
    bool vport;
};

std::string width_text(const counter::description &d)
{
    if (d.is == counter::kind::gauge)
        return "a level, not a counter";
    std::string_view end = "what happens at the end is not known";
    switch (d.at_end) {
    case counter::overflow::wrap: end = "then goes on from 0"; break;
    case counter::overflow::saturate: end = "then stays at its largest value"; break;
    case counter::overflow::none: return adp::format("{} bits", d.width_bits);
    case counter::overflow::unknown: break;
    }
    return d.width_bits == 0 ? std::string{end} : adp::format("{} bits, {}", d.width_bits, end);
}

std::string side_text(const counter::description &d)
{
    if (d.end == counter::side::unknown)
        return "unknown: no source names one end";
    return adp::format("{} ({})", counter::to_string(d.end),
                       d.end_basis == counter::basis::stated ? "the source says so"
                                                             : "only this end can see it");
}

std::string gate_text(const match &m)
{
    const counter::group *g = counter::find_group(m.driver, m.about->group);
    if (g == nullptr || (g->gate.empty() && g->gate_text.empty()))
        return {};
    return g->gate.empty() ? std::string{g->gate_text}
                           : adp::format("{}: {}", g->gate, g->gate_text);
}

void add_data(record &e, const match &m)
{
    const counter::description &d = *m.about;
    const counter::group *g = counter::find_group(m.driver, d.group);
    e.data("name", d.name);
    e.words("driver", m.driver, "every driver");
    e.data("family", counter::to_string(m.from));
    add_description(e, d);
    e.data("side_basis", counter::to_string(d.end_basis));
    e.data("overflow", counter::to_string(d.at_end));
    e.data("kind", counter::to_string(d.is));
    e.words("gate", g == nullptr ? "" : g->gate, "no capability is known to gate it");
    e.data("optional", g != nullptr && g->is_optional ? 1 : 0);
    e.data("vport", g != nullptr && g->vport ? 1 : 0);
    e.words("since", d.since, "not known, or always there");
    e.data("meaning", d.meaning);
    e.words("is_not", d.is_not, "nothing that it is taken for is known");
    e.data("source", d.source);
}

void show_one(run &r, const match &m, const std::string &asked)
{
    const counter::description &d = *m.about;
    record &e = r.element(adp::format("{} ({})", d.name,
                                      m.from == counter::family::pma ? "port counters"
                                      : m.driver.empty()             ? "every driver"
                                                                     : m.driver));
    add_data(e, m);
    const auto line = [&e](const char *label, std::string_view text) {
        if (!text.empty())
            e.line(adp::format("{:9} {}", label, text));
    };
    line("meaning", d.meaning);
    line("side", side_text(d));
    line("unit", counter::to_string(d.in));
    line("width", width_text(d));
    line("gate", gate_text(m));
    line("since", d.since.empty() ? std::string{} : adp::format("Linux {}", d.since));
    line("is not", d.is_not);
    if (m.vport)
        line("vport_", "the same, of the function behind a representor port");
    else if (asked != d.name)
        line("spelling", adp::format("{} is another name of it", printable(asked)));
    std::string others;
    for (const std::string_view driver : counter::drivers())
        for (const counter::description &other : counter::table(driver))
            if (&other != &d && other.what == d.what && other.end == d.end && other.is == d.is &&
                driver != m.driver && d.what != counter::concept_id::other)
                others += adp::format("{}{} {}", others.empty() ? "" : ", ", driver, other.name);
    if (r.opt.details > 0 || others.size() < 160)
        line("elsewhere", others);
    line("source", d.source);
}

// A row of the list: name, side, unit, concept, meaning.
void show_row(run &r, const match &m)
{
    record &e = r.element();
    add_data(e, m);
    e.line(
        adp::format("{:8} {:34} {:9} {:8} {}", m.from == counter::family::pma ? "port" : m.driver,
                    m.about->name,
                    m.about->end == counter::side::unknown ? "-" : counter::to_string(m.about->end),
                    m.about->in == counter::unit::unknown ? "-" : counter::to_string(m.about->in),
                    m.about->meaning));
}

std::vector<match> all_rows(std::string_view driver)
{
    std::vector<match> rows;
    for (const std::string_view d : counter::drivers())
        if (driver.empty() || d == driver)
            for (const counter::description &row : counter::table(d))
                rows.push_back({d, &row, counter::family::hw, false});
    if (driver.empty() || driver == "port")
        for (const counter::description &row : counter::pma_table())
            rows.push_back({"", &row, counter::family::pma, false});
    return rows;
}

std::vector<match> find_all(std::string_view driver, const std::string &name)
{
    std::vector<match> found;
    for (const std::string_view d : counter::drivers()) {
        if (!driver.empty() && d != driver)
            continue;
        const counter::lookup l = counter::describe(d, name);
        if (!l.known() || (!found.empty() && found.front().about == l.about))
            continue;
        // lifespan is of the kernel's folder, not of a driver.
        const bool everybodys = l.about->what == counter::concept_id::setting;
        found.push_back(
            {everybodys ? std::string_view{} : d, l.about, counter::family::hw, l.vport});
    }
    const counter::lookup l = counter::describe("", name, counter::family::pma);
    if (l.known() && (driver.empty() || driver == "port"))
        found.push_back({"", l.about, counter::family::pma, false});
    return found;
}

[[noreturn]] void refuse(const std::string &name, std::string_view driver)
{
    if (!driver.empty())
        if (const auto elsewhere = find_all("", name); !elsewhere.empty())
            throw failure{
                adp::format("counter \"{}\": not one of driver {}; it is of {}", name, driver,
                            elsewhere.front().driver.empty() ? "port" : elsewhere.front().driver)};
    if (const std::string_view where = counter::elsewhere(name); !where.empty())
        throw failure{adp::format("{}: {}", name, where)};
    std::vector<std::string_view> names;
    for (const match &m : all_rows(""))
        names.push_back(m.about->name);
    const std::string_view near = nearest(name, names);
    throw failure{
        adp::format("counter \"{}\": nothing is known of it{}\n  a value under this name is "
                    "shown all the same; names come from the driver or the firmware",
                    name, near.empty() ? "" : adp::format(", \"{}\" perhaps", near))};
}

} // namespace

void statistic_describe(run &r)
{
    std::string name;
    std::string driver;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (r.args[i] == "driver" && i + 1 < r.args.size()) {
            driver = counter::table_driver(r.args[++i]);
        } else if (name.empty()) {
            name = r.args[i];
        } else {
            // Names with blanks come as several words.
            name += " " + r.args[i];
        }
    }
    if (!driver.empty() && driver != "port" && counter::table(driver).empty()) {
        const std::string text(counter::no_counters(driver, false, false).text);
        throw failure{adp::format("driver \"{}\": {}\n  one of {}, port", driver,
                                  text.empty() ? "no table of its counters" : text,
                                  fmt::join(counter::drivers(), ", "))};
    }
    if (name.empty()) {
        for (const match &m : all_rows(driver))
            show_row(r, m);
        return;
    }
    std::vector<match> found = find_all(driver, name);
    std::string asked = name;
    if (found.empty())
        if (const std::string_view metric = counter::counter_of_metric(name); !metric.empty())
            found = find_all(driver, std::string{metric});
    if (found.empty())
        refuse(name, driver);
    for (const match &m : found)
        show_one(r, m, asked);
}

} // namespace adp::cli
