// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Counters: one snapshot, and its values.
#include "counters.h"

#include "counter/counter.h"
#include "devlink.h"

#include <ctime>
#include <string_view>

namespace {

using namespace adp;

constexpr const char *act = "read counters";

std::uint64_t now_ns(clockid_t clock)
{
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000U +
           static_cast<std::uint64_t>(t.tv_nsec);
}

result<counter_reading> read(counter_reader &reader, const adp_counter_query &q)
{
    const bool all = (q.flags & ADP_COUNTERS_ALL) != 0;
    switch (q.scope) {
    case ADP_COUNTERS_PORT: return reader.read_port(q.port, all);
    case ADP_COUNTERS_DEVICE: return reader.read_device(all);
    case ADP_COUNTERS_PMA: return reader.read_port_management(q.port);
    default: return reader.read_set(q.port, q.set_id);
    }
}

result<adp_counter_query> check(const adp_counter_query *query, std::size_t size,
                                const device_info &device)
{
    auto q = abi::take(query, size);
    if (!q)
        return q;
    if ((q->flags & ~std::uint32_t{ADP_COUNTERS_ALL}) != 0)
        return error{EOPNOTSUPP, "flags that this libadp does not know", "", {}};
    if (q->scope == ADP_COUNTERS_OWN_SET)
        return error{EINVAL,
                     "a set of the application's own is read by its own verb",
                     "adp_query_own_counter_set()",
                     {}};
    if (q->scope > ADP_COUNTERS_SET)
        return error{EINVAL, "no such scope of counters", "", {}};
    if (q->scope != ADP_COUNTERS_SET && q->set_id != 0)
        return error{EINVAL, "set_id is for ADP_COUNTERS_SET alone", "", {}};
    if (q->scope == ADP_COUNTERS_DEVICE && q->port != 0)
        return error{EINVAL, "the counters of the device itself are of no port", "", {}};
    if (q->scope != ADP_COUNTERS_DEVICE)
        if (auto fine = abi::check_port(device, q->port); !fine)
            return std::move(fine).err();
    return q;
}

// The tables are made of literals, which end with a zero.
const char *literal(std::string_view text)
{
    return text.empty() ? "" : text.data();
}

adp_counter shown(const counter::value &v)
{
    const counter::description &d = *v.about;
    adp_counter c{};
    c.value = v.has_number() ? v.number : 0;
    c.name = v.name.c_str();
    c.concept_name = literal(counter::to_string(d.what));
    c.unit = literal(counter::to_string(d.in));
    c.meaning = literal(d.meaning);
    c.meaning_source = literal(d.source);
    c.gate = v.gate.c_str();
    c.reason = v.reason.c_str();
    c.since = literal(d.since);
    c.state = static_cast<std::uint32_t>(v.is);
    c.side = static_cast<std::uint32_t>(d.end);
    c.width_bits = d.width_bits;
    c.overflow = static_cast<std::uint32_t>(d.at_end);
    c.err = static_cast<std::uint32_t>(v.error);
    c.is_gauge = d.is == counter::kind::gauge ? 1 : 0;
    return c;
}

// adp.h has these numbers again; here they meet.
static_assert(static_cast<int>(counter::state::unreadable) == ADP_COUNTER_UNREADABLE &&
              static_cast<int>(counter::state::stale) == ADP_COUNTER_STALE &&
              static_cast<int>(counter::state::optional_off) == ADP_COUNTER_OPTIONAL_OFF &&
              static_cast<int>(counter::state::not_exposed) == ADP_COUNTER_NOT_EXPOSED &&
              static_cast<int>(counter::state::not_measured) == ADP_COUNTER_NOT_MEASURED &&
              static_cast<int>(counter::state::saturated) == ADP_COUNTER_SATURATED);
static_assert(static_cast<int>(counter::side::requester) == ADP_SIDE_REQUESTER &&
              static_cast<int>(counter::side::responder) == ADP_SIDE_RESPONDER);
static_assert(static_cast<int>(counter::overflow::none) == ADP_OVERFLOW_NONE &&
              static_cast<int>(counter::overflow::wrap) == ADP_OVERFLOW_WRAP &&
              static_cast<int>(counter::overflow::saturate) == ADP_OVERFLOW_SATURATE);

void fill_devlink(adp_counters &c)
{
    const counter_reading &r = c.reading;
    c.info.devlink_reason = r.devlink_reason.c_str();
    const nl::devlink_port p = r.devlink.value_or(nl::devlink_port{});
    if (p.flavour)
        c.flavour = nl::flavour_name(*p.flavour);
    if (p.state)
        c.fn_state = nl::state_name(*p.state);
    if (p.operational)
        c.fn_opstate = nl::operational_name(*p.operational);
    c.info.flavour = c.flavour.c_str();
    c.info.fn_state = c.fn_state.c_str();
    c.info.fn_opstate = c.fn_opstate.c_str();
    c.info.devlink = r.devlink ? r.devlink->name.c_str() : "";
    c.info.hw_addr = r.devlink ? r.devlink->hw_addr.c_str() : "";
    c.info.controller = p.controller.value_or(ADP_NOT_KNOWN);
    c.info.pfnum = p.pf.value_or(ADP_NOT_KNOWN);
    c.info.vfnum = p.vf.value_or(ADP_NOT_KNOWN);
    c.info.sfnum = p.sf.value_or(ADP_NOT_KNOWN);
    c.info.external = !p.external ? ADP_UNKNOWN : *p.external ? ADP_YES : ADP_NO;
}

} // namespace

