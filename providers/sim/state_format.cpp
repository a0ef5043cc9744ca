// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "state_format.h"

#include "json_cursor.h"
#include "preset.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace adp::sim {

namespace {

constexpr std::string_view format_name = "adp-sim-state";
constexpr unsigned format_version = 1;
constexpr std::size_t most_devices = 256;

// ---- reading -----------------------------------------------------------------------------------

bool is_hex(std::string_view s)
{
    return s.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "0000:1a:00.0", as the kernel writes it; a domain may have more than four digits.
bool is_pci_address(std::string_view s)
{
    if (s.size() < 12 || s.size() > 16)
        return false;
    const std::string_view tail = s.substr(s.size() - 8); // ":1a:00.0"
    return is_hex(s.substr(0, s.size() - 8)) && tail[0] == ':' && is_hex(tail.substr(1, 2)) &&
           tail[3] == ':' && is_hex(tail.substr(4, 2)) && tail[6] == '.' && tail[7] >= '0' &&
           tail[7] <= '7';
}

// Names become parts of file names and of tables elsewhere.
bool is_plain_name(std::string_view s)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    return !s.empty() && s.front() != '.' && s.front() != '-' &&
           std::all_of(s.begin(), s.end(), plain);
}

std::string read_name(const json_cursor &at, std::size_t longest)
{
    std::string name = at.text(longest);
    if (!is_plain_name(name))
        at.complain("letters, digits, '_', '-' and '.' expected");
    return name;
}

template <std::size_t N>
void read_dwords(const json_cursor &at, std::array<std::uint32_t, N> &dwords)
{
    if (!at.is_array(N))
        return;
    if (at.size() != N)
        at.complain(fmt::format("{} dwords expected, not {}", N, at.size()));
    for (std::size_t i = 0; i < at.size(); i++)
        dwords[i] = static_cast<std::uint32_t>(at.at(i).number(0xffffffff));
}

void read_profiles(const json_cursor &at, model &m)
{
    const std::uint32_t active = reg::get(m.accl, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID));
    at.members([&m, active](const std::string &key, const json_cursor &value) {
        if (key.size() != 1 || key[0] < '1' || key[0] > '7')
            value.complain("a profile from 1 to 7 expected");
        else if (static_cast<std::uint32_t>(key[0] - '0') == active)
            value.complain("this profile is the active one: it stands in roce_accl");
        else
            read_dwords(value, m.stored[static_cast<std::uint8_t>(key[0] - '0')]);
    });
}

void read_histogram(const json_cursor &at, histogram_state &h)
{
    if (!at.is_object({"config", "bins"}))
        return;
    if (const auto config = at["config"])
        read_dwords(config, h.config);
    if (const auto bins = at["bins"]; bins && bins.is_array(ADP_HISTOGRAM_MAX_BINS)) {
        h.bins.clear();
        for (std::size_t i = 0; i < bins.size(); i++)
            h.bins.push_back(bins.at(i).number(UINT64_MAX));
    }
}

void read_capabilities(const json_cursor &at, capability_values &values)
{
    at.members([&values](const std::string &key, const json_cursor &value) {
        std::uint32_t *known = find_capability(values, key);
        if (known == nullptr)
            return value.complain("no such capability");
        const auto i = static_cast<std::size_t>(known - values.data());
        *known = static_cast<std::uint32_t>(value.number(capabilities()[i].max()));
    });
}

fault read_fault(const json_cursor &at)
{
    fault f;
    at.members([&f](const std::string &key, const json_cursor &value) {
        if (key == "rw") {
            const std::string text = value.text(1);
            if (text != "r" && text != "w")
                value.complain("r or w expected");
            else
                f.rw = text[0];
            return;
        }
        for (const fault_key &k : fault_keys())
            if (k.name == key) {
                f.*k.member =
                    static_cast<std::int64_t>(value.number(static_cast<std::uint64_t>(k.max)));
                return;
            }
        value.complain("no such key");
    });
    return f;
}

// An array of objects, or the short text form.
void read_faults(const json_cursor &at, std::vector<fault> &faults)
{
    if (at.is_text()) {
        auto parsed = parse_faults(at.text(10000));
        if (parsed)
            faults = std::move(*parsed);
        else
            at.complain(parsed.err().reason);
        return;
    }
    if (at.is_array(1000))
        for (std::size_t i = 0; i < at.size(); i++)
            faults.push_back(read_fault(at.at(i)));
}

// Only ibdev and pci are needed; the rest is as in the first default device.
model read_device(const json_cursor &at)
{
    model m = make_preset("default")->front();
    if (!at.is_object({"ibdev", "pci", "fw_ver", "netdev", "device_id", "hw_dev_id", "gone",
                       "active_qps", "roce_accl", "profiles", "nic_cap", "histogram", "hca_cap",
                       "faults"}))
        return m;
    m.netdev.clear();
    m.ibdev = read_name(at["ibdev"], 63);
    m.pci = at["pci"].text(16);
    if (!is_pci_address(m.pci))
        at["pci"].complain("a PCI address like 0000:1a:00.0 expected");
    if (const auto c = at["fw_ver"])
        m.fw_ver = read_name(c, 31);
    if (const auto c = at["netdev"]; c && !(c.is_text() && c.text(15).empty()))
        m.netdev = read_name(c, 15);
    if (const auto c = at["device_id"])
        m.device_id = static_cast<std::uint16_t>(c.number(0xffff));
    if (const auto c = at["hw_dev_id"])
        m.hw_dev_id = static_cast<std::uint16_t>(c.number(0xffff));
    if (const auto c = at["gone"])
        m.gone = c.number(1) != 0;
    if (const auto c = at["active_qps"])
        m.active_qps = static_cast<std::uint32_t>(c.number(0xffffff));
    if (const auto c = at["roce_accl"])
        read_dwords(c, m.accl);
    if (const auto c = at["profiles"])
        read_profiles(c, m);
    if (const auto c = at["nic_cap"])
        m.nic_cap = static_cast<std::uint32_t>(c.number(0xffffffff));
    if (const auto c = at["histogram"])
        read_histogram(c, m.histogram);
    if (const auto c = at["hca_cap"])
        read_capabilities(c, m.caps);
    if (const auto c = at["faults"])
        read_faults(c, m.faults);
    return m;
}

