// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "qp/context.h"

#include <algorithm>

namespace adp::qp {

namespace {

// Kernel include/linux/mlx5/qp.h, enum mlx5_qp_state.
qp_state state_of(std::uint32_t value)
{
    switch (value) {
    case 0: return qp_state::reset;
    case 1: return qp_state::init;
    case 2: return qp_state::rtr;
    case 3: return qp_state::rts;
    case 4: return qp_state::sqe;
    case 5:                       // drained
    case 7: return qp_state::sqd; // draining
    case 6: return qp_state::err;
    default: return qp_state::unknown;
    }
}

// Kernel include/linux/mlx5/qp.h, MLX5_QP_ST_*.
qp_type type_of(std::uint32_t st)
{
    switch (st) {
    case 0: return qp_type::rc;
    case 1: return qp_type::uc;
    case 2: return qp_type::ud;
    case 3: return qp_type::xrc_ini;
    case 5:
    case 6: return qp_type::driver; // DC
    case 9: return qp_type::raw_packet;
    default: return qp_type::unknown;
    }
}

} // namespace

const char *to_string(qp_state state)
{
    switch (state) {
    case qp_state::reset: return "RESET";
    case qp_state::init: return "INIT";
    case qp_state::rtr: return "RTR";
    case qp_state::rts: return "RTS";
    case qp_state::sqd: return "SQD";
    case qp_state::sqe: return "SQE";
    case qp_state::err: return "ERR";
    case qp_state::unknown: break;
    }
    return "unknown";
}

const char *to_string(qp_type type)
{
    switch (type) {
    case qp_type::rc: return "RC";
    case qp_type::uc: return "UC";
    case qp_type::ud: return "UD";
    case qp_type::raw_packet: return "RAW_PACKET";
    case qp_type::xrc_ini: return "XRC_INI";
    case qp_type::xrc_tgt: return "XRC_TGT";
    case qp_type::driver: return "DRIVER";
    case qp_type::unknown: break;
    }
    return "unknown";
}

std::optional<context> decode(std::span<const std::uint8_t> bytes)
{
    if (bytes.size() < context_bytes)
        return std::nullopt;
    const auto read = [&bytes](const cap_field &f) { return reg::get(bytes, f); };
    const auto small = [&read](const cap_field &f) { return static_cast<std::uint8_t>(read(f)); };
    context c;
    c.state = state_of(read(qpc::state));
    c.type = type_of(read(qpc::st));
    c.lag_tx_port_affinity = small(qpc::lag_tx_port_affinity);
    c.counter_set_id = small(qpc::counter_set_id);
    c.ack_timeout = small(qpc::ack_timeout);
    c.src_addr_index = small(qpc::src_addr_index);
    c.retry_count = small(qpc::retry_count);
    c.rnr_retry = small(qpc::rnr_retry);
    c.cur_retry_count = small(qpc::cur_retry_count);
    c.cur_rnr_retry = small(qpc::cur_rnr_retry);
    c.min_rnr_nak = small(qpc::min_rnr_nak);
    c.udp_sport = static_cast<std::uint16_t>(read(qpc::udp_sport));
    c.remote_qpn = read(qpc::remote_qpn);
    c.flow_label = read(qpc::flow_label);
    c.next_send_psn = read(qpc::next_send_psn);
    c.last_acked_psn = read(qpc::last_acked_psn);
    if (read(qpc::extended_retry_count_valid) != 0) {
        c.extended_retry_count = small(qpc::extended_retry_count);
        c.extended_cur_retry_count = small(qpc::extended_cur_retry_count);
    }
    std::copy_n(bytes.begin() + qpc::rgid_rip.bit / 8, c.remote_gid.size(), c.remote_gid.begin());
    return c;
}

std::optional<progress> progress_of(const context &c)
{
    const bool acknowledged = c.type == qp_type::rc || c.type == qp_type::xrc_ini;
    const bool sends =
        c.state == qp_state::rts || c.state == qp_state::sqd || c.state == qp_state::sqe;
    if (!acknowledged || !sends)
        return std::nullopt;
    constexpr std::uint32_t psn_mask = 0xffffff;
    progress p;
    p.outstanding = (c.next_send_psn - c.last_acked_psn - 1) & psn_mask;
    p.timer_armed = p.outstanding != 0 && c.ack_timeout != 0;
    if (p.timer_armed)
        p.timer_psn = (c.last_acked_psn + 1) & psn_mask;
    return p;
}

std::uint64_t timeout_ns(std::uint32_t code)
{
    return code == 0 || code > 31 ? 0 : std::uint64_t{4096} << code;
}

} // namespace adp::qp
