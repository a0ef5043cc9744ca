// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "queue_pairs.h"
#include "text/format.h"

#include <algorithm>
#include <array>

namespace adp::hca {

namespace {

// The field that a bit of opt_param_mask stands for (enum mlx5_qp_optpar of the kernel).
struct optional_field {
    unsigned bit;
    bit_field field;
};
constexpr std::array optional_fields{
    optional_field{1, qpc::rre},
    optional_field{2, qpc::rae},
    optional_field{3, qpc::rwe},
    optional_field{4, qpc::pkey_index},
    optional_field{5, qpc::q_key},
    optional_field{6, qpc::min_rnr_nak},
    optional_field{8, qpc::log_sra_max},
    optional_field{9, qpc::log_rra_max},
    optional_field{10, qpc::pm_state},
    optional_field{12, qpc::retry_count},
    optional_field{13, qpc::rnr_retry},
    optional_field{14, qpc::ack_timeout},
    optional_field{15, qpc::lag_tx_port_affinity},
    optional_field{16, qpc::vhca_port_num},
    optional_field{18, qpc::srqn},
    optional_field{19, qpc::cqn_rcv},
    optional_field{25, qpc::counter_set_id},
};
constexpr unsigned primary_path_bit = 7;
constexpr std::size_t at_mask = 0x10;
constexpr std::size_t at_mask_95_32 = 0x108;
constexpr std::uint64_t udp_sport_bit = 1U << 2U; // MLX5_QPC_OPT_MASK_32_UDP_SPORT of rdma-core

// The path but for what it shares with other transitions: P_Key, acknowledge timeout, port.
constexpr std::array path_fields{
    qpc::grh,
    qpc::mlid,
    qpc::rlid,
    qpc::src_addr_index,
    qpc::stat_rate_hop_limit,
    qpc::tclass_flow_label,
    qpc::udp_sport,
    bit_field{0x140, 32},
    bit_field{0x160, 32},
    bit_field{0x180, 32},
    bit_field{0x1a0, 32}, // GID
    bit_field{0x1c0, 16}, // DSCP, ECN and priorities
    bit_field{0x1e0, 8},
    bit_field{0x1f0, 16},
    bit_field{0x200, 32}, // MAC
};

// What belongs to a transition (IBTA volume 1, table 91, "modify QP": required attributes).
constexpr std::array init_fields{
    qpc::pm_state,
    qpc::pd,
    qpc::counter_set_id,
    qpc::cqn_snd,
    qpc::cqn_rcv,
    qpc::pkey_index,
    qpc::vhca_port_num,
    qpc::rre,
    qpc::rwe,
    qpc::rae,
    qpc::q_key,
    qpc::log_ack_req_freq,
    qpc::lag_tx_port_affinity,
    qpc::deth_sqpn,
};
constexpr std::array rtr_fields{
    qpc::mtu,         qpc::log_msg_max, qpc::remote_qpn,  qpc::next_rcv_psn,
    qpc::log_rra_max, qpc::min_rnr_nak, qpc::atomic_mode,
};
constexpr std::array rts_fields{
    qpc::ack_timeout, qpc::log_sra_max, qpc::retry_count, qpc::rnr_retry, qpc::next_send_psn,
};

struct transition {
    std::uint16_t opcode;
    int from; // -1: any
    qp_state to;
    std::span<const bit_field> fields;
    bool path;
};
constexpr int any = -1;
constexpr int from(qp_state s)
{
    return static_cast<int>(s);
}
constexpr std::array transitions{
    transition{0x502, from(qp_state::reset), qp_state::init, init_fields, false},
    transition{0x50e, from(qp_state::init), qp_state::init, {}, false},
    transition{0x503, from(qp_state::init), qp_state::rtr, rtr_fields, true},
    transition{0x504, from(qp_state::rtr), qp_state::rts, rts_fields, false},
    transition{0x505, from(qp_state::rts), qp_state::rts, {}, false},
    transition{0x506, from(qp_state::sq_error), qp_state::rts, {}, false},
    transition{0x50c, from(qp_state::sq_drained), qp_state::rts, {}, false},
    transition{0x507, any, qp_state::error, {}, false},
    transition{0x50a, any, qp_state::reset, {}, false},
};

struct named_field {
    std::string_view name;
    bit_field field;
};
constexpr std::array names{
    named_field{"counter_set_id", qpc::counter_set_id},
    named_field{"ack_timeout", qpc::ack_timeout},
    named_field{"retry_count", qpc::retry_count},
    named_field{"rnr_retry", qpc::rnr_retry},
    named_field{"cur_retry_count", qpc::cur_retry_count},
    named_field{"cur_rnr_retry", qpc::cur_rnr_retry},
    named_field{"next_send_psn", qpc::next_send_psn},
    named_field{"last_acked_psn", qpc::last_acked_psn},
    named_field{"min_rnr_nak", qpc::min_rnr_nak},
    named_field{"remote_qpn", qpc::remote_qpn},
    named_field{"udp_sport", qpc::udp_sport},
    named_field{"mtu", qpc::mtu},
};

void take(bytes &to, view from_context, bit_field field)
{
    put_bits(to, field, get_bits(from_context, field));
}

void put_state(bytes &context, qp_state s)
{
    put_bits(context, qpc::state, static_cast<std::uint32_t>(s));
}

qp_state state_of(view context)
{
    return static_cast<qp_state>(get_bits(context, qpc::state));
}

} // namespace

void queue_pairs::create(std::uint32_t number, view in)
{
    const view given = in.subspan(qpc::at_create, qpc::context_bytes);
    pair p;
    p.context.assign(given.begin(), given.end());
    put_state(p.context, qp_state::reset);
    p.as_made = p.context;
    pairs_.insert_or_assign(number, std::move(p));
}

status queue_pairs::modify(std::uint16_t opcode, std::uint32_t number, view in)
{
    const auto found = pairs_.find(number);
    if (found == pairs_.end())
        return status::bad_resource;
    bytes &context = found->second.context;
    const auto *t = std::find_if(transitions.begin(), transitions.end(),
                                 [opcode](const transition &one) { return one.opcode == opcode; });
    if (t == transitions.end())
        return status::bad_op;
    if (t->from != any && t->from != static_cast<int>(state_of(context)))
        return status::bad_qp_state;
    if (t->to == qp_state::reset) {
        context = found->second.as_made;
        return status::ok;
    }
    if (t->to != qp_state::error) {
        if (in.size() < qpc::at_create + qpc::context_bytes)
            return status::bad_input_length;
        const view given = in.subspan(qpc::at_create, qpc::context_bytes);
        const std::uint32_t mask = get32(in, at_mask);
        for (const bit_field &field : t->fields)
            take(context, given, field);
        if (t->path || (mask >> primary_path_bit & 1U) != 0)
            for (const bit_field &field : path_fields)
                take(context, given, field);
        for (const optional_field &option : optional_fields)
            if ((mask >> option.bit & 1U) != 0)
                take(context, given, option.field);
        if ((get64(in, at_mask_95_32) & udp_sport_bit) != 0)
            take(context, given, qpc::udp_sport);
    }
    put_state(context, t->to);
    return status::ok;
}

view queue_pairs::context(std::uint32_t number) const
{
    const auto found = pairs_.find(number);
    return found == pairs_.end() ? view{} : view{found->second.context};
}

qp_state queue_pairs::state(std::uint32_t number) const
{
    return state_of(context(number));
}

void queue_pairs::fail(std::uint32_t number)
{
    if (const auto found = pairs_.find(number); found != pairs_.end())
        put_state(found->second.context, qp_state::error);
}

std::optional<bit_field> queue_pairs::field(std::string_view name)
{
    for (const named_field &one : names)
        if (one.name == name)
            return one.field;
    return std::nullopt;
}

bool queue_pairs::set(std::uint32_t number, bit_field field, std::uint32_t value)
{
    const auto found = pairs_.find(number);
    if (found == pairs_.end())
        return false;
    put_bits(found->second.context, field, value);
    return true;
}

std::string queue_pairs::describe() const
{
    static constexpr std::array states{"reset", "init",       "rtr",  "rts",
                                       "sqerr", "sq_drained", "error"};
    std::string text;
    for (const auto &[number, p] : pairs_) {
        const std::size_t s = get_bits(p.context, qpc::state);
        text += adp::format("qp {:#x} state {} type {}", number,
                            s < states.size() ? states[s] : "?", get_bits(p.context, qpc::st));
        for (const named_field &one : names)
            text += adp::format(" {} {}", one.name, get_bits(p.context, one.field));
        text += '\n';
    }
    return text;
}

} // namespace adp::hca
