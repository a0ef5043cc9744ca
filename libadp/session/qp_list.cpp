// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "qp_list.h"

#include "flow/derivation.h"
#include "flow/rule.h"

#include <fmt/format.h>

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

bool connected_type(std::uint32_t type)
{
    return type == 2 || type == 3 || type == 9 || type == 10;
}

void put_sport(adp_qp_attr &a, const device_info &device, const host_qp &q)
{
    const bool infiniband =
        !device.ports.empty() &&
        device.ports[q.port == 0 ? 0 : (q.port - 1) % device.ports.size()].link ==
            link_layer::infiniband;
    if (infiniband) {
        put_text(a.sport_reason, "an InfiniBand port: its packets have no UDP header");
        return;
    }
    if (!connected_type(a.type)) {
        put_text(a.sport_reason, "only connected queue pairs have a source port of their own");
        return;
    }
    const std::string driver = rule_name(device);
    if (!q.ends) {
        put_derived_sport(a, driver, nullptr);
        return;
    }
    const auto label = cm_label(*q.ends);
    if (!label) {
        put_text(
            a.sport_reason,
            fmt::format("connected by RDMA-CM; which side was active, and so the flow label, is "
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
    if (q.rqpn)
        a.rqpn = *q.rqpn;
    a.type = q.type;
    a.state = q.state;
    a.pid = q.pid ? *q.pid : q.owner.empty() ? ADP_NOT_KNOWN : 0;
    if (q.ends)
        put_text(a.peer_addr, flow::to_string(q.ends->destination));
    else
        put_text(a.peer_reason, "not connected by RDMA-CM");
    if (q.context) {
        put_context(a, *q.context);
        return a;
    }
    put_text(a.live_reason, q.context_reason);
    put_sport(a, device, q);
    return a;
}

} // namespace adp
