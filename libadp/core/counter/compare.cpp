// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/compare_part.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace adp::counter {

namespace {

// "mlx5_0/1" of a set of that port.
std::string port_of(const port_counters &p)
{
    port_counters plain;
    plain.dev = p.dev;
    plain.port = p.port;
    plain.at_device = p.at_device;
    return place(plain);
}

const port_counters *choose(const snapshot &s, std::string_view port, std::string &reason)
{
    std::vector<const port_counters *> fit;
    for (const port_counters &p : s.ports)
        if (port.empty() ? !p.set : place(p) == port || p.dev == port)
            fit.push_back(&p);
    // Sets of queue pairs where that is all there is.
    if (fit.empty())
        for (const port_counters &p : s.ports)
            if (p.set && (port.empty() || port_of(p) == port))
                fit.push_back(&p);
    if (fit.size() == 1)
        return fit.front();
    // A device with one port and a device level: the port.
    std::vector<const port_counters *> ports;
    for (const port_counters *p : fit)
        if (!p->at_device && !p->set)
            ports.push_back(p);
    if (ports.size() == 1)
        return ports.front();
    std::string names;
    for (std::size_t i = 0; i < s.ports.size() && i < 8; i++)
        names += (i == 0 ? "" : ", ") + place(s.ports[i]);
    reason = fit.empty()
                 ? "no port " + std::string{port} + (port.empty() ? "" : " ") + "there: " + names
                 : "several ports: " + names + (s.ports.size() > 8 ? ", ..." : "");
    return nullptr;
}

void add_values(end_counters &e, const std::vector<value> &values, family from)
{
    for (const value &v : values) {
        if (v.about->is == kind::gauge)
            continue;
        observation o;
        o.name = v.name;
        o.about = v.about;
        o.from = from;
        if (v.has_number() && v.is != state::stale) {
            o.delta = v.number;
            o.at_least = v.is == state::saturated;
        } else {
            o.reason = v.reason.empty() ? std::string{to_string(v.is)} : v.reason;
        }
        e.counters.push_back(std::move(o));
    }
}

} // namespace

std::string_view to_string(verdict v)
{
    static constexpr std::array<std::string_view, 4> words = {"supported", "possible",
                                                              "contradicted", "undetermined"};
    return words[std::min<std::size_t>(static_cast<std::size_t>(v), words.size() - 1)];
}

std::string_view to_string(which_end w)
{
    static constexpr std::array<std::string_view, 5> words = {"none", "requester", "responder",
                                                              "both", "unknown"};
    return words[std::min<std::size_t>(static_cast<std::size_t>(w), words.size() - 1)];
}

result<end_counters> make_end(side role, const snapshot &first, const snapshot *second,
                              std::string_view port)
{
    end_counters e;
    e.role = role;
    e.given = true;
    std::string reason;
    const port_counters *a = choose(first, port, reason);
    if (a == nullptr)
        return error{EINVAL, reason, "say which: port DEV/PORT", {}};
    e.where = place(*a);
    e.driver = a->driver;
    if (second == nullptr) {
        e.totals = !first.is_delta;
        add_values(e, a->values, family::hw);
        add_values(e, a->pma, family::pma);
        e.uncounted = counts_nobody(*a);
        e.unmeasured = may_be_unmeasured(*a);
        return e;
    }
    auto all = compare_snapshots(first, *second);
    if (!all)
        return std::move(all).err();
    e.interval_ms = all->interval_ms;
    e.notes = all->notes;
    const auto p = std::find_if(all->ports.begin(), all->ports.end(),
                                [&](const port_change &c) { return place(c.before) == e.where; });
    if (p == all->ports.end())
        return error{EINVAL, e.where + " is not in the second", "", {}};
    if (!p->comparable)
        return error{EINVAL,
                     e.where + ": the two do not belong together: " + p->reason,
                     "take both within one life of the device",
                     {}};
    if (!p->reason.empty())
        e.notes.push_back(e.where + ": " + p->reason);
    for (const port_counters &b : second->ports)
        if (place(b) == place(p->after)) {
            e.uncounted = e.uncounted || counts_nobody(b);
            e.unmeasured = e.unmeasured || may_be_unmeasured(b);
        }
    for (const counter_change &c : p->counters) {
        const value &v = c.latest();
        if (c.what.is == step::gauge || v.about->is == kind::gauge)
            continue;
        observation o;
        o.name = v.name;
        o.about = v.about;
        o.from = c.from;
        o.delta = c.what.delta;
        o.at_least = c.what.is == step::at_least;
        o.reason = c.what.reason;
        // Since a reset at least this many.
        if (c.what.is == step::reset && c.after.has_number() && c.after.is != state::stale) {
            o.delta = c.after.number;
            o.at_least = true;
        }
        e.counters.push_back(std::move(o));
    }
    return e;
}

const finding *comparison::find(std::string_view pattern) const
{
    for (const finding &f : findings)
        if (f.pattern == pattern)
            return &f;
    return nullptr;
}

} // namespace adp::counter
