// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counters.h"

#include <algorithm>

namespace adp::hca {

namespace {

// mlx5_ifc_query_q_counter_out_bits; dwords.
constexpr std::array q_table{
    counter_place{"rx_write_requests", 0x10},
    counter_place{"rx_read_requests", 0x18},
    counter_place{"rx_atomic_requests", 0x20},
    counter_place{"rx_dct_connect", 0x28},
    counter_place{"out_of_buffer", 0x30},
    counter_place{"out_of_sequence", 0x38},
    counter_place{"duplicate_request", 0x40},
    counter_place{"rnr_nak_retry_err", 0x48},
    counter_place{"packet_seq_err", 0x50},
    counter_place{"implied_nak_seq_err", 0x58},
    counter_place{"local_ack_timeout_err", 0x60},
    counter_place{"req_rnr_retries_exceeded", 0x70},
    counter_place{"resp_local_length_error", 0x78},
    counter_place{"req_local_length_error", 0x7c},
    counter_place{"resp_local_qp_error", 0x80},
    counter_place{"local_operation_error", 0x84},
    counter_place{"resp_local_protection", 0x88},
    counter_place{"req_local_protection", 0x8c},
    counter_place{"resp_cqe_error", 0x90},
    counter_place{"req_cqe_error", 0x94},
    counter_place{"req_mw_binding", 0x98},
    counter_place{"req_bad_response", 0x9c},
    counter_place{"req_remote_invalid_request", 0xa0},
    counter_place{"resp_remote_invalid_request", 0xa4},
    counter_place{"req_remote_access_errors", 0xa8},
    counter_place{"resp_remote_access_errors", 0xac},
    counter_place{"req_remote_operation_errors", 0xb0},
    counter_place{"req_transport_retries_exceeded", 0xb4},
    counter_place{"cq_overflow", 0xb8},
    counter_place{"resp_cqe_flush_error", 0xbc},
    counter_place{"req_cqe_flush_error", 0xc0},
    counter_place{"roce_adp_retrans", 0xc8},
    counter_place{"roce_adp_retrans_to", 0xcc},
    counter_place{"roce_slow_restart", 0xd0},
    counter_place{"roce_slow_restart_cnps", 0xd4},
    counter_place{"roce_slow_restart_trans", 0xd8},
};

// mlx5_ifc_query_cong_statistics_out_bits; quadwords.
constexpr std::array congestion_table{
    counter_place{"rp_cnp_ignored", 0x18},
    counter_place{"rp_cnp_handled", 0x20},
    counter_place{"np_ecn_marked_roce_packets", 0x54},
    counter_place{"np_cnp_sent", 0x5c},
};

std::optional<std::uint16_t> find_place(std::span<const counter_place> table, std::string_view name)
{
    for (const counter_place &one : table)
        if (one.name == name)
            return one.at;
    return std::nullopt;
}

std::uint32_t get(const counter_values &values, std::uint16_t at)
{
    const auto found = values.find(at);
    return found == values.end() ? 0 : found->second;
}

} // namespace

std::span<const counter_place> q_counters()
{
    return q_table;
}

std::span<const counter_place> congestion_counters()
{
    return congestion_table;
}

std::optional<std::uint16_t> q_counter(std::string_view name)
{
    return find_place(q_table, name);
}

std::optional<std::uint16_t> congestion_counter(std::string_view name)
{
    return find_place(congestion_table, name);
}

void counter_store::add_set(unsigned function, std::uint32_t set, bool loading)
{
    functions_[function].sets.insert_or_assign(set, counter_set{loading, {}});
}

void counter_store::remove_set(unsigned function, std::uint32_t set)
{
    functions_[function].sets.erase(set);
}

void counter_store::remove_sets(unsigned function)
{
    functions_[function].sets.clear();
}

counter_store::counter_set *counter_store::find(unsigned function, std::uint32_t set)
{
    auto &sets = functions_[function].sets;
    const auto found = sets.find(set);
    return found == sets.end() ? nullptr : &found->second;
}

std::uint32_t counter_store::value(unsigned function, std::uint32_t set, std::uint16_t at) const
{
    const auto f = functions_.find(function);
    if (f == functions_.end())
        return 0;
    const auto found = f->second.sets.find(set);
    if (found == f->second.sets.end())
        return 0;
    return get(found->second.moved, at) + (found->second.loading ? get(f->second.base, at) : 0);
}

void counter_store::set(unsigned function, std::uint32_t set, std::uint16_t at, std::uint32_t value)
{
    if (counter_set *one = find(function, set))
        one->moved[at] = value - (one->loading ? get(functions_[function].base, at) : 0);
}

void counter_store::clear(unsigned function, std::uint32_t set)
{
    for (const counter_place &one : q_table)
        this->set(function, set, one.at, 0);
}

void counter_store::set_base(unsigned function, std::uint16_t at, std::uint32_t value)
{
    function_counters &f = functions_[function];
    f.base[at] = value;
    for (auto &[number, one] : f.sets)
        if (one.loading)
            one.moved.erase(at);
}

void counter_store::move(unsigned function, std::uint32_t set, std::uint16_t at, std::uint32_t by)
{
    if (counter_set *one = find(function, set))
        one->moved[at] += by;
}

void counter_store::move_base(unsigned function, std::uint16_t at, std::uint32_t by)
{
    functions_[function].base[at] += by;
}

void counter_store::set_vport(unsigned manager, unsigned vport, std::uint16_t at,
                              std::uint32_t value)
{
    vports_[{manager, vport}].values[at] = value;
}

std::uint32_t counter_store::vport_own_value(unsigned manager, unsigned vport,
                                             std::uint16_t at) const
{
    const auto found = vports_.find({manager, vport});
    return found == vports_.end() ? 0 : get(found->second.values, at);
}

void counter_store::link(unsigned manager, unsigned vport, unsigned function)
{
    vports_[{manager, vport}].function = function;
}

std::uint32_t counter_store::total(unsigned function, std::uint16_t at) const
{
    const auto f = functions_.find(function);
    if (f == functions_.end())
        return 0;
    std::uint32_t sum = get(f->second.base, at);
    for (const auto &[number, one] : f->second.sets)
        sum += get(one.moved, at);
    return sum;
}

std::uint32_t counter_store::vport_value(unsigned manager, unsigned vport, std::uint16_t at) const
{
    const auto found = vports_.find({manager, vport});
    if (found == vports_.end())
        return 0;
    return get(found->second.values, at) +
           (found->second.function ? total(*found->second.function, at) : 0);
}

std::map<std::uint32_t, counter_store::counter_set> counter_store::sets(unsigned function) const
{
    const auto found = functions_.find(function);
    return found == functions_.end() ? std::map<std::uint32_t, counter_set>{} : found->second.sets;
}

} // namespace adp::hca
