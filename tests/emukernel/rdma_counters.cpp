// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The STAT commands of NETLINK_RDMA. Rules as in drivers/infiniband/core/nldev.c and counters.c.
#include "device_answers.h"
#include "rdma_netlink_request.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>

namespace adp::emukernel {

namespace {

// Younger than the headers that this is built with may be.
constexpr std::uint16_t hwcounter_index = 94;
constexpr std::uint16_t hwcounter_dynamic = 95;

constexpr std::uint32_t mode_none = 0, mode_auto = 1, mode_manual = 2;

void put_values(netlink_message &m, std::initializer_list<const named_values *> lists)
{
    const std::size_t all = m.begin_nest(RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
    for (const named_values *values : lists)
        for (const auto &[name, value] : *values) {
            const std::size_t one = m.begin_nest(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
            m.text(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
            m.u64(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value);
            m.end_nest(one);
        }
    m.end_nest(all);
}

bool has(const std::vector<std::string> &names, const std::string &name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// An answer to one request fits into a page; the kernel's own word is EMSGSIZE.
constexpr std::size_t answer_bytes = 3760;

std::size_t word(const std::string &fault, const std::string &name)
{
    const std::size_t at = fault.find(name + "=");
    return at == std::string::npos ? 0
                                   : std::strtoul(fault.c_str() + at + name.size() + 1, nullptr, 0);
}

} // namespace

const port_description *rdma_netlink::counted_port(request &r, const ib_device &d,
                                                   std::uint32_t &number) const
{
    number = r.value(RDMA_NLDEV_ATTR_PORT_INDEX).value_or(0);
    if (number == 0 || number > d.ports.size())
        return nullptr;
    const device_description &all = r.described(d);
    const auto known = all.ports.find(number);
    if (known != all.ports.end())
        return known->second.folder ? &known->second : nullptr;
    if (d.pci.empty() || all.described)
        return nullptr;
    static const port_description plain = [] {
        port_description p;
        for (const counter &c : hardware_counters())
            if (std::string{c.name} != "lifespan")
                p.counters.emplace_back(c.name, c.value);
        return p;
    }();
    return &plain;
}

int rdma_netlink::statistics(request &r, const ib_device &d) const
{
    if (r.value(RDMA_NLDEV_ATTR_STAT_RES) || r.dump())
        return counter_sets(r, d);
    std::uint32_t number = 0;
    const port_description *port = counted_port(r, d, number);
    if (port == nullptr)
        return -EINVAL;
    if (port->error != 0)
        return -port->error;
    named_values on;
    const port_setting setting = counters_.setting(d.name, number);
    for (const auto &[name, value] : port->optional)
        if (has(setting.enabled, name))
            on.emplace_back(name, value);
    netlink_message m = r.message();
    identify(m, d, r.index_of(d));
    m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, number);
    put_values(m, {&port->counters, &on});
    if (m.size() > answer_bytes)
        return -EMSGSIZE;
    r.send(std::move(m));
    return 0;
}

void rdma_netlink::put_set(request &r, netlink_message &m, const ib_device &d, const bound_set &s)
{
    m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, s.port);
    m.u32(RDMA_NLDEV_ATTR_STAT_COUNTER_ID, s.id);
    m.u32(RDMA_NLDEV_ATTR_STAT_MODE, s.mode);
    const device_description &all = r.described(d);
    if (!s.lqpn.empty())
        for (const user_qp &q : all.qps)
            if (q.lqpn == s.lqpn.front()) {
                m.u8(RDMA_NLDEV_ATTR_RES_TYPE, q.type);
                if (q.pid != 0)
                    m.u32(RDMA_NLDEV_ATTR_RES_PID, q.pid);
                else
                    m.text(RDMA_NLDEV_ATTR_RES_KERN_NAME, "nvme_rdma");
            }
    const std::size_t qps = m.begin_nest(RDMA_NLDEV_ATTR_RES_QP);
    for (const std::uint32_t lqpn : s.lqpn) {
        const std::size_t one = m.begin_nest(RDMA_NLDEV_ATTR_RES_QP_ENTRY);
        m.u32(RDMA_NLDEV_ATTR_RES_LQPN, lqpn);
        m.end_nest(one);
    }
    m.end_nest(qps);
    // A set's own values: its number in front, so that two sets differ.
    named_values values;
    std::uint64_t i = 0;
    for (const counter &c : hardware_counters())
        if (std::string{c.name} != "lifespan")
            values.emplace_back(c.name, 100 * s.id + ++i);
    put_values(m, {&values});
}

int rdma_netlink::counter_sets(request &r, const ib_device &d) const
{
    if (r.value(RDMA_NLDEV_ATTR_STAT_RES).value_or(0) != RDMA_NLDEV_ATTR_RES_QP)
        return -EINVAL;
    const std::uint32_t number = r.value(RDMA_NLDEV_ATTR_PORT_INDEX).value_or(0);
    if (!r.dump() && (number == 0 || number > d.ports.size()))
        return -EINVAL;
    if (!r.dump() && r.value(RDMA_NLDEV_ATTR_STAT_MODE)) {
        const port_setting s = counters_.setting(d.name, number);
        netlink_message m = r.message();
        identify(m, d, r.index_of(d));
        m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, number);
        m.u32(RDMA_NLDEV_ATTR_STAT_MODE, s.mode);
        if (s.mode == mode_auto)
            m.u32(RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, s.mask);
        r.send(std::move(m));
        return 0;
    }
    const auto wanted = r.value(RDMA_NLDEV_ATTR_STAT_COUNTER_ID);
    if (!r.dump() && !wanted)
        return -EINVAL;
    netlink_message m = r.message();
    identify(m, d, r.index_of(d));
    bool found = false;
    const std::size_t all = r.dump() ? m.begin_nest(RDMA_NLDEV_ATTR_STAT_COUNTER) : 0;
    for (const ib_port &p : d.ports) {
        if (r.other(RDMA_NLDEV_ATTR_PORT_INDEX, p.number))
            continue;
        for (const bound_set &s : counters_.setting(d.name, p.number).sets) {
            if (wanted && *wanted != s.id)
                continue;
            found = true;
            const std::size_t one = r.dump() ? m.begin_nest(RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY) : 0;
            put_set(r, m, d, s);
            if (r.dump())
                m.end_nest(one);
        }
    }
    if (r.dump())
        m.end_nest(all);
    else if (!found)
        return -ENOENT;
    if (found)
        r.send(std::move(m));
    return 0;
}

int rdma_netlink::counter_names(request &r, const ib_device &d) const
{
    std::uint32_t number = 0;
    const port_description *port = counted_port(r, d, number);
    if (port == nullptr)
        return -EINVAL;
    const port_setting setting = counters_.setting(d.name, number);
    netlink_message m = r.message();
    identify(m, d, r.index_of(d));
    m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, number);
    const std::size_t all = m.begin_nest(RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
    std::uint32_t index = 0;
    const auto put = [&](const std::string &name, const bool *enabled) {
        const std::size_t one = m.begin_nest(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
        m.text(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
        m.u32(hwcounter_index, index++);
        if (enabled != nullptr)
            m.u8(hwcounter_dynamic, *enabled ? 1 : 0);
        m.end_nest(one);
    };
    for (const auto &[name, value] : port->counters)
        put(name, nullptr);
    for (const auto &[name, value] : port->optional) {
        const bool on = has(setting.enabled, name);
        put(name, &on);
    }
    m.end_nest(all);
    if (m.size() > answer_bytes)
        return -EMSGSIZE;
    r.send(std::move(m));
    return 0;
}

int rdma_netlink::change_statistics(request &r, const ib_device &d) const
{
    std::uint32_t number = 0;
    const port_description *port = counted_port(r, d, number);
    if (port == nullptr)
        return -EINVAL;
    port_setting s = counters_.setting(d.name, number);
    const device_description &all = r.described(d);
    if (r.counters) { // the optional counters that are on from now
        if (port->optional.empty())
            return -EOPNOTSUPP; // as in switchdev mode: no way to change them
        s.enabled.clear();
        for (const std::uint32_t index : *r.counters) {
            if (index < port->counters.size() ||
                index >= port->counters.size() + port->optional.size())
                return -EINVAL;
            s.enabled.push_back(port->optional[index - port->counters.size()].first);
        }
        counters_.keep(d.name, number, s);
        return 0;
    }
    const auto mode = r.value(RDMA_NLDEV_ATTR_STAT_MODE);
    if (!mode || r.value(RDMA_NLDEV_ATTR_STAT_RES).value_or(0) != RDMA_NLDEV_ATTR_RES_QP)
        return -EINVAL;
    if (*mode == mode_auto) {
        const std::uint32_t mask = r.value(RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK).value_or(0);
        if (mask != 0 && !s.sets.empty())
            return -EBUSY;
        s.mode = mask == 0 ? mode_none : mode_auto;
        s.mask = mask;
        counters_.keep(d.name, number, s);
        return 0;
    }
    const auto lqpn = r.value(RDMA_NLDEV_ATTR_RES_LQPN);
    if (*mode != mode_manual || !lqpn || s.mode == mode_auto)
        return -EINVAL;
    if (std::none_of(all.qps.begin(), all.qps.end(),
                     [&](const user_qp &q) { return q.lqpn == *lqpn && q.port == number; }))
        return -ENOENT;
    for (const bound_set &set : s.sets)
        if (std::find(set.lqpn.begin(), set.lqpn.end(), *lqpn) != set.lqpn.end())
            return -EINVAL;
    std::uint32_t id = 5; // the first numbers are the kernel's own sets
    if (const auto wanted = r.value(RDMA_NLDEV_ATTR_STAT_COUNTER_ID)) {
        const auto set = std::find_if(s.sets.begin(), s.sets.end(),
                                      [&](const bound_set &b) { return b.id == *wanted; });
        if (set == s.sets.end())
            return -ENOENT;
        set->lqpn.push_back(*lqpn);
        id = *wanted;
    } else {
        for (const bound_set &set : s.sets)
            id = std::max(id, set.id + 1);
        s.sets.push_back({number, id, mode_manual, {*lqpn}});
    }
    s.mode = mode_manual;
    counters_.keep(d.name, number, s);
    netlink_message m = r.message();
    identify(m, d, r.index_of(d));
    m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, number);
    m.u32(RDMA_NLDEV_ATTR_STAT_COUNTER_ID, id);
    m.u32(RDMA_NLDEV_ATTR_RES_LQPN, *lqpn);
    r.send(std::move(m));
    return 0;
}

int rdma_netlink::unbind(request &r, const ib_device &d) const
{
    std::uint32_t number = 0;
    if (counted_port(r, d, number) == nullptr)
        return -EINVAL;
    const auto id = r.value(RDMA_NLDEV_ATTR_STAT_COUNTER_ID);
    const auto lqpn = r.value(RDMA_NLDEV_ATTR_RES_LQPN);
    if (!id || !lqpn || r.value(RDMA_NLDEV_ATTR_STAT_RES).value_or(0) != RDMA_NLDEV_ATTR_RES_QP)
        return -EINVAL;
    port_setting s = counters_.setting(d.name, number);
    const auto set =
        std::find_if(s.sets.begin(), s.sets.end(), [&](const bound_set &b) { return b.id == *id; });
    if (set == s.sets.end())
        return -ENOENT;
    const auto at = std::find(set->lqpn.begin(), set->lqpn.end(), *lqpn);
    if (at == set->lqpn.end())
        return -EINVAL;
    set->lqpn.erase(at);
    if (set->lqpn.empty())
        s.sets.erase(set);
    if (s.sets.empty())
        s.mode = mode_none;
    counters_.keep(d.name, number, s);
    return 0;
}

// Words: errno=N, truncate=N (bytes that are left of each datagram), cut=N (a message says it is N
// bytes longer), garbage (every attribute's bytes turned around), interrupted=1, command=N: only this.
rdma_netlink::datagrams misbehave(const std::string &fault, unsigned command,
                                  rdma_netlink::datagrams answers)
{
    if (fault.empty() || (word(fault, "command") != 0 && word(fault, "command") != command))
        return answers;
    for (std::vector<std::uint8_t> &d : answers) {
        nlmsghdr header{};
        std::memcpy(&header, d.data(), sizeof header);
        if (const std::size_t code = word(fault, "errno")) {
            header.nlmsg_type = NLMSG_ERROR;
            header.nlmsg_flags = 0;
            header.nlmsg_len = sizeof header + sizeof(std::int32_t) + sizeof header;
            const auto value = -static_cast<std::int32_t>(code);
            d.assign(header.nlmsg_len, 0);
            std::memcpy(d.data() + sizeof header, &value, sizeof value);
        }
        if (header.nlmsg_type != NLMSG_ERROR && header.nlmsg_type != NLMSG_DONE) {
            if (fault.find("garbage") != std::string::npos)
                std::reverse(d.begin() + sizeof header, d.end());
            if (const std::size_t left = word(fault, "truncate"); left != 0 && left < d.size()) {
                d.resize(std::max(left, sizeof header));
                header.nlmsg_len = static_cast<std::uint32_t>(d.size());
            }
            header.nlmsg_len += static_cast<std::uint32_t>(word(fault, "cut"));
            if (word(fault, "interrupted") != 0)
                header.nlmsg_flags |= NLM_F_DUMP_INTR;
        }
        std::memcpy(d.data(), &header, sizeof header);
        if (word(fault, "errno") != 0)
            return {d};
    }
    return answers;
}

} // namespace adp::emukernel
