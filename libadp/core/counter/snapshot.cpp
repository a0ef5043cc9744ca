// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/snapshot.h"

#include "counter/collect.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>

namespace adp::counter {

namespace {

using json = nlohmann::ordered_json;

template <typename T> void put(json &o, const char *key, const std::optional<T> &v)
{
    if (v)
        o[key] = *v;
}

void put(json &o, const char *key, const std::string &text)
{
    if (!text.empty())
        o[key] = text;
}

json values_json(const std::vector<value> &values)
{
    json all = json::array();
    for (const value &v : values) {
        json o;
        o["name"] = v.name;
        o["value"] = v.has_number() ? json(v.number) : json();
        o["state"] = to_string(v.is);
        put(o, "reason", v.reason);
        put(o, "gate", v.gate);
        if (v.error != 0)
            o["errno"] = v.error;
        all.push_back(std::move(o));
    }
    return all;
}

json port_json(const port_counters &p)
{
    json o;
    o["dev"] = p.dev;
    o["port"] = p.port ? json(*p.port) : json();
    put(o, "driver", p.driver);
    put(o, "pci", p.pci);
    put(o, "node_guid", p.node_guid);
    put(o, "dev_index", p.dev_index);
    put(o, "netdev", p.netdev);
    put(o, "netdev_index", p.netdev_index);
    put(o, "function", p.function);
    put(o, "fw_ver", p.fw_ver);
    put(o, "speed_mbps", p.speed_mbps);
    put(o, "counter_set", p.set);
    put(o, "pid", p.pid);
    put(o, "comm", p.comm);
    if (!p.lqpn.empty())
        o["lqpn"] = p.lqpn;
    put(o, "source", p.source);
    o["counters"] = values_json(p.values);
    if (!p.pma.empty())
        o["port_counters"] = values_json(p.pma);
    return o;
}

bool all_zero(const std::vector<value> &values)
{
    bool any = false;
    for (const value &v : values) {
        if (!v.has_number() || v.about->is == kind::gauge)
            continue;
        if (v.number != 0)
            return false;
        any = true;
    }
    return any;
}

bool same_numbers(const port_counters &a, const port_counters &b)
{
    if (a.values.size() != b.values.size() || all_zero(a.values))
        return false;
    bool counted = false;
    for (std::size_t i = 0; i < a.values.size(); i++) {
        const value &x = a.values[i];
        const value &y = b.values[i];
        if (x.name != y.name || x.is != y.is || x.number != y.number)
            return false;
        counted = counted || (x.has_number() && x.about->is == kind::counter && x.number != 0);
    }
    return counted;
}

} // namespace

std::string place(const port_counters &p)
{
    std::string text = p.dev.empty() ? "?" : p.dev;
    if (p.port)
        text += "/" + std::to_string(*p.port);
    if (p.set)
        text += " set " + std::to_string(*p.set);
    return text;
}

std::string format_snapshot(const snapshot &s)
{
    json o;
    o["adp_statistic_snapshot"] = snapshot_version;
    put(o, "time_ms", s.time_ms);
    put(o, "uptime_ms", s.uptime_ms);
    put(o, "boot_id", s.boot_id);
    put(o, "host", s.host);
    put(o, "kernel", s.kernel);
    if (s.is_delta)
        o["differences"] = 1; // no totals
    o["port_count"] = s.ports.size();
    // A port a line: such files are looked at, and compared with other tools.
    std::string text = o.dump(-1, ' ', false, json::error_handler_t::replace);
    text.back() = ',';
    text += "\"ports\":[\n";
    for (std::size_t i = 0; i < s.ports.size(); i++)
        text += port_json(s.ports[i]).dump(-1, ' ', false, json::error_handler_t::replace) +
                (i + 1 < s.ports.size() ? ",\n" : "\n");
    return text + "]}\n";
}

result<snapshot> parse_snapshot(std::string_view text)
{
    if (text.size() > max_snapshot_text)
        return error{
            EFBIG, "more than " + std::to_string(max_snapshot_text >> 20) + " MiB", "", {}};
    constexpr std::string_view mark = "\xef\xbb\xbf"; // of an editor
    if (text.substr(0, mark.size()) == mark)
        text.remove_prefix(mark.size());
    return is_json(text) ? parse_json(text) : parse_lines(text);
}

bool counts_nobody(const port_counters &p)
{
    return all_zero(p.values) && std::any_of(p.pma.begin(), p.pma.end(), [](const value &v) {
               return (v.about->what == concept_id::traffic_sent ||
                       v.about->what == concept_id::traffic_received) &&
                      v.has_number() && v.number != 0;
           });
}

bool may_be_unmeasured(const port_counters &p)
{
    return p.function.empty() && all_zero(p.values) &&
           std::any_of(p.values.begin(), p.values.end(),
                       [](const value &v) { return v.vport && v.has_number(); });
}

std::vector<std::string> suspicions(const snapshot &s)
{
    std::vector<std::string> found;
    std::string unmeasured;
    std::size_t more = 0;
    for (const port_counters &p : s.ports) {
        if (!may_be_unmeasured(p))
            continue;
        if (unmeasured.size() < 80)
            unmeasured += (unmeasured.empty() ? "" : ", ") + place(p);
        else
            more++;
    }
    if (more != 0)
        unmeasured += " and " + std::to_string(more) + " more";
    if (!unmeasured.empty())
        found.push_back(unmeasured + ": " + std::string{why_unmeasured});
    std::map<std::string, const port_counters *> of_device;
    for (const port_counters &p : s.ports) {
        const bool vport = !p.values.empty() && p.values.front().vport;
        if (p.set || p.at_device)
            continue;
        const auto [first, fresh] = of_device.try_emplace(p.dev, &p);
        if (!fresh && same_numbers(*first->second, p))
            found.push_back(place(*first->second) + " and " + place(p) +
                            " have the same numbers: maybe one set is shown for both" +
                            (vport ? "" : " (switchdev mode without q_counter_other_vport)"));
        if (counts_nobody(p))
            found.push_back(
                place(p) + ": all its counters are 0 while the port has traffic. They cover queue "
                           "pairs of verbs in the port's own counter set; those made through DEVX, "
                           "or bound to another set, are outside: 0 is not \"healthy\"");
    }
    return found;
}

} // namespace adp::counter
