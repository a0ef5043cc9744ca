// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "rdma_netlink.h"

#include "nldev.h"

#include <cerrno>
#include <iterator>
#include <utility>

namespace adp::nl {

namespace {

// "STAT_GET: Invalid argument", with what would help.
error explain(error e, const char *command)
{
    e.reason = std::string{command} + ": " + e.reason;
    if (e.remedy.empty() && e.code == EPERM)
        e.remedy = "this needs CAP_NET_ADMIN: run it as root";
    return e;
}

request port_request(std::uint16_t command, std::uint32_t device, std::uint32_t port)
{
    request r{command};
    r.u32(nldev::dev_index, device).u32(nldev::port_index, port);
    return r;
}

// One answer that is all there is to say.
template <typename T, typename Parse>
result<T> ask(socket &s, request &&r, const char *command, Parse parse)
{
    std::optional<T> found;
    auto done = s.get(std::move(r), [&](bytes payload) -> result<void> {
        auto parsed = parse(payload);
        if (!parsed)
            return std::move(parsed).err();
        found = std::move(*parsed);
        return {};
    });
    if (!done)
        return explain(std::move(done).err(), command);
    if (!found)
        return error{EPROTO, std::string{command} + ": no answer", "", {}};
    return std::move(*found);
}

// Every answer of a dump, each with some of the list's elements.
template <typename T, typename Parse>
result<std::vector<T>> list(socket &s, request &&r, const char *command, Parse parse)
{
    std::vector<T> all;
    auto done = s.dump(
        std::move(r), [&] { all.clear(); },
        [&](bytes payload) -> result<void> {
            auto some = parse(payload);
            if (!some)
                return std::move(some).err();
            all.insert(all.end(), std::make_move_iterator(some->begin()),
                       std::make_move_iterator(some->end()));
            return {};
        });
    if (!done)
        return explain(std::move(done).err(), command);
    return all;
}

// A parser of one element as one of a list.
template <typename T> auto one(result<T> (*parse)(bytes))
{
    return [parse](bytes payload) -> result<std::vector<T>> {
        auto parsed = parse(payload);
        if (!parsed)
            return std::move(parsed).err();
        return std::vector<T>{std::move(*parsed)};
    };
}

} // namespace

result<rdma> rdma::open()
{
    auto s = socket::open(nldev::protocol, nldev::name);
    if (!s)
        return std::move(s).err();
    return rdma{std::move(*s)};
}

result<std::vector<device>> rdma::devices()
{
    return list<device>(socket_, request{nldev::get}, "GET", one(parse_device));
}

result<std::vector<port>> rdma::ports(std::uint32_t device)
{
    request r{nldev::port_get};
    r.u32(nldev::dev_index, device);
    return list<port>(socket_, std::move(r), "PORT_GET", one(parse_port));
}

result<port> rdma::one_port(std::uint32_t device, std::uint32_t port_number)
{
    return ask<port>(socket_, port_request(nldev::port_get, device, port_number), "PORT_GET",
                     parse_port);
}

result<port_reading> rdma::counters(std::uint32_t device, std::uint32_t port_number)
{
    return ask<port_reading>(socket_, port_request(nldev::stat_get, device, port_number),
                             "STAT_GET", parse_counters);
}

result<std::vector<counter_status>> rdma::counter_names(std::uint32_t device,
                                                        std::uint32_t port_number)
{
    return ask<std::vector<counter_status>>(
        socket_, port_request(nldev::stat_get_status, device, port_number), "STAT_GET_STATUS",
        parse_counter_names);
}

result<std::vector<counter_set>> rdma::counter_sets(std::uint32_t device, std::uint32_t port_number)
{
    request r = port_request(nldev::stat_get, device, port_number);
    r.u32(nldev::stat_res, nldev::res_qp);
    return list<counter_set>(socket_, std::move(r), "STAT_GET of queue pairs", parse_counter_sets);
}

result<counter_set> rdma::one_set(std::uint32_t device, std::uint32_t port_number,
                                  std::uint32_t set)
{
    request r = port_request(nldev::stat_get, device, port_number);
    r.u32(nldev::stat_res, nldev::res_qp).u32(nldev::stat_counter_id, set);
    return ask<counter_set>(socket_, std::move(r), "STAT_GET of a counter set", parse_counter_set);
}

result<port_counter_mode> rdma::mode(std::uint32_t device, std::uint32_t port_number)
{
    request r = port_request(nldev::stat_get, device, port_number);
    // Any mode: that the attribute is there makes the kernel answer with its own.
    r.u32(nldev::stat_mode, 0).u32(nldev::stat_res, nldev::res_qp);
    return ask<port_counter_mode>(socket_, std::move(r), "STAT_GET of the mode", parse_mode);
}

result<void> rdma::set_auto(std::uint32_t device, std::uint32_t port_number, std::uint32_t mask,
                            std::optional<bool> optional_counters)
{
    request r = port_request(nldev::stat_set, device, port_number);
    r.u32(nldev::stat_mode, static_cast<std::uint32_t>(counter_mode::automatic))
        .u32(nldev::stat_res, nldev::res_qp)
        .u32(nldev::stat_auto_mode_mask, mask);
    if (optional_counters)
        r.u8(nldev::stat_opcounter_enabled, *optional_counters ? 1 : 0);
    auto done = socket_.change(std::move(r));
    return done ? std::move(done) : explain(std::move(done).err(), "STAT_SET");
}

result<std::uint32_t> rdma::bind(std::uint32_t device, std::uint32_t port_number,
                                 std::uint32_t lqpn, std::optional<std::uint32_t> set)
{
    request r = port_request(nldev::stat_set, device, port_number);
    r.u32(nldev::stat_mode, static_cast<std::uint32_t>(counter_mode::manual))
        .u32(nldev::stat_res, nldev::res_qp)
        .u32(nldev::res_lqpn, lqpn);
    if (set)
        r.u32(nldev::stat_counter_id, *set);
    std::optional<std::uint32_t> given = set;
    auto done = socket_.change(std::move(r), [&](bytes payload) -> result<void> {
        attributes all{payload};
        while (const auto a = all.next())
            if (a->type() == nldev::stat_counter_id)
                given = a->u32();
        return {};
    });
    if (!done)
        return explain(std::move(done).err(), "STAT_SET");
    if (!given)
        return error{EPROTO, "STAT_SET: the kernel did not say which set", "", {}};
    return *given;
}

result<void> rdma::unbind(std::uint32_t device, std::uint32_t port_number, std::uint32_t set,
                          std::uint32_t lqpn)
{
    request r = port_request(nldev::stat_del, device, port_number);
    r.u32(nldev::stat_res, nldev::res_qp)
        .u32(nldev::stat_counter_id, set)
        .u32(nldev::res_lqpn, lqpn);
    auto done = socket_.change(std::move(r));
    return done ? std::move(done) : explain(std::move(done).err(), "STAT_DEL");
}

result<void> rdma::set_optional(std::uint32_t device, std::uint32_t port_number,
                                std::span<const std::uint32_t> indices)
{
    request r = port_request(nldev::stat_set, device, port_number);
    r.u32_list(nldev::stat_hwcounters, nldev::stat_hwcounter_index, indices);
    auto done = socket_.change(std::move(r));
    return done ? std::move(done) : explain(std::move(done).err(), "STAT_SET");
}

result<std::vector<queue_pair>> rdma::queue_pairs(std::uint32_t device)
{
    request r{nldev::res_qp_get};
    r.u32(nldev::dev_index, device);
    return list<queue_pair>(socket_, std::move(r), "RES_QP_GET", parse_queue_pairs);
}

result<std::vector<connection>> rdma::connections(std::uint32_t device)
{
    request r{nldev::res_cm_id_get};
    r.u32(nldev::dev_index, device);
    return list<connection>(socket_, std::move(r), "RES_CM_ID_GET", parse_connections);
}

result<std::vector<std::uint8_t>>
rdma::raw_queue_pair(std::uint32_t device, std::uint32_t port_number, std::uint32_t lqpn)
{
    request r = port_request(nldev::res_qp_get_raw, device, port_number);
    r.u32(nldev::res_lqpn, lqpn);
    return ask<std::vector<std::uint8_t>>(socket_, std::move(r), "RES_QP_GET_RAW", parse_raw);
}

} // namespace adp::nl
