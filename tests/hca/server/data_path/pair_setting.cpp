// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/pair_setting.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t at_remote_gid = 0x28;
constexpr std::uint32_t type_shared_queue = 1;

} // namespace

pair_setting pair_setting::of(std::uint32_t number, view context)
{
    // IBV_MTU_*: 1 is 256 bytes, 5 is 4096.
    static constexpr std::array<std::uint32_t, 8> mtus{256, 256, 512, 1024, 2048, 4096, 4096, 4096};
    const auto field = [&](bit_field f) { return get_bits(context, f); };
    pair_setting s;
    s.number = number;
    s.state = static_cast<qp_state>(field(qpc::state));
    s.domain = field(qpc::pd);
    s.user_index = field(qpc::user_index);
    s.counter_set = field(qpc::counter_set_id);
    s.send_completions = field(qpc::cqn_snd);
    s.receive_completions = field(qpc::cqn_rcv);
    if (field(qpc::rq_type) == type_shared_queue)
        s.shared_queue = field(qpc::srqn);
    s.mtu = mtus[field(qpc::mtu)];
    s.remote_number = field(qpc::remote_qpn);
    if (context.size() >= at_remote_gid + s.to.gid.size())
        std::copy_n(context.begin() + at_remote_gid, s.to.gid.size(), s.to.gid.begin());
    s.to.lid = static_cast<std::uint16_t>(field(qpc::rlid));
    s.to.global = has_gid(s.to);
    s.source_index = field(qpc::src_addr_index);
    s.q_key = field(qpc::q_key);
    s.udp_sport = static_cast<std::uint16_t>(field(qpc::udp_sport));
    s.retry.timeout = field(qpc::ack_timeout);
    s.retry.retry_cnt = field(qpc::retry_count);
    s.retry.rnr_retry = field(qpc::rnr_retry);
    s.reads_out = 1U << field(qpc::log_sra_max);
    s.reads_in = 1U << field(qpc::log_rra_max);
    s.min_rnr_timer = field(qpc::min_rnr_nak);
    s.first_send_psn = field(qpc::next_send_psn);
    s.first_receive_psn = field(qpc::next_rcv_psn);
    s.remote_read = field(qpc::rre) != 0;
    s.remote_write = field(qpc::rwe) != 0;
    s.remote_atomic = field(qpc::rae) != 0;
    return s;
}

} // namespace adp::hca
