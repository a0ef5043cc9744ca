// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What RDMA netlink lists of queue pairs and connections, and the raw context of one. Shapes are the
// kernel's (drivers/infiniband/core/nldev.c).
#include "rdma_netlink.h"
#include "rdma_netlink_request.h"

#include "queue_pair_list.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <unistd.h>

namespace adp::emukernel {

namespace {

constexpr std::size_t entries_a_message = 20;

bool reliable(std::uint8_t type)
{
    return type == 2 || type == 3; // RC, UC
}

void put_queue_pair(netlink_message &m, const listed_queue_pair &l)
{
    const queue_pair &q = l.qp;
    const std::size_t entry = m.begin_nest(RDMA_NLDEV_ATTR_RES_QP_ENTRY);
    if (q.port != 0)
        m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, q.port);
    m.u32(RDMA_NLDEV_ATTR_RES_LQPN, q.number);
    if (reliable(q.type)) {
        m.u32(RDMA_NLDEV_ATTR_RES_RQPN, q.dest_number);
        m.u32(RDMA_NLDEV_ATTR_RES_RQ_PSN, 0);
    }
    m.u32(RDMA_NLDEV_ATTR_RES_SQ_PSN, q.sq_psn);
    m.u8(RDMA_NLDEV_ATTR_RES_TYPE, q.type);
    m.u8(RDMA_NLDEV_ATTR_RES_STATE, q.state);
    m.u32(RDMA_NLDEV_ATTR_RES_PDN, 1);
    m.u32(RDMA_NLDEV_ATTR_RES_PID, l.pid);
    m.end_nest(entry);
}

void put_address(netlink_message &m, unsigned short attribute, const std::string &text,
                 std::uint16_t port)
{
    sockaddr_storage any{};
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    ::inet_pton(AF_INET, text.c_str(), &in.sin_addr);
    std::memcpy(&any, &in, sizeof in);
    m.attribute(attribute, &any, sizeof any);
}

void put_dword(std::vector<std::uint8_t> &b, std::uint32_t value)
{
    for (unsigned shift = 32; shift > 0;) {
        shift -= 8;
        b.push_back(static_cast<std::uint8_t>(value >> shift));
    }
}

void put_segment(std::vector<std::uint8_t> &dump, std::uint32_t type,
                 const std::vector<std::uint8_t> &body)
{
    put_dword(dump, static_cast<std::uint32_t>(1 + body.size() / 4) << 16U | type);
    dump.insert(dump.end(), body.begin(), body.end());
}

// As the kernel's fill_res_raw() hands the firmware's dump on.
std::vector<std::uint8_t> raw_context(const queue_pair &q)
{
    constexpr std::size_t answer_bytes = 0x110;
    std::vector<std::uint8_t> dump, body;
    put_segment(dump, 0xfffe, std::vector<std::uint8_t>(12));        // which firmware
    for (const std::uint32_t word : {0x40000000U, q.number, 0U, 0U}) // what was asked for
        put_dword(body, word);
    put_segment(dump, 0xfffa, body);
    body.clear();
    for (const std::uint32_t word : {0U, q.number, 0U})
        put_dword(body, word);
    const std::size_t at = body.size();
    body.resize(at + answer_bytes);
    q.answer(std::span{body}.subspan(at));
    put_segment(dump, 0x4000, body);
    put_segment(dump, 0xfffb, {});
    return dump;
}

} // namespace

int rdma_netlink::queue_pairs(request &r, const ib_device &d) const
{
    const std::vector<listed_queue_pair> all = queue_pair_list{settings_->root}.all(d.name);
    for (std::size_t at = 0; at < all.size() || at == 0; at += entries_a_message) {
        netlink_message m = r.message();
        m.u32(RDMA_NLDEV_ATTR_DEV_INDEX, d.index);
        m.text(RDMA_NLDEV_ATTR_DEV_NAME, d.name);
        const std::size_t nest = m.begin_nest(RDMA_NLDEV_ATTR_RES_QP);
        for (std::size_t i = at; i < std::min(all.size(), at + entries_a_message); i++)
            put_queue_pair(m, all[i]);
        m.end_nest(nest);
        r.send(std::move(m));
    }
    return 0;
}

int rdma_netlink::connection_list(request &r, const ib_device &d) const
{
    netlink_message m = r.message();
    m.u32(RDMA_NLDEV_ATTR_DEV_INDEX, d.index);
    m.text(RDMA_NLDEV_ATTR_DEV_NAME, d.name);
    const std::size_t nest = m.begin_nest(RDMA_NLDEV_ATTR_RES_CM_ID);
    for (const listed_connection &c : connections(settings_->root, d.name)) {
        const std::size_t entry = m.begin_nest(RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY);
        m.u32(RDMA_NLDEV_ATTR_PORT_INDEX, 1);
        m.u32(RDMA_NLDEV_ATTR_RES_LQPN, c.lqpn);
        m.u8(RDMA_NLDEV_ATTR_RES_TYPE, 2);
        m.u8(RDMA_NLDEV_ATTR_RES_STATE, 10);
        m.u32(RDMA_NLDEV_ATTR_RES_PS, 0x0106);
        put_address(m, RDMA_NLDEV_ATTR_RES_SRC_ADDR, c.source, c.source_port);
        put_address(m, RDMA_NLDEV_ATTR_RES_DST_ADDR, c.destination, c.destination_port);
        m.end_nest(entry);
    }
    m.end_nest(nest);
    r.send(std::move(m));
    return 0;
}

int rdma_netlink::raw_queue_pair(request &r, const ib_device &d) const
{
    if (settings_->no_net_admin)
        return -EPERM;
    const auto number = r.attributes.find(RDMA_NLDEV_ATTR_RES_LQPN);
    if (number == r.attributes.end() || r.attributes.count(RDMA_NLDEV_ATTR_PORT_INDEX) == 0)
        return -EINVAL;
    for (const listed_queue_pair &l : queue_pair_list{settings_->root}.all(d.name)) {
        if (l.qp.number != number->second)
            continue;
        netlink_message m = r.message();
        m.u32(RDMA_NLDEV_ATTR_DEV_INDEX, d.index);
        m.text(RDMA_NLDEV_ATTR_DEV_NAME, d.name);
        std::vector<std::uint8_t> dump = raw_context(l.qp);
        if (settings_->short_dump > 0)
            dump.resize(std::min<std::size_t>(dump.size(), settings_->short_dump));
        m.attribute(RDMA_NLDEV_ATTR_RES_RAW, dump.data(), dump.size());
        r.send(std::move(m));
        return 0;
    }
    return -ENOENT;
}

} // namespace adp::emukernel