namespace adp::abi {

result<void> check_port(const device_info &device, std::uint32_t port)
{
    const std::uint32_t last = device.ports.empty() ? 0 : device.ports.back().number;
    if (port != 0 && port <= last)
        return {};
    return error{
        EINVAL, "no port " + std::to_string(port) + ", it has " + std::to_string(last), "", {}};
}

void fill_info(adp_counters &c, const adp_counter_query &q)
{
    const counter_reading &r = c.reading;
    c.info.time_ns = now_ns(CLOCK_REALTIME);
    c.info.boot_time_ns = now_ns(CLOCK_BOOTTIME);
    c.info.source = r.source == counter_source::netlink ? "netlink"
                    : r.source == counter_source::sysfs ? "sysfs"
                    : r.source == counter_source::devx  ? "devx"
                                                        : "sim";
    c.info.driver = r.driver.c_str();
    c.info.note = r.note.c_str();
    c.info.function = r.function.c_str();
    c.info.function_reason = r.function_reason.c_str();
    c.info.netdev = r.netdev.c_str();
    c.info.scope = q.scope;
    c.info.port = q.port;
    c.info.set_id = q.set_id;
    c.info.instance = r.instance;
    c.info.netdev_index = r.netdev_index;
    c.info.num = static_cast<std::uint32_t>(r.values.size());
    fill_devlink(c);
}

} // namespace adp::abi

extern "C" {

struct adp_counters *_adp_query_counters(struct adp_context *ctx,
                                         const struct adp_counter_query *query, size_t size)
{
    return abi::guard_pointer([&]() -> adp_counters * {
        auto made = std::make_unique<adp_counters>();
        const int err = abi::on_context(ctx, act, [&](session &s) -> result<void> {
            auto q = check(query, size, s.device());
            if (!q)
                return std::move(q).err();
            auto reading = read(s.counters(), *q);
            if (!reading)
                return std::move(reading).err();
            made->reading = std::move(*reading);
            abi::fill_info(*made, *q);
            return {};
        });
        if (err != 0) {
            errno = err;
            return nullptr;
        }
        return made.release();
    });
}

void adp_free_counters(struct adp_counters *counters)
{
    delete counters;
}

int _adp_get_counters_info(const struct adp_counters *counters, struct adp_counters_info *info,
                           size_t size)
{
    return abi::guard([&] {
        if (counters == nullptr)
            return abi::fail({EINVAL, "no counters (NULL)", "", {}}, "libadp", act);
        const auto done = abi::give(info, size, counters->info);
        return done ? 0 : abi::fail(done.err(), "libadp", act);
    });
}

int _adp_get_counter(const struct adp_counters *counters, uint32_t i, struct adp_counter *counter,
                     size_t size)
{
    return abi::guard([&] {
        if (counters == nullptr)
            return abi::fail({EINVAL, "no counters (NULL)", "", {}}, "libadp", act);
        if (i >= counters->reading.values.size())
            return ENOENT;
        const auto done = abi::give(counter, size, shown(counters->reading.values[i]));
        return done ? 0 : abi::fail(done.err(), "libadp", act);
    });
}

int adp_counter_by_name(const struct adp_counters *counters, const char *name)
{
    if (counters == nullptr || name == nullptr)
        return -1;
    const auto &values = counters->reading.values;
    for (std::size_t i = 0; i < values.size(); i++)
        if (values[i].name == name)
            return static_cast<int>(i);
    return -1;
}

} // extern "C"
