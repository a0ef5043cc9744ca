// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// JSON: our own snapshots and "adp -j statistic show", and "rdma -j statistic [qp] show".
#include "counter/collect.h"
#include "counter/json_tree.h"

#include <cerrno>
#include <set>
#include <string>

namespace adp::counter {

namespace {

error damaged(const std::string &where, const std::string &what)
{
    return error{
        EINVAL, "damaged snapshot: " + where + ": " + what, "a file that was cut or edited?", {}};
}

bool absent(const json_node *n)
{
    return n == nullptr || n->what == json_node::is::null;
}

std::optional<std::uint32_t> small(const json_node &object, std::string_view key)
{
    const auto n = object.number_at(key);
    return n && *n <= UINT32_MAX ? std::optional{static_cast<std::uint32_t>(*n)} : std::nullopt;
}

// One counter of ours: name, value, state, and what explains a state.
result<value> own_value(const json_node &c, const std::string &driver, family f,
                        const std::string &where)
{
    if (c.what != json_node::is::object)
        return damaged(where, "no object");
    const json_node *name = c.find("name");
    if (name == nullptr || name->what != json_node::is::text)
        return damaged(where, "no name");
    state is = state::measured;
    const json_node *word = c.find("state");
    if (!absent(word) && (word->what != json_node::is::text || !parse_state(word->text, is)))
        return damaged(where, "unknown state");
    const json_node *number = c.find("value");
    value v = make_value(driver, name->text, 0, f);
    v.is = is;
    if (v.has_number()) {
        if (absent(number) || number->what != json_node::is::number)
            return damaged(where, "value of " + name->text + " is no whole number below 2^64");
        v.number = number->number;
    } else if (!absent(number)) {
        return damaged(where, name->text + " has a value and is " + std::string{to_string(is)});
    }
    v.reason = c.text_at("reason");
    if (v.reason.empty())
        v.reason = c.text_at("value_reason");
    v.gate = c.text_at("gate");
    if (const auto code = small(c, "errno"))
        v.error = static_cast<int>(*code);
    return v;
}

result<port_counters> own_port(const json_node &e, const std::string &where)
{
    if (e.what != json_node::is::object)
        return damaged(where, "no object");
    port_counters p;
    p.dev = e.text_at("dev");
    const json_node *port = e.find("port");
    if (!absent(port)) {
        p.port = small(e, "port");
        if (!p.port)
            return damaged(where, "port is no number");
    }
    p.at_device = !p.port;
    p.driver = table_driver(e.text_at("driver"));
    p.pci = e.text_at("pci");
    p.node_guid = e.text_at("node_guid");
    p.dev_index = small(e, "dev_index");
    p.netdev = e.text_at("netdev");
    p.netdev_index = small(e, "netdev_index");
    p.function = e.text_at("function");
    p.fw_ver = e.text_at("fw_ver");
    p.speed_mbps = e.number_at("speed_mbps");
    p.source = e.text_at("source");
    p.set = small(e, "counter_set");
    p.pid = small(e, "pid");
    p.comm = e.text_at("comm");
    if (const json_node *lqpn = e.find("lqpn"); lqpn != nullptr)
        for (const json_node &n : lqpn->items)
            if (n.what == json_node::is::number && n.number <= 0xffffff)
                p.lqpn.push_back(static_cast<std::uint32_t>(n.number));
    if (p.driver.empty()) {
        p.driver = driver_of_device(p.dev);
        p.driver_guessed = !p.driver.empty();
    }
    for (const auto &[key, f] :
         {std::pair{"counters", family::hw}, std::pair{"port_counters", family::pma}}) {
        const json_node *list = e.find(key);
        if (absent(list))
            continue;
        if (list->what != json_node::is::array)
            return damaged(where, std::string{key} + " is no array");
        for (std::size_t i = 0; i < list->items.size(); i++) {
            auto v = own_value(list->items[i], p.driver, f,
                               where + "." + key + "[" + std::to_string(i) + "]");
            if (!v)
                return std::move(v).err();
            (f == family::hw ? p.values : p.pma).push_back(std::move(*v));
        }
    }
    return p;
}

result<void> own_ports(const json_node &list, const std::string &where, snapshot &s)
{
    for (std::size_t i = 0; i < list.items.size(); i++) {
        auto p = own_port(list.items[i], where + "[" + std::to_string(i) + "]");
        if (!p)
            return std::move(p).err();
        s.ports.push_back(std::move(*p));
    }
    return {};
}

std::optional<std::int64_t> moment(const json_node &o, std::string_view key)
{
    const auto n = o.number_at(key);
    return n && *n <= INT64_MAX ? std::optional{static_cast<std::int64_t>(*n)} : std::nullopt;
}

result<snapshot> own_snapshot(const json_node &o)
{
    const auto version = o.number_at("adp_statistic_snapshot");
    if (!version)
        return damaged("adp_statistic_snapshot", "no number");
    if (*version != static_cast<std::uint64_t>(snapshot_version))
        return error{EINVAL,
                     "snapshot of version " + std::to_string(*version) +
                         ": this program reads version " + std::to_string(snapshot_version),
                     "",
                     {}};
    snapshot s;
    s.form = "snapshot";
    s.time_ms = moment(o, "time_ms");
    s.uptime_ms = moment(o, "uptime_ms");
    s.boot_id = o.text_at("boot_id");
    s.host = o.text_at("host");
    s.kernel = o.text_at("kernel");
    s.is_delta = o.number_at("differences").value_or(0) != 0;
    const json_node *ports = o.find("ports");
    if (ports == nullptr || ports->what != json_node::is::array)
        return damaged("ports", "no array");
    if (auto done = own_ports(*ports, "ports", s); !done)
        return std::move(done).err();
    std::set<std::string> places;
    for (const port_counters &p : s.ports)
        if (!places.insert(place(p) + (p.at_device ? " device" : "")).second)
            return damaged("ports", place(p) + " is there twice");
    // The number of ports stands apart: a file from which one was edited away is told.
    if (const auto count = o.number_at("port_count"); count && *count != s.ports.size())
        return damaged("ports", std::to_string(s.ports.size()) + " of " + std::to_string(*count) +
                                    " ports are there");
    return s;
}

raw_value raw(const json_node &n)
{
    raw_value v;
    if (n.what == json_node::is::number) {
        v.what = raw_value::is::number;
        v.number = n.number;
    } else if (n.what == json_node::is::other_number) {
        v = read_value(n.text);
        if (v.what != raw_value::is::text) {
            v = {};
            v.text = "no whole number: " + n.text;
            v.error = ERANGE;
        }
    } else {
        v.text = n.what == json_node::is::text ? n.text.substr(0, 160) : "no number";
        v.error = EINVAL;
    }
    return v;
}

// {"ifname":"mlx5_0","port":1,"rx_write_requests":0,...}; sets have ifindex, cntn, lqpn and more.
void rdma_port(collector &c, const json_node &o)
{
    const auto port = small(o, "port");
    const auto set = small(o, "cntn");
    const std::size_t at = c.begin(o.text_at("ifname"), port, false, "rdma json", set);
    port_counters &p = c.port(at);
    bool seen_name = false;
    bool seen_port = false;
    for (const json_node &n : o.members) {
        const std::string &key = n.key;
        if (key == "ifname" && !seen_name) {
            seen_name = true;
        } else if (key == "port" && !seen_port) {
            seen_port = true; // a second one is a counter of that name
        } else if (set && key == "pid") {
            p.pid = small(o, "pid");
        } else if (set && key == "comm") {
            p.comm = n.text;
        } else if (key == "lqpn") {
            for (const json_node &q : n.items)
                if (q.what == json_node::is::number && q.number <= 0xffffff)
                    p.lqpn.push_back(static_cast<std::uint32_t>(q.number));
        } else if (key == "optional-counters" || key == "supported optional-counters") {
            for (const json_node &name : n.items)
                c.add_state(at, name.text,
                            key == "optional-counters" ? state::unreadable : state::optional_off,
                            key == "optional-counters" ? "turned on; this listing has no values"
                                                       : "can be turned on");
        } else if (!(key == "ifindex" && n.what == json_node::is::number) &&
                   !(set && (key == "cntn" || key == "qp-type"))) {
            c.add(at, key, raw(n), where::hw);
        }
    }
}

result<snapshot> of_array(const json_node &list)
{
    if (!list.items.empty() && list.items[0].find("counters") != nullptr) {
        snapshot s;
        s.form = "adp json";
        if (auto done = own_ports(list, "", s); !done)
            return std::move(done).err();
        return s;
    }
    collector c{"rdma json"};
    for (const json_node &o : list.items) {
        if (o.what != json_node::is::object || o.text_at("ifname").empty())
            return error{EINVAL, "JSON, but neither of adp nor of rdma statistic", "", {}};
        rdma_port(c, o);
    }
    if (list.items.empty())
        return error{
            ENODATA,
            "an empty list: rdma printed no port",
            "rdma -j statistic prints [] when a device has no port counters (switchdev mode "
            "without the q_counter capabilities, a driver without counters); its error "
            "message went to standard error",
            {}};
    return c.finish();
}

} // namespace

bool is_json(std::string_view text)
{
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos)
        return false;
    if (text[at] == '{')
        return true;
    if (text[at] != '[')
        return false;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    return next == std::string_view::npos || text[next] == '{' || text[next] == ']';
}

result<snapshot> parse_json(std::string_view text)
{
    auto tree = parse_json_tree(text);
    if (!tree)
        return std::move(tree).err();
    if (tree->what == json_node::is::array)
        return of_array(*tree);
    if (tree->what == json_node::is::object && tree->find("adp_statistic_snapshot") != nullptr)
        return own_snapshot(*tree);
    return error{EINVAL, "JSON, but neither of adp nor of rdma statistic", "", {}};
}

} // namespace adp::counter
