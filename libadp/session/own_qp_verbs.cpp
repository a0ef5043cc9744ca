// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "own_qp_verbs.h"

#include "file.h"
#include "function.h"
#include "loader.h"
#include "qp_attr.h"

#include "flow/derivation.h"
#include "text/format.h"

#include <cerrno>
#include <unistd.h>

namespace adp {

namespace {

struct found_device {
    device_info info;
    provider *prov = nullptr; // or none serves its driver
    error missing;            // why
};

result<found_device> device_of(const own_qp &q)
{
    auto info = find_device(q.ibdev);
    if (!info)
        return std::move(info).err();
    found_device d{std::move(*info), nullptr, {}};
    auto prov = find_provider(reference_to(d.info, d.info.pci.empty() ? "" : d.info.pci.front()));
    if (prov)
        d.prov = *prov;
    else
        d.missing = std::move(prov).err();
    return d;
}

std::uint32_t yes_no(const std::optional<bool> &value)
{
    return !value ? ADP_UNKNOWN : *value ? ADP_YES : ADP_NO;
}

void put_ooo(adp_qp_attr &a, const ooo_gates &gates)
{
    a.ooo_kernel = yes_no(gates.kernel);
    a.ooo_device = yes_no(gates.device);
    const bool no = a.ooo_kernel == ADP_NO || a.ooo_device == ADP_NO;
    const bool yes = a.ooo_kernel == ADP_YES && a.ooo_device == ADP_YES;
    a.ooo = no ? ADP_NO : yes ? ADP_YES : ADP_UNKNOWN;
    a.ooo_max_recv_wr = no ? 0 : gates.max_recv_wr;
}

error gate(int code, std::string reason, std::string remedy = "")
{
    return {code, std::move(reason), std::move(remedy), {}};
}

// What concerns every driver.
result<void> check_common(const own_qp &q)
{
    if (q.type != qp::qp_type::rc && q.type != qp::qp_type::uc)
        return gate(EOPNOTSUPP,
                    adp::format("a queue pair of type {}: only RC and UC have a source port that "
                                "can be changed",
                                qp::to_string(q.type)));
    if (q.link == link_layer::infiniband)
        return gate(EOPNOTSUPP, no_udp_header, "path bits of the LID, or adaptive routing");
    // Before RTR there is no address; the driver then shows GID index 0.
    const bool addressed = q.state != qp::qp_state::reset && q.state != qp::qp_state::init;
    if (addressed && !q.gid_type.empty() && q.gid_type != "RoCE v2")
        return gate(EOPNOTSUPP,
                    adp::format("GID index {} is of type {}: only RoCEv2 packets have a UDP header",
                                q.sgid_index, q.gid_type),
                    "connect with a GID of type RoCE v2");
    return {};
}

result<void> check_port(std::uint16_t sport, bool force)
{
    if (sport == 0)
        return gate(EINVAL, "source port 0 is none", "give one of 49152 to 65535");
    if (sport < flow::sport_min && !force)
        return gate(EINVAL,
                    adp::format("source port {} is below 49152, where devices are reported not to "
                                "send from",
                                sport),
                    "give one of 49152 to 65535, or force it");
    return {};
}

} // namespace

result<adp_qp_attr> query_qp_attr(ibv_qp *pair)
{
    auto q = query_own_qp(pair);
    if (!q)
        return std::move(q).err();
    auto device = device_of(*q);
    if (!device)
        return std::move(device).err();
    adp_qp_attr a = unknown_qp();
    put_text(a.dev, q->ibdev);
    a.pid = static_cast<std::uint32_t>(::getpid());
    put_text(a.comm, os::read_line("/proc/self/comm"));
    a.lqpn = q->lqpn;
    a.port = q->port;
    a.type = static_cast<std::uint32_t>(q->type);
    a.state = static_cast<std::uint32_t>(q->state);
    a.lib_state = static_cast<std::uint32_t>(q->library_state);
    if (q->rqpn != 0) // 0: not connected
        a.rqpn = q->rqpn;
    a.timeout_code = q->timeout;
    a.timeout_ns = qp::timeout_ns(q->timeout);
    a.retry_cnt = q->retry_cnt;
    a.rnr_retry = q->rnr_retry;
    a.min_rnr_timer = q->min_rnr_timer;
    if (const std::string peer = gid_text(q->remote_gid); !peer.empty()) {
        put_text(a.local_addr, address_text(q->local_gid));
        put_text(a.peer_addr, peer);
    } else {
        put_text(a.peer_reason, "no address vector with a GRH");
    }
    auto context = device->prov != nullptr ? device->prov->query_qp(pair)
                                           : result<qp::context>{device->missing};
    if (context) {
        context->type = q->type; // the context does not tell XRC's two ends apart
        put_context(a, *context, q->link);
        put_ooo(a, device->prov->query_ooo(pair));
        return a;
    }
    put_text(a.live_reason, context.err().reason);
    if (q->link != link_layer::infiniband)
        put_derived_sport(a, rule_name(device->info), q->global ? &q->flow_label : nullptr);
    else
        put_text(a.sport_reason, no_udp_header);
    return a;
}

result<void> modify_qp_udp_sport(ibv_qp *pair, std::uint16_t sport, bool force)
{
    if (auto good = check_port(sport, force); !good)
        return good;
    auto q = query_own_qp(pair);
    if (!q)
        return std::move(q).err();
    auto device = device_of(*q);
    if (!device)
        return std::move(device).err();
    if (auto good = check_common(*q); !good)
        return good;
    if (device->prov == nullptr)
        return device->missing;
    return device->prov->modify_qp_udp_sport(pair, sport, force);
}

} // namespace adp
