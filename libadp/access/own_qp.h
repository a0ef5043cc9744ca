// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// An application's own queue pair as libibverbs and sysfs describe it, of every driver. libibverbs
// is the application's: found at run time, never linked.
#pragma once

#include "device.h"
#include "qp/context.h"
#include "result.h"

#include <array>
#include <cstdint>
#include <string>

struct ibv_qp;

namespace adp {

struct own_qp {
    std::string ibdev;
    qp::qp_type type = qp::qp_type::unknown;
    qp::qp_state library_state = qp::qp_state::unknown; // as libibverbs remembered it before
    qp::qp_state state = qp::qp_state::unknown;         // as ibv_query_qp() answers
    std::uint32_t lqpn = 0;
    std::uint32_t rqpn = 0;
    std::uint32_t port = 0;
    std::uint32_t flow_label = 0;
    std::uint32_t sgid_index = 0;
    std::uint32_t timeout = 0;
    std::uint32_t retry_cnt = 0;
    std::uint32_t rnr_retry = 0;
    std::uint32_t min_rnr_timer = 0;
    bool global = false; // the address vector has a GRH
    std::array<std::uint8_t, 16> remote_gid{};
    std::string local_gid; // as sysfs shows it; empty: not known
    link_layer link = link_layer::unknown;
    std::string gid_type; // "RoCE v2"; empty: not known
};

result<own_qp> query_own_qp(ibv_qp *pair);

// "mlx5_0 QP 0x1a2"; empty where there is none.
std::string name_of(const ibv_qp *pair);

} // namespace adp
