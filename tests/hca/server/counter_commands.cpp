// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "commands.h"
#include "function.h"

namespace adp::hca {

namespace {

// uid of what the driver makes for all users (MLX5_SHARED_RESOURCE_UID of the kernel), where a device
// has user contexts: its counter sets among them.
constexpr std::uint16_t shared_by_users = 0xffff;

status alloc_q_counter(const call &c)
{
    const auto number = c.f.made.make(kind::counter_set);
    if (!number || *number > 0xff)
        return status::no_resources;
    const bool by_driver = c.user == 0 || c.user == shared_by_users;
    c.f.counters.add_set(c.f.index, *number, by_driver && !c.f.user_pairs_seen);
    c.answer(*number);
    return status::ok;
}

status dealloc_q_counter(const call &c)
{
    const std::uint32_t number = get8(c.in, 11);
    c.f.counters.remove_set(c.f.index, number);
    return c.f.made.remove(kind::counter_set, number) ? status::ok : status::bad_resource;
}

// Model rules: an unknown vport, and bits that the capabilities do not allow, are a bad parameter.
status query_q_counter(const call &c)
{
    const bool clear = (get8(c.in, 0x18) & 0x80U) != 0;
    const bool aggregate = (get8(c.in, 0x18) & 0x40U) != 0;
    const unsigned set = get8(c.in, 0x1f);
    if (aggregate && !c.f.capable("general.q_counter_aggregation"))
        return status::bad_param;
    if (c.other()) {
        const unsigned vport = c.other_number();
        if (!c.f.capable("general.q_counter_other_vport") || !c.f.behind.has(vport))
            return status::bad_param;
        for (const counter_place &one : q_counters())
            put32(c.out, one.at, c.f.counters.vport_value(c.f.index, vport, one.at));
        return status::ok;
    }
    for (const counter_place &one : q_counters())
        put32(c.out, one.at, c.f.counters.value(c.f.index, set, one.at));
    if (clear)
        c.f.counters.clear(c.f.index, set);
    return status::ok;
}

status query_cong_statistics(const call &c)
{
    for (const auto &[at, value] : c.f.link.congestion)
        put64(c.out, at, value);
    return status::ok;
}

constexpr std::array table{
    command{0x770, "QUERY_VPORT_COUNTER", 16, 16, taken}, // zeros: no packets are counted
    command{0x771, "ALLOC_Q_COUNTER", 16, 16, alloc_q_counter},
    command{0x772, "DEALLOC_Q_COUNTER", 16, 16, dealloc_q_counter},
    command{0x773, "QUERY_Q_COUNTER", 0x20, 0x100, query_q_counter},
    command{0x826, "QUERY_CONG_STATISTICS", 16, 16, query_cong_statistics},
};

} // namespace

std::span<const command> counter_commands()
{
    return table;
}

} // namespace adp::hca
