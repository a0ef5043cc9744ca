// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counters.h"

#include "text/format.h"
#include "words.h"

#include <cerrno>
#include <chrono>
#include <memory>
#include <span>

namespace adp::cli {

namespace {

struct counters_freer {
    void operator()(adp_counters *c) const { adp_free_counters(c); }
};
using snapshot_handle = std::unique_ptr<adp_counters, counters_freer>;

// same: a value of this name, or null; then it is not looked up again.
counter::value value_of(std::string_view driver, const adp_counter &c, counter::family f,
                        const counter::value *same)
{
    const counter::lookup known = same == nullptr ? counter::describe(driver, c.name, f)
                                                  : counter::lookup{same->about, same->vport};
    counter::value v = counter::make_value(known, c.name, c.value);
    v.is = static_cast<counter::state>(c.state);
    v.error = static_cast<int>(c.err);
    v.reason = c.reason;
    v.gate = c.gate;
    return v;
}

std::vector<counter::value> values_of(const adp_counters *c, std::string_view driver,
                                      counter::family f, std::uint32_t count,
                                      std::span<const counter::value> last = {})
{
    std::vector<counter::value> values;
    values.reserve(count);
    adp_counter one{};
    for (std::uint32_t i = 0; adp_get_counter(c, i, &one) == 0; i++)
        values.push_back(value_of(
            driver, one, f, i < last.size() && last[i].name == one.name ? &last[i] : nullptr));
    return values;
}

// Of which device, whatever came of the reading.
taken begin(const adp_context *ctx)
{
    const adp_device *device = adp_context_device(ctx);
    taken t;
    t.counters.dev = adp_device_name(device);
    if (const char *pci = adp_device_pci(device, 0))
        t.counters.pci = pci;
    t.counters.fw_ver = adp_device_fw_ver(device);
    return t;
}

taken take(adp_context *ctx, const adp_counter_query &query, const taken *last)
{
    const snapshot_handle read{adp_query_counters(ctx, &query)};
    if (read)
        return taken_of(read.get(), ctx, last);
    taken t = begin(ctx);
    t.err = errno;
    t.time_ns = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                               std::chrono::system_clock::now().time_since_epoch())
                                               .count());
    t.reason = adp_get_error();
    t.counters.at_device = query.scope == ADP_COUNTERS_DEVICE;
    if (!t.counters.at_device)
        t.counters.port = query.port;
    return t;
}

} // namespace

counter_words counter_words_of(const run &r, const std::string &command)
{
    counter_words w;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (r.args[i] == "file" || r.args[i] == "pma")
            once.take(command, r.args[i]);
        if (r.args[i] == "file")
            w.file = need(r, ++i, command, "file FILE");
        else if (r.args[i] == "pma")
            w.management = true;
        else if (i == 0)
            w.dev = r.args[i];
        else
            throw failure{adp::format("{}: \"{}\": not expected\n  adp help {}", command, r.args[i],
                                      command.substr(0, command.find(' ')))};
    }
    return w;
}

taken taken_of(const adp_counters *read, const adp_context *ctx, const taken *last)
{
    taken t = begin(ctx);
    counter::port_counters &p = t.counters;
    adp_counters_info info{};
    adp_get_counters_info(read, &info);
    p.at_device = info.scope == ADP_COUNTERS_DEVICE;
    if (!p.at_device)
        p.port = info.port;
    p.source = info.source;
    p.driver = info.driver;
    p.function = info.function;
    p.netdev = info.netdev;
    if (info.netdev_index != 0)
        p.netdev_index = info.netdev_index;
    if (info.instance != 0)
        p.dev_index = info.instance - 1;
    if (info.scope == ADP_COUNTERS_SET)
        p.set = info.set_id;
    std::span<const counter::value> before;
    if (last != nullptr && last->counters.driver == p.driver)
        before = last->counters.values;
    p.values = values_of(read, p.driver, counter::family::hw, info.num, before);
    t.function_reason = info.function_reason;
    t.devlink = switch_port_of(info);
    t.note = info.note;
    t.time_ns = info.time_ns;
    t.boot_time_ns = info.boot_time_ns;
    return t;
}

taken take_port(adp_context *ctx, std::uint32_t port, std::uint32_t flags, const taken *last)
{
    return take(ctx, {0, ADP_COUNTERS_PORT, port, 0, flags}, last);
}

taken take_device(adp_context *ctx, std::uint32_t flags, const taken *last)
{
    return take(ctx, {0, ADP_COUNTERS_DEVICE, 0, 0, flags}, last);
}

bool take_management(adp_context *ctx, std::uint32_t port, taken &into, std::string &why)
{
    const adp_counter_query query{0, ADP_COUNTERS_PMA, port, 0, 0};
    const snapshot_handle read{adp_query_counters(ctx, &query)};
    if (!read) {
        why = adp_get_error();
        return false;
    }
    adp_counters_info info{};
    adp_get_counters_info(read.get(), &info);
    into.counters.pma = values_of(read.get(), into.counters.driver, counter::family::pma, info.num);
    return true;
}

std::vector<std::uint32_t> ports_of(const adp_context *ctx, const chosen &c)
{
    if (c.port != 0)
        return {c.port};
    std::vector<std::uint32_t> all;
    for (std::uint32_t p = 1; p <= adp_device_num_ports(adp_context_device(ctx)); p++)
        all.push_back(p);
    return all;
}

} // namespace adp::cli
