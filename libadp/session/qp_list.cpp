// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "qp_list.h"

#include "flow/derivation.h"
#include "flow/rule.h"
#include "text/format.h"

namespace adp {

namespace {

// The kernel's default ip_local_port_range: the active side of RDMA-CM has a port of these.
bool ephemeral(std::uint16_t port)
{
    return port >= 32768 && port <= 60999;
}

// The label that RDMA-CM gave a connection. Both directions have that of the active side, and which
// side that was is not shown: an ephemeral port gives it away where only one of the two is.
std::optional<std::uint32_t> cm_label(const cm_ends &ends)
{
    if (ephemeral(ends.source_port) == ephemeral(ends.destination_port))
        return std::nullopt;
    if (ephemeral(ends.source_port))
        return flow::cm_flow_label(ends.source_port, ends.destination_port);
    return flow::cm_flow_label(ends.destination_port, ends.source_port);
}

constexpr std::uint32_t general_service = 1; // enum ib_qp_type: QP1

bool connected_type(std::uint32_t type)
{
    return type == 2 || type == 3 || type == 9 || type == 10;
}

link_layer link_of(const device_info &device, std::uint32_t port)
{
    if (device.ports.empty())
        return link_layer::unknown;
    return device.ports[port == 0 ? 0 : (port - 1) % device.ports.size()].link;
}

void put_sport(adp_qp_attr &a, const device_info &device, const host_qp &q)
{
    if (link_of(device, q.port) == link_layer::infiniband) {
        put_text(a.sport_reason, no_udp_header);
        return;
    }
    const std::string driver = rule_name(device);
    if (!connected_type(a.type)) {
        put_derived(a, flow::derive_datagram_sport(driver, a.lqpn, a.type == general_service));
        return;
    }
    if (!q.ends) {
        put_derived_sport(a, driver, nullptr);
        return;
    }
    const auto label = cm_label(*q.ends);
    if (!label) {
        put_text(
            a.sport_reason,
            adp::format("connected by RDMA-CM; which side was active, and so the flow label, is "
                        "not known from the ports {} and {}",
                        q.ends->source_port, q.ends->destination_port));
        return;
    }
    put_derived_sport(a, driver, &*label);
    if (a.sport_source != ADP_SPORT_DERIVED)
        return;
    a.sport_source = ADP_SPORT_ASSUMED;
    put_text(a.sport_reason,
             "flow label of RDMA-CM from the ports of its connection; the side with "
             "the ephemeral port taken as the active one");
}

} // namespace

adp_qp_attr describe(const device_info &device, const host_qp &q)
{
    adp_qp_attr a = unknown_qp();
    put_text(a.dev, device.name);
    put_text(a.comm, q.owner);
    if (q.port != 0)
        a.port = q.port;
    a.lqpn = q.lqpn;
    if (q.rqpn && *q.rqpn != 0) // 0: not connected
        a.rqpn = *q.rqpn;
    a.type = q.type;
    a.state = q.state;
    a.pid = q.pid ? *q.pid : q.owner.empty() ? ADP_NOT_KNOWN : 0;
    if (q.ends) {
        put_text(a.local_addr, flow::to_string(q.ends->source));
        put_text(a.peer_addr, flow::to_string(q.ends->destination));
    } else {
        put_text(a.peer_reason, "not connected by RDMA-CM");
    }
    if (q.context) {
        if (a.local_addr[0] == '\0' && !gid_text(q.context->remote_gid).empty())
            put_text(a.local_addr, address_text(q.local_gid));
        put_context(a, *q.context, link_of(device, q.port));
        return a;
    }
    put_text(a.live_reason, q.context_reason);
    put_sport(a, device, q);
    return a;
}

} // namespace adp
