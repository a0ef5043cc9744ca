// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "settings.h"

#include "data_control.h"
#include "nic.h"
#include "preset.h"
#include "words.h"

#include "register/roce_accl.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>

namespace adp::hca {

namespace {

error wrong(std::string_view key, std::string_view why)
{
    return {EINVAL, adp::format("{}: {}", key, why), "", {}};
}

// Settings that are a number in a place.
struct number_setting {
    std::string_view key;
    std::uint64_t most;
    bool before_start; // not to be changed when a guest may have seen it
    void (*set)(hca_function &, std::uint64_t);
};
constexpr std::uint64_t any = ~std::uint64_t{0};

void host_changed(hca_function &f)
{
    if (f.behind.ecpf && f.events.takes(event::functions_changed))
        f.events.push(event::functions_changed, 0, {});
}

constexpr std::array numbers{
    number_setting{"pci.device", 0xffff, true,
                   [](hca_function &f, std::uint64_t v) {
                       f.firmware.device_id = static_cast<std::uint16_t>(v);
                   }},
    number_setting{"pci.hardware", 0xffff, true,
                   [](hca_function &f, std::uint64_t v) {
                       f.firmware.hw_dev_id = static_cast<std::uint16_t>(v);
                   }},
    number_setting{"guid", any, true, [](hca_function &f, std::uint64_t v) { f.link.guid = v; }},
    number_setting{
        "port.state", 4, false,
        [](hca_function &f, std::uint64_t v) { f.link.state = static_cast<unsigned>(v); }},
    number_setting{
        "port.phys_state", 15, false,
        [](hca_function &f, std::uint64_t v) { f.link.phys_state = static_cast<unsigned>(v); }},
    number_setting{"port.lid", 0xbfff, false,
                   [](hca_function &f, std::uint64_t v) { f.link.lid = static_cast<unsigned>(v); }},
    number_setting{"port.rx_icrc_encapsulated", any, false,
                   [](hca_function &f, std::uint64_t v) { f.link.icrc_encapsulated = v; }},
    number_setting{"command_timeout_ms", 0xfffff, false,
                   [](hca_function &f, std::uint64_t v) {
                       f.command_timeout_ms = static_cast<std::uint32_t>(v);
                   }},
    number_setting{"health.fatal", 1, false,
                   [](hca_function &f, std::uint64_t v) { f.fatal = v != 0; }},
    number_setting{
        "health.syndrome", 0xff, false,
        [](hca_function &f, std::uint64_t v) { f.health_syndrome = static_cast<std::uint8_t>(v); }},
    number_setting{"ecpf", 1, true,
                   [](hca_function &f, std::uint64_t v) { f.behind.ecpf = v != 0; }},
    number_setting{
        "host.number", 0xff, false,
        [](hca_function &f, std::uint64_t v) { f.behind.host_number = static_cast<unsigned>(v); }},
    number_setting{"host.total_vfs", 127, false,
                   [](hca_function &f, std::uint64_t v) {
                       f.behind.host_total_vfs = static_cast<unsigned>(v);
                   }},
    number_setting{"host.vfs", 127, false,
                   [](hca_function &f, std::uint64_t v) {
                       f.behind.host_vfs = static_cast<unsigned>(v);
                       host_changed(f);
                   }},
    number_setting{"host.pf_absent", 1, false,
                   [](hca_function &f, std::uint64_t v) { f.behind.host_pf_absent = v != 0; }},
    number_setting{"host.pf_disabled", 1, false,
                   [](hca_function &f, std::uint64_t v) {
                       f.behind.host_pf_disabled = v != 0;
                       host_changed(f);
                   }},
    number_setting{
        "delegated", 16, true,
        [](hca_function &f, std::uint64_t v) { f.behind.delegated = static_cast<unsigned>(v); }},
    number_setting{"sriov.total_vfs", 127, true,
                   [](hca_function &f, std::uint64_t v) {
                       f.behind.sriov_total_vfs = static_cast<unsigned>(v);
                   }},
    number_setting{"sriov.bars", 1, true,
                   [](hca_function &f, std::uint64_t v) { f.behind.sriov_bars = v != 0; }},
    number_setting{"vport.refuse", 0xffff, false,
                   [](hca_function &f, std::uint64_t v) {
                       f.behind.refused.insert(static_cast<unsigned>(v));
                   }},
    number_setting{
        "vport.accept", 0xffff, false,
        [](hca_function &f, std::uint64_t v) { f.behind.refused.erase(static_cast<unsigned>(v)); }},
};

result<void> set_firmware(hca_function &f, std::string_view key, std::string_view value)
{
    auto made = sim::make_preset(value);
    if (!made || made->empty())
        return wrong(key, adp::format("there is no preset \"{}\"", value));
    f.firmware = std::move(made->front());
    return {};
}

result<void> set_version(hca_function &f, std::string_view key, std::string_view value)
{
    std::string before = std::exchange(f.firmware.fw_ver, std::string{value});
    const sim::fw_version v = sim::version_of(f.firmware);
    if (v.major != 0 && v.major <= 0xff && v.minor <= 0xffff && v.sub <= 0xffff)
        return {};
    f.firmware.fw_ver = std::move(before);
    return wrong(key, adp::format("\"{}\" is no version like 28.47.1026", value));
}

result<void> set_accl(hca_function &f, std::string_view key, std::string_view value)
{
    const auto data = parse_hex(value);
    if (!data || data->empty() || data->size() % 4 != 0 || data->size() > sizeof(reg::accl_image))
        return wrong(key, "wants up to 16 dwords in hexadecimal");
    f.firmware.accl = {};
    reg::load(f.firmware.accl, *data);
    return {};
}

// The histogram registers of a preset that has them, empty.
result<void> set_histogram(hca_function &f, std::string_view key, std::string_view value)
{
    auto made = sim::make_preset(value);
    if (!made || made->empty() || made->front().nic_cap == 0)
        return wrong(key, adp::format("there is no preset \"{}\" with a histogram", value));
    f.firmware.nic_cap = made->front().nic_cap;
    f.firmware.histogram.config = made->front().histogram.config;
    f.firmware.histogram.bins.clear();
    return {};
}

// "q.NAME", "q@SET.NAME", "v@VPORT.NAME", "congestion.NAME".
bool is_counter(std::string_view key)
{
    return key.starts_with("q.") || key.starts_with("q@") || key.starts_with("v@") ||
           key.starts_with("congestion.");
}

result<void> set_counter(hca_function &f, std::string_view key, std::uint64_t value, bool add)
{
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos)
        return wrong(key, "wants the name of a counter behind a dot");
    const std::string_view name = key.substr(dot + 1);
    if (key.starts_with("congestion.")) {
        const auto at = congestion_counter(name);
        if (!at)
            return wrong(key, "there is no such counter");
        f.link.congestion[*at] = value + (add ? f.link.congestion[*at] : 0);
        return {};
    }
    const auto at = q_counter(name);
    if (!at)
        return wrong(key, "there is no such counter");
    if (value > 0xffffffffU)
        return wrong(key, "the counter has 32 bits");
    const auto v = static_cast<std::uint32_t>(value);
    counter_store &store = f.counters;
    if (key[1] == '.') {
        add ? store.move_base(f.index, *at, v) : store.set_base(f.index, *at, v);
        return {};
    }
    const auto number = parse_number(key.substr(2, dot - 2), 0xffff);
    if (!number)
        return wrong(key, "wants a number behind the @");
    const auto n = static_cast<unsigned>(*number);
    if (key[0] == 'v')
        store.set_vport(f.index, n, *at, v + (add ? store.vport_own_value(f.index, n, *at) : 0));
    else if (!store.sets(f.index).contains(n))
        return wrong(key, "there is no such set");
    else if (add)
        store.move(f.index, n, *at, v);
    else
        store.set(f.index, n, *at, v);
    return {};
}

// "vport.NUMBER.function = N": whose counters the e-switch sees there.
result<void> set_vport_function(nic &device, hca_function &f, std::string_view key,
                                std::uint64_t value)
{
    constexpr std::string_view before = "vport.";
    constexpr std::string_view after = ".function";
    const auto vport =
        parse_number(key.substr(before.size(), key.size() - before.size() - after.size()), 0xffff);
    if (!vport || value >= device.size())
        return wrong(key, "wants the number of a vport and that of a function");
    f.counters.link(f.index, static_cast<unsigned>(*vport), static_cast<unsigned>(value));
    return {};
}

} // namespace

