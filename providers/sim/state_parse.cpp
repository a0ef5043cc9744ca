// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "json_cursor.h"
#include "preset.h"
#include "state_format.h"
#include "text/format.h"
#include "text/pci_address.h"

#include <algorithm>
#include <cerrno>
#include <exception>

namespace adp::sim {

namespace {

constexpr std::size_t most_devices = 256;

// Names become parts of file names and of tables elsewhere.
bool is_plain_name(std::string_view s)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.' || c == ':';
    };
    return !s.empty() && s.front() != '.' && s.front() != '-' &&
           std::all_of(s.begin(), s.end(), plain);
}

std::string read_name(const json_cursor &at, std::size_t longest)
{
    std::string name = at.text(longest);
    if (!is_plain_name(name))
        at.complain("letters, digits and any of _-.: expected");
    return name;
}

std::string read_name_or_nothing(const json_cursor &at, std::size_t longest)
{
    return at.is_text() && at.text(longest).empty() ? std::string{} : read_name(at, longest);
}

template <std::size_t N>
void read_dwords(const json_cursor &at, std::array<std::uint32_t, N> &dwords)
{
    if (!at.is_array(N))
        return;
    if (at.size() != N)
        at.complain(adp::format("{} dwords expected, not {}", N, at.size()));
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
    if (!at.is_object({"ibdev", "pci", "fw_ver", "board_id", "netdev", "device_id", "hw_dev_id",
                       "gone", "active_qps", "roce_accl", "profiles", "nic_cap", "histogram",
                       "hca_cap", "faults"}))
        return m;
    m.netdev.clear();
    m.ibdev = read_name(at["ibdev"], 63);
    m.pci = at["pci"].text(16);
    if (!is_pci_address(m.pci))
        at["pci"].complain("a PCI address like 0000:1a:00.0 expected");
    if (const auto c = at["fw_ver"])
        m.fw_ver = read_name_or_nothing(c, 31);
    if (const auto c = at["board_id"])
        m.board_id = read_name_or_nothing(c, 31);
    if (const auto c = at["netdev"])
        m.netdev = read_name_or_nothing(c, 15);
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

bool is_state(const json_cursor &top)
{
    if (!top.is_object())
        return false;
    if (!top["format"].is_text() || top["format"].text(100) != state_format_name) {
        top.complain(
            adp::format("no simulated devices (\"format\": \"{}\" expected)", state_format_name));
        return false;
    }
    const std::uint64_t version = top["version"].number(UINT64_MAX);
    if (version != state_format_version)
        top["version"].complain(
            adp::format("version {} is not known here, only {} is", version, state_format_version));
    return version == state_format_version &&
           top.is_object({"format", "version", "preset", "devices"});
}

std::vector<model> read_state(const json_cursor &top)
{
    if (!is_state(top))
        return {};
    if (const auto name = top["preset"]) {
        auto made = make_preset(name.text(100));
        if (!made)
            name.complain("no such preset");
        if (top["devices"])
            name.complain("either preset or devices, not both");
        return made ? std::move(*made) : std::vector<model>{};
    }
    std::vector<model> devices;
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

} // namespace adp::sim
