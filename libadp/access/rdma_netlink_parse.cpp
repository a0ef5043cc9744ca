// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The answers of RDMA netlink: which attribute is what. Attributes that are not known are passed
// over: newer kernels have more.
#include "netlink_answer.h"
#include "nldev.h"
#include "rdma_netlink.h"

#include <algorithm>

namespace adp::nl {

namespace {

// The entries of a nest within a message: each(attributes of an entry).
template <typename F>
void entries(answer_reader &in, bytes payload, std::uint16_t nest, std::uint16_t entry, F &&each)
{
    in.walk(payload, [&](const attribute &a) {
        if (a.type() != nest)
            return;
        in.walk(a.payload(), [&](const attribute &e) {
            if (e.type() == entry)
                each(e.payload());
        });
    });
}

counter_value read_counter(answer_reader &in, bytes entry)
{
    counter_value c;
    bool named = false, valued = false;
    in.walk(entry, [&](const attribute &a) {
        switch (a.type()) {
        case nldev::stat_hwcounter_entry_name:
            in.put(c.name, a.text());
            named = !c.name.empty();
            break;
        case nldev::stat_hwcounter_entry_value:
            in.put(c.value, a.u64());
            valued = true;
            break;
        default: break;
        }
    });
    if (!named || !valued)
        in.bad("a counter without a name or a value");
    return c;
}

std::vector<counter_value> read_counters(answer_reader &in, bytes payload)
{
    std::vector<counter_value> list;
    list.reserve(64); // a port of mlx5 has about 50
    entries(in, payload, nldev::stat_hwcounters, nldev::stat_hwcounter_entry,
            [&](bytes e) { list.push_back(read_counter(in, e)); });
    return list;
}

counter_set read_set(answer_reader &in, bytes entry)
{
    counter_set s;
    bool numbered = false;
    in.walk(entry, [&](const attribute &a) {
        switch (a.type()) {
        case nldev::port_index: in.put(s.port, a.u32()); break;
        case nldev::stat_counter_id:
            in.put(s.id, a.u32());
            numbered = true;
            break;
        case nldev::stat_mode: in.put(s.mode, a.u32()); break;
        case nldev::res_type: in.put(s.qp_type, a.u8()); break;
        case nldev::res_pid: in.put(s.pid, a.u32()); break;
        case nldev::res_kern_name: in.put(s.kernel_owner, a.text()); break;
        default: break;
        }
    });
    if (!numbered)
        in.bad("a counter set without a number");
    entries(in, entry, nldev::res_qp, nldev::res_qp_entry, [&](bytes qp) {
        in.walk(qp, [&](const attribute &a) {
            if (a.type() == nldev::res_lqpn)
                in.put(s.lqpn.emplace_back(), a.u32());
        });
    });
    s.counters = read_counters(in, entry);
    return s;
}

void put_address(answer_reader &in, std::array<std::uint8_t, 128> &to, bytes from)
{
    if (from.size() > to.size())
        in.bad("an address that is too long");
    else
        std::copy(from.begin(), from.end(), to.begin());
}

} // namespace

result<device> parse_device(bytes payload)
{
    answer_reader in{nldev::name};
    device d;
    bool indexed = false;
    in.walk(payload, [&](const attribute &a) {
        switch (a.type()) {
        case nldev::dev_index:
            in.put(d.index, a.u32());
            indexed = true;
            break;
        case nldev::dev_name: in.put(d.name, a.text()); break;
        case nldev::port_index: in.put(d.last_port, a.u32()); break;
        case nldev::fw_version: in.put(d.fw_ver, a.text()); break;
        case nldev::node_guid: in.put(d.node_guid, a.u64()); break;
        case nldev::dev_protocol: in.put(d.protocol, a.text()); break;
        default: break;
        }
    });
    if (!indexed || d.name.empty() || d.name.find('/') != std::string::npos)
        in.bad("a device without a number or a name");
    return in.done(std::move(d));
}

result<port> parse_port(bytes payload)
{
    answer_reader in{nldev::name};
    port p;
    bool indexed = false;
    in.walk(payload, [&](const attribute &a) {
        switch (a.type()) {
        case nldev::dev_index: in.put(p.device, a.u32()); break;
        case nldev::port_index:
            in.put(p.number, a.u32());
            indexed = true;
            break;
        case nldev::port_state: in.put(p.state, a.u8()); break;
        case nldev::port_phys_state: in.put(p.physical_state, a.u8()); break;
        case nldev::ndev_index: in.put(p.netdev_index, a.u32()); break;
        case nldev::ndev_name: in.put(p.netdev, a.text()); break;
        default: break;
        }
    });
    if (!indexed || p.netdev.find('/') != std::string::npos)
        in.bad("a port without a number");
    return in.done(std::move(p));
}

result<port_reading> parse_counters(bytes payload)
{
    answer_reader in{nldev::name};
    port_reading p;
    in.walk(payload, [&](const attribute &a) {
        if (a.type() == nldev::dev_name)
            in.put(p.device, a.text());
        if (a.type() == nldev::port_index)
            in.put(p.port, a.u32());
    });
    p.counters = read_counters(in, payload);
    return in.done(std::move(p));
}

result<std::vector<counter_status>> parse_counter_names(bytes payload)
{
    answer_reader in{nldev::name};
    std::vector<counter_status> list;
    entries(in, payload, nldev::stat_hwcounters, nldev::stat_hwcounter_entry, [&](bytes e) {
        counter_status &s = list.emplace_back();
        in.walk(e, [&](const attribute &a) {
            switch (a.type()) {
            case nldev::stat_hwcounter_entry_name: in.put(s.name, a.text()); break;
            case nldev::stat_hwcounter_index: in.put(s.index, a.u32()); break;
            case nldev::stat_hwcounter_dynamic:
                s.optional = true; // its presence says so, its value whether it is on
                in.put(s.enabled, a.u8());
                break;
            default: break;
            }
        });
        if (s.name.empty())
            in.bad("a counter without a name");
    });
    return in.done(std::move(list));
}

result<std::vector<counter_set>> parse_counter_sets(bytes payload)
{
    answer_reader in{nldev::name};
    std::vector<counter_set> list;
    entries(in, payload, nldev::stat_counter, nldev::stat_counter_entry,
            [&](bytes e) { list.push_back(read_set(in, e)); });
    return in.done(std::move(list));
}

// A set asked for by its number is not in a nest: the message itself is the entry.
result<counter_set> parse_counter_set(bytes payload)
{
    answer_reader in{nldev::name};
    auto s = read_set(in, payload);
    return in.done(std::move(s));
}

result<port_counter_mode> parse_mode(bytes payload)
{
    answer_reader in{nldev::name};
    port_counter_mode m;
    bool said = false;
    in.walk(payload, [&](const attribute &a) {
        std::uint32_t mode = 0;
        switch (a.type()) {
        case nldev::stat_mode:
            in.put(mode, a.u32());
            m.mode = static_cast<counter_mode>(mode);
            said = mode <= static_cast<std::uint32_t>(counter_mode::manual);
            break;
        case nldev::stat_auto_mode_mask: in.put(m.mask, a.u32()); break;
        case nldev::stat_opcounter_enabled:
            if (const auto on = a.u8())
                m.optional_counters = *on != 0;
            else
                in.bad("an attribute of a wrong size");
            break;
        default: break;
        }
    });
    if (!said)
        in.bad("a mode that is not known");
    return in.done(m);
}

result<std::vector<queue_pair>> parse_queue_pairs(bytes payload)
{
    answer_reader in{nldev::name};
    std::vector<queue_pair> list;
    entries(in, payload, nldev::res_qp, nldev::res_qp_entry, [&](bytes e) {
        queue_pair &q = list.emplace_back();
        bool numbered = false;
        in.walk(e, [&](const attribute &a) {
            switch (a.type()) {
            case nldev::port_index: in.put(q.port, a.u32()); break;
            case nldev::res_lqpn:
                in.put(q.lqpn, a.u32());
                numbered = true;
                break;
            case nldev::res_rqpn: in.put(q.rqpn, a.u32()); break;
            case nldev::res_type: in.put(q.type, a.u8()); break;
            case nldev::res_state: in.put(q.state, a.u8()); break;
            case nldev::res_pid: in.put(q.pid, a.u32()); break;
            case nldev::res_kern_name: in.put(q.kernel_owner, a.text()); break;
            default: break;
            }
        });
        if (!numbered)
            in.bad("a queue pair without a number");
    });
    return in.done(std::move(list));
}

result<std::vector<connection>> parse_connections(bytes payload)
{
    answer_reader in{nldev::name};
    std::vector<connection> list;
    entries(in, payload, nldev::res_cm_id, nldev::res_cm_id_entry, [&](bytes e) {
        connection &c = list.emplace_back();
        in.walk(e, [&](const attribute &a) {
            switch (a.type()) {
            case nldev::port_index: in.put(c.port, a.u32()); break;
            case nldev::res_cm_idn: in.put(c.id, a.u32()); break;
            case nldev::res_lqpn: in.put(c.lqpn, a.u32()); break;
            case nldev::res_type: in.put(c.type, a.u8()); break;
            case nldev::res_state: in.put(c.state, a.u8()); break;
            case nldev::res_pid: in.put(c.pid, a.u32()); break;
            case nldev::res_kern_name: in.put(c.kernel_owner, a.text()); break;
            case nldev::res_src_addr: put_address(in, c.source, a.payload()); break;
            case nldev::res_dst_addr: put_address(in, c.destination, a.payload()); break;
            default: break;
            }
        });
    });
    return in.done(std::move(list));
}

result<std::vector<std::uint8_t>> parse_raw(bytes payload)
{
    answer_reader in{nldev::name};
    std::vector<std::uint8_t> raw;
    bool there = false;
    in.walk(payload, [&](const attribute &a) {
        if (a.type() != nldev::res_raw)
            return;
        const bytes data = a.payload();
        raw.assign(data.begin(), data.end());
        there = true;
    });
    if (!there)
        in.bad("no context in it");
    return in.done(std::move(raw));
}

} // namespace adp::nl
