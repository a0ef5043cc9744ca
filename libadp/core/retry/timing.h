// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The time models, one by one and never mixed: how long a requester waits and after how many
// expiries it gives up. All but `profile` are a fixed list of waits, compiled here; `profile` is
// adp_algorithm.
//
// Sources: nominal: NCCL's documentation. ibta_min, ibta_max: IBTA volume 1, 9.7.6.1.3, as it is
// usually quoted (a requester waits between T and 4T; not read in its text). mlx5_default,
// mlx5_floor_off: measured on ConnectX-6 (firmware 20.43.4100, one pair of nodes) and ConnectX-5 by a
// third party. rxe: the kernel's rxe_comp.c.
#pragma once

#include "result.h"
#include "retry/types.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace adp::retry {

enum class model_id : std::uint8_t {
    nominal,        // R * T
    ibta_min,       // (R + 1) * T
    ibta_max,       // (R + 1) * 4T
    mlx5_default,   // floor and adaptive retransmission on, firmware's own schedule
    mlx5_floor_off, // min_ack_timeout_limit_disabled = 1
    rxe,            // (R + 1) * T, R = 7 without end
    profile,        // an ADP profile
};

struct model_info {
    model_id id;
    std::string_view name; // as in the interface: "mlx5_default"
    std::string_view rule; // the formula in words
    std::string_view source;
};

// What the register of a device says about the model that its queue pairs follow.
struct mlx5_state {
    bool adp_enabled = true; // roce_adp_retrans_en
    bool profile = false;    // one is active that is not the firmware's own
    bool floor_off = false;  // min_ack_timeout_limit_disabled
};
model_id mlx5_model(const mlx5_state &state);

std::span<const model_info> models(); // all, in the order above
const model_info &info(model_id id);
result<model_id> model_by_name(std::string_view name); // EINVAL names the nearest

// The waits of every model but `profile`.
struct count_timing {
    // Waits of an adaptive phase before the regular ones; the last one spends a unit.
    std::array<std::uint64_t, 20> phase{};
    std::uint8_t phase_len = 0;
    // A first wait that spends nothing, drawn anew each time; max 0: there is none.
    std::uint64_t first_min = 0;
    std::uint64_t first_max = 0;
    std::uint64_t regular_ns = never; // never: the timer is off
    // How many units end the queue pair: the expiry or NAK that spends the last one is fatal.
    std::uint32_t limit = 0; // 0: nothing does
    // A copy leaves with the fatal expiry too (model rule: the measurement counted 15 packets at
    // R = 7, that is 1 + 8 adaptive + 6 regular).
    bool copy_at_error = false;
};

struct timing_options {
    bool adp_enabled = true; // roce_adp_retrans_en, for mlx5_default
};

// id must not be model_id::profile.
count_timing compile_timing(model_id id, const qp_setting &qp, const timing_options &options = {});

} // namespace adp::retry
