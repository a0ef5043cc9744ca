// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "qp_attr.h"

#include "flow/address.h"

#include <algorithm>

namespace adp {

adp_qp_attr unknown_qp()
{
    adp_qp_attr a{};
    for (std::uint32_t *member : {&a.port,
                                  &a.rqpn,
                                  &a.type,
                                  &a.state,
                                  &a.lib_state,
                                  &a.pid,
                                  &a.flow_label,
                                  &a.udp_sport,
                                  &a.timeout_code,
                                  &a.retry_cnt,
                                  &a.retry_left,
                                  &a.rnr_retry,
                                  &a.rnr_left,
                                  &a.min_rnr_timer,
                                  &a.extended_retry_count,
                                  &a.extended_retry_left,
                                  &a.next_send_psn,
                                  &a.last_acked_psn,
                                  &a.outstanding,
                                  &a.timer_armed,
                                  &a.timer_psn,
                                  &a.lag_tx_port_affinity,
                                  &a.counter_set_id})
        *member = ADP_NOT_KNOWN;
    a.sport_source = ADP_SPORT_UNKNOWN;
    a.ooo = a.ooo_kernel = a.ooo_device = ADP_UNKNOWN;
    return a;
}

std::string rule_name(const device_info &device)
{
    if (!device.driver.empty()) // "mlx5_core.sf" is a subfunction's
        return device.driver.substr(0, device.driver.find('.'));
    return device.name.substr(0, device.name.find_first_of("0123456789_"));
}

std::string address_text(const std::string &text)
{
    const auto address = flow::parse_address(text);
    return address ? flow::to_string(*address) : std::string{};
}

std::string gid_text(const std::array<std::uint8_t, 16> &gid)
{
    if (std::all_of(gid.begin(), gid.end(), [](std::uint8_t b) { return b == 0; }))
        return {};
    flow::address address;
    address.v6 = true;
    address.byte = gid;
    return address_text(flow::to_string(address)); // one that holds an IPv4 address is that
}

namespace {

void put_path(adp_qp_attr &a, const qp::context &c, link_layer link)
{
    if (link == link_layer::infiniband) {
        put_text(a.sport_reason, no_udp_header);
    } else if (c.udp_sport == 0) {
        put_text(a.sport_reason, "no port in the context: not connected, or over RoCEv1");
    } else {
        a.udp_sport = c.udp_sport;
        a.flow_label = c.flow_label;
        a.sport_source = ADP_SPORT_QPC;
        put_text(a.sport_reason, "");
    }
    if (const std::string peer = gid_text(c.remote_gid); !peer.empty() && a.peer_addr[0] == '\0') {
        put_text(a.peer_addr, peer);
        put_text(a.peer_reason, "");
    }
}

} // namespace

void put_context(adp_qp_attr &a, const qp::context &c, link_layer link)
{
    if (c.state != qp::qp_state::unknown)
        a.state = static_cast<std::uint32_t>(c.state);
    if (c.type != qp::qp_type::unknown && a.type == ADP_NOT_KNOWN)
        a.type = static_cast<std::uint32_t>(c.type);
    a.counter_set_id = c.counter_set_id;
    a.lag_tx_port_affinity = c.lag_tx_port_affinity;
    put_path(a, c, link);
    if (a.rqpn == ADP_NOT_KNOWN && c.remote_qpn != 0)
        a.rqpn = c.remote_qpn;
    const bool reliable = c.type == qp::qp_type::rc || c.type == qp::qp_type::xrc_ini ||
                          c.type == qp::qp_type::xrc_tgt;
    if (!reliable) {
        put_text(a.live_reason, "this type of queue pair is not acknowledged");
        return;
    }
    a.timeout_code = c.ack_timeout;
    a.timeout_ns = qp::timeout_ns(c.ack_timeout);
    a.retry_cnt = c.retry_count;
    a.rnr_retry = c.rnr_retry;
    a.min_rnr_timer = c.min_rnr_nak;
    a.retry_left = c.cur_retry_count;
    a.rnr_left = c.cur_rnr_retry;
    if (c.extended_retry_count) {
        a.extended_retry_count = *c.extended_retry_count;
        a.extended_retry_left = *c.extended_cur_retry_count;
    }
    a.next_send_psn = c.next_send_psn;
    a.last_acked_psn = c.last_acked_psn;
    const auto under_way = qp::progress_of(c);
    if (!under_way) {
        put_text(a.live_reason, "not connected to send");
        return;
    }
    put_text(a.live_reason, "");
    a.outstanding = under_way->outstanding;
    a.timer_armed = under_way->timer_armed ? 1 : 0;
    if (under_way->timer_armed)
        a.timer_psn = under_way->timer_psn;
}

void put_derived_sport(adp_qp_attr &a, const std::string &driver, const std::uint32_t *label)
{
    const std::uint32_t rqpn = a.rqpn == ADP_NOT_KNOWN ? 0 : a.rqpn;
    const auto given = label == nullptr ? std::nullopt : std::optional<std::uint32_t>{*label};
    put_derived(a, flow::derive_sport(driver, given, a.lqpn, rqpn));
}

void put_derived(adp_qp_attr &a, const flow::derived_sport &derived)
{
    put_text(a.sport_reason, std::string{derived.reason});
    if (derived.source == flow::sport_source::unknown)
        return;
    a.udp_sport = derived.sport;
    a.flow_label = derived.label;
    a.sport_source =
        derived.source == flow::sport_source::derived ? ADP_SPORT_DERIVED : ADP_SPORT_ASSUMED;
}

} // namespace adp