std::vector<model> read_state(const json_cursor &top)
{
    std::vector<model> devices;
    const auto version = top["version"];
    if (!top.is_object())
        return devices;
    if (!top["format"].is_text() || top["format"].text(100) != format_name)
        return top.complain(
                   fmt::format("no simulated devices (\"format\": \"{}\" expected)", format_name)),
               devices;
    if (const std::uint64_t v = version.number(UINT64_MAX); v > format_version || v == 0)
        return version.complain(
                   fmt::format("version {} is not known here, only {} is", v, format_version)),
               devices;
    top.is_object({"format", "version", "preset", "devices"});
    if (const auto name = top["preset"]) {
        auto made = make_preset(name.text(100));
        if (!made)
            name.complain("no such preset");
        if (top["devices"])
            name.complain("either preset or devices, not both");
        return made.value_or(devices);
    }
    const auto list = top["devices"];
    if (!list.is_array(most_devices))
        return devices;
    for (std::size_t i = 0; i < list.size(); i++) {
        devices.push_back(read_device(list.at(i)));
        for (std::size_t k = 0; k < i; k++)
            if (devices[k].pci == devices[i].pci)
                list.at(i)["pci"].complain("there twice");
    }
    return devices;
}

// Where a report is a list of elements, one of them holds the state.
const json *find_embedded(const json &document)
{
    if (document.is_object()) {
        const auto it = document.find("sim_state");
        return it == document.end() ? nullptr : &*it;
    }
    if (document.is_array())
        for (const json &element : document)
            if (element.is_object())
                if (const auto it = element.find("sim_state"); it != element.end())
                    return &*it;
    return nullptr;
}

// "[json.exception.parse_error.101] parse error at line 1, ...": the part that is of use.
std::string json_reason(std::string_view what)
{
    if (const std::size_t end = what.find("] "); end != std::string_view::npos)
        what.remove_prefix(end + 2);
    return std::string{what.substr(0, 200)};
}

// ---- writing -----------------------------------------------------------------------------------

std::string hex(std::uint64_t value, int digits)
{
    return fmt::format("0x{:0{}x}", value, digits);
}

template <std::size_t N> json write_dwords(const std::array<std::uint32_t, N> &dwords)
{
    json list = json::array();
    for (const std::uint32_t d : dwords)
        list.push_back(hex(d, 8));
    return list;
}

json write_fault(const fault &f)
{
    json object = json::object();
    if (f.rw != 0)
        object["rw"] = std::string{f.rw};
    for (const fault_key &k : fault_keys()) {
        const std::int64_t value = f.*k.member;
        if (value == fault{}.*k.member)
            continue;
        if (k.hex)
            object[std::string{k.name}] = hex(static_cast<std::uint64_t>(value), 1);
        else
            object[std::string{k.name}] = value;
    }
    return object;
}

json write_device(const model &m)
{
    json d = json::object();
    d["ibdev"] = m.ibdev;
    d["pci"] = m.pci;
    d["fw_ver"] = m.fw_ver;
    d["netdev"] = m.netdev;
    d["device_id"] = hex(m.device_id, 4);
    d["hw_dev_id"] = hex(m.hw_dev_id, 4);
    d["gone"] = m.gone ? 1 : 0;
    d["active_qps"] = m.active_qps;
    d["roce_accl"] = write_dwords(m.accl);
    d["profiles"] = json::object();
    for (const auto &[id, block] : m.stored)
        d["profiles"][std::to_string(id)] = write_dwords(block);
    d["nic_cap"] = hex(m.nic_cap, 8);
    d["histogram"] = {{"config", write_dwords(m.histogram.config)}, {"bins", m.histogram.bins}};
    d["hca_cap"] = json::object();
    for (std::size_t i = 0; i < m.caps.size(); i++)
        d["hca_cap"][std::string{capabilities()[i].place.name}] = m.caps[i];
    d["faults"] = json::array();
    for (const fault &f : m.faults)
        d["faults"].push_back(write_fault(f));
    return d;
}

} // namespace

result<parsed_state> parse_state(const std::string &text, const std::string &name)
{
    const auto wrong = [&name](const std::string &why) {
        return error{EINVAL,
                     name + ": " + why,
                     "name another state file; one that does not exist yet is made",
                     {}};
    };
    try {
        const json document = json::parse(text);
        const json *embedded = find_embedded(document);
        std::string problem;
        const json_cursor top{embedded != nullptr ? embedded : &document,
                              embedded != nullptr ? "sim_state" : "", problem};
        parsed_state state{read_state(top), embedded != nullptr};
        if (!problem.empty())
            return wrong(problem);
        return state;
    } catch (const std::exception &e) {
        return wrong(json_reason(e.what()));
    }
}

std::string format_state(const std::vector<model> &devices)
{
    json top = json::object();
    top["format"] = format_name;
    top["version"] = format_version;
    top["devices"] = json::array();
    for (const model &m : devices)
        top["devices"].push_back(write_device(m));
    return top.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace adp::sim
