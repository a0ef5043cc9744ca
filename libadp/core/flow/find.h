// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From a source port seen on the wire to the derivations that give it.
#pragma once

#include "flow/rule.h"
#include "result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp::flow {

struct find_options {
    std::uint32_t max_paths = 64;      // UCX: path indexes up to here are called likely
    std::uint32_t ucx_factor = 1;      // UCX_IB_ROCE_PATH_FACTOR
    std::optional<std::uint32_t> lqpn; // does this queue pair give it? alone: one of rxe, or UD
    std::optional<std::uint32_t> rqpn; // ... with its peer; not without lqpn
};

struct found_derivation {
    std::string_view name; // "ucx-verbs", "rdma-cm", ... stable words
    std::string text;      // with the inputs that give this port
    std::optional<std::uint32_t> label;
    bool likely = false; // a default of some stack, or the QPNs asked about; else merely possible
};

// The likely ones first. EINVAL for 0 and what is over 16 bits. A port below 0xc000 has no labels.
result<std::vector<found_derivation>> find_derivations(std::uint32_t sport,
                                                       const find_options &options = {});

} // namespace adp::flow