result<void> apply_setting(nic &device, hca_function &f, std::string_view key,
                           std::string_view value, bool add)
{
    if (add && !is_counter(key))
        return wrong(key, "only counters can be added to");
    if (key == "firmware")
        return device.started() ? wrong(key, "cannot be changed any more")
                                : set_firmware(f, key, value);
    if (key == "fw")
        return set_version(f, key, value);
    if (key == "roce_accl")
        return set_accl(f, key, value);
    if (key == "histogram")
        return set_histogram(f, key, value);
    if (key == "board_id") {
        f.board_id = value.substr(0, 16);
        return {};
    }
    if (key == "node_description") {
        f.link.node_description = {};
        std::copy_n(value.begin(), std::min(value.size(), f.link.node_description.size()),
                    f.link.node_description.begin());
        return {};
    }

    if (auto done = apply_data_setting(device, f, key, value))
        return *done;

    const auto number = parse_number(value, any);
    if (!number)
        return wrong(key, adp::format("\"{}\" is not a number", value));
    if (is_counter(key))
        return set_counter(f, key, *number, add);
    if (key.starts_with("vport.") && key.ends_with(".function"))
        return set_vport_function(device, f, key, *number);
    for (const number_setting &one : numbers) {
        if (one.key != key)
            continue;
        if (*number > one.most)
            return wrong(key, adp::format("{} is more than {}", *number, one.most));
        if (one.before_start && device.started())
            return wrong(key, "cannot be changed any more");
        one.set(f, *number);
        return {};
    }
    const auto greatest = capability_pages::greatest(key);
    if (!greatest)
        return wrong(key, "there is no such setting");
    if (*number > *greatest)
        return wrong(key, adp::format("{} is more than {}", *number, *greatest));
    f.caps.set(key, static_cast<std::uint32_t>(*number));
    return {};
}

} // namespace adp::hca
