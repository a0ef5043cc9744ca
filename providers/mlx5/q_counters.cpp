// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "q_counters.h"

#include "register/field.h"
#include "register/hca_cap.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace adp::mlx5 {

namespace {

// Places in the reply: mlx5_ifc_query_q_counter_out_bits of the kernel's mlx5_ifc.h. Only what the
// driver has names for (drivers/infiniband/hw/mlx5/counters.c); all have 32 bits.
struct place {
    std::string_view name;
    std::uint16_t at;
};
constexpr std::array places{
    place{"rx_write_requests", 0x10},
    place{"rx_read_requests", 0x18},
    place{"rx_atomic_requests", 0x20},
    place{"rx_dct_connect", 0x28},
    place{"out_of_buffer", 0x30},
    place{"out_of_sequence", 0x38},
    place{"duplicate_request", 0x40},
    place{"rnr_nak_retry_err", 0x48},
    place{"packet_seq_err", 0x50},
    place{"implied_nak_seq_err", 0x58},
    place{"local_ack_timeout_err", 0x60},
    place{"req_rnr_retries_exceeded", 0x70},
    place{"resp_local_length_error", 0x78},
    place{"resp_cqe_error", 0x90},
    place{"req_cqe_error", 0x94},
    place{"req_remote_invalid_request", 0xa0},
    place{"req_remote_access_errors", 0xa8},
    place{"resp_remote_access_errors", 0xac},
    place{"req_transport_retries_exceeded", 0xb4},
    place{"resp_cqe_flush_error", 0xbc},
    place{"req_cqe_flush_error", 0xc0},
    place{"roce_adp_retrans", 0xc8},
    place{"roce_adp_retrans_to", 0xcc},
    place{"roce_slow_restart", 0xd0},
    place{"roce_slow_restart_cnps", 0xd4},
    place{"roce_slow_restart_trans", 0xd8},
};

constexpr std::array gates{
    reg::cap::out_of_seq_cnt,
    reg::cap::retransmission_q_counters,
    reg::cap::enhanced_error_q_counters,
    reg::cap::roce_accl,
};

const place *find_place(std::string_view name)
{
    const auto *p = std::find_if(places.begin(), places.end(),
                                 [name](const place &one) { return one.name == name; });
    return p == places.end() ? nullptr : p;
}

// Whether the device counts a group of names; nothing gates the first one.
bool counts(std::string_view group, std::span<const std::uint8_t> general)
{
    const counter::group *g = counter::find_group("mlx5", group);
    if (g == nullptr || g->gate.empty())
        return g != nullptr;
    return std::any_of(gates.begin(), gates.end(), [&](const reg::cap_field &f) {
        return f.name == g->gate && reg::get(general, f) != 0;
    });
}

} // namespace

std::vector<counter::value> q_counters(std::span<const std::uint8_t> reply,
                                       std::span<const std::uint8_t> general)
{
    std::vector<counter::value> values;
    std::vector<std::string_view> seen;
    for (const counter::description &d : counter::table("mlx5")) {
        const place *p = find_place(d.name);
        if (p == nullptr || p->at + 4U > reply.size() || !counts(d.group, general))
            continue;
        std::array<std::uint32_t, 1> number{};
        reg::load(number, reply.subspan(p->at, 4));
        values.push_back(counter::make_value("mlx5", d.name, number[0]));
        seen.push_back(d.name);
    }
    for (counter::value &v : counter::missing("mlx5", seen, false, false))
        if (find_place(v.name) != nullptr)
            values.push_back(std::move(v));
    return values;
}

} // namespace adp::mlx5
