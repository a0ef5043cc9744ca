// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter_state.h"
#include "text/format.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace adp::emukernel {

namespace {

using json = nlohmann::ordered_json;

std::string read_all(const std::string &path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

// A test that describes a machine wrongly must not pass.
json parsed(const std::string &path)
{
    const std::string text = read_all(path);
    if (text.empty())
        return json::object();
    json value = json::parse(text, nullptr, false);
    if (!value.is_object()) {
        std::fprintf(stderr, "emukernel: %s: not a JSON object\n", path.c_str());
        std::exit(125);
    }
    return value;
}

named_values values_of(const json &object)
{
    named_values values;
    for (const auto &[name, value] : object.items())
        values.emplace_back(name, value.get<std::uint64_t>());
    return values;
}

port_description port_of(const json &j)
{
    port_description p;
    p.counters = values_of(j.value("counters", json::object()));
    p.optional = values_of(j.value("optional", json::object()));
    const json pma = j.value("pma", json::object());
    for (const auto &[name, text] : pma.items())
        p.pma.emplace_back(name, text.is_string() ? text.get<std::string>() : text.dump());
    if (j.contains("netdev"))
        p.netdev = j["netdev"].is_null() ? std::string{} : j["netdev"].get<std::string>();
    p.phys_port_name = j.value("phys_port_name", "");
    p.state = j.value<std::uint8_t>("state", 4);
    p.error = j.value("errno", 0);
    p.folder = j.value("folder", true);
    return p;
}

file_state state_of(const std::string &path)
{
    constexpr time_t settled_s = 1;
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0)
        return {};
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return {s.st_dev,  s.st_ino, s.st_size,
            s.st_mtim, true,     now.tv_sec - s.st_mtim.tv_sec > settled_s};
}

bool same(const file_state &a, const file_state &b)
{
    return a.settled && b.settled && a.device == b.device && a.inode == b.inode &&
           a.size == b.size && a.changed.tv_sec == b.changed.tv_sec &&
           a.changed.tv_nsec == b.changed.tv_nsec;
}

device_description device_of(const json &j)
{
    device_description d;
    d.described = true;
    d.gone = j.value("gone", false);
    d.device = values_of(j.value("device", json::object()));
    const json ports = j.value("ports", json::object());
    for (const auto &[number, port] : ports.items())
        d.ports[static_cast<std::uint32_t>(std::stoul(number))] = port_of(port);
    const json qps = j.value("qps", json::array());
    for (const json &q : qps)
        d.qps.push_back({q.value("lqpn", 0U), q.value<std::uint8_t>("type", 2), q.value("pid", 0U),
                         q.value("port", 1U)});
    if (j.contains("devlink"))
        d.devlink = j["devlink"].dump();
    if (j.contains("index"))
        d.index = j["index"].get<std::uint32_t>();
    return d;
}

// Of one port.
std::string place_of(const std::string &device, std::uint32_t port)
{
    return adp::format("{}/{}", device, port);
}

port_setting setting_of(const json &j)
{
    port_setting s;
    s.mode = j.value("mode", 0U);
    s.mask = j.value("mask", 0U);
    s.enabled = j.value("enabled", std::vector<std::string>{});
    const json sets = j.value("sets", json::array());
    for (const json &set : sets)
        s.sets.push_back({set.value("port", 1U), set.value("id", 0U), set.value("mode", 0U),
                          set.value("lqpn", std::vector<std::uint32_t>{})});
    return s;
}

} // namespace

counter_state::counter_state(const config &settings)
    : file_{settings.counters}, kept_{settings.root + "/counters.json"}
{
}

std::string counter_state::text() const
{
    return file_.empty() ? std::string{} : read_all(file_);
}

std::shared_ptr<const machine_description> counter_state::machine() const
{
    const std::lock_guard<std::mutex> one{last_->lock};
    if (file_.empty())
        return last_->machine;
    const file_state now = state_of(file_);
    if (!same(now, last_->seen)) {
        machine_description devices;
        const json all = parsed(file_);
        for (const auto &[name, j] : all.items())
            devices.emplace(name, device_of(j));
        last_->machine = std::make_shared<const machine_description>(std::move(devices));
        last_->seen = now;
    }
    return last_->machine;
}

device_description counter_state::describe(const std::string &device) const
{
    const auto all = machine();
    const auto known = all->find(device);
    return known == all->end() ? device_description{} : known->second;
}

port_setting counter_state::setting(const std::string &device, std::uint32_t port) const
{
    const std::lock_guard<std::mutex> one{last_->lock};
    const file_state now = state_of(kept_);
    if (!same(now, last_->kept_seen)) {
        last_->settings.clear();
        const json all = now.there ? parsed(kept_) : json::object();
        for (const auto &[place, j] : all.items())
            last_->settings.emplace(place, setting_of(j));
        last_->kept_seen = now;
    }
    const auto known = last_->settings.find(place_of(device, port));
    return known == last_->settings.end() ? port_setting{} : known->second;
}

void counter_state::keep(const std::string &device, std::uint32_t port,
                         const port_setting &setting) const
{
    json all = parsed(kept_);
    json j{{"mode", setting.mode}, {"mask", setting.mask}, {"enabled", setting.enabled}};
    j["sets"] = json::array();
    for (const bound_set &s : setting.sets)
        j["sets"].push_back({{"port", port}, {"id", s.id}, {"mode", s.mode}, {"lqpn", s.lqpn}});
    all[place_of(device, port)] = j;
    std::ofstream{kept_} << all.dump();
}

} // namespace adp::emukernel
