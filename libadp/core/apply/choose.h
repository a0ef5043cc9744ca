// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which rule a device gets: one that names it (RDMA name or PCI address) before one for its board,
// and that before "*".
#pragma once

#include "apply/rule.h"

#include <span>

namespace adp::apply {

struct identity {
    std::string name;             // "mlx5_0"
    std::vector<std::string> pci; // its functions
    std::string board_id;         // "MT_0000000359"; empty: not known
};

struct choice {
    const rule *chosen = nullptr; // nullptr without errors: no rule is for it
    std::vector<std::string> errors;
};

// A rule with errors is chosen as well: its device gets nothing then, and no rule of less account.
choice choose(std::span<const rule> rules, const identity &device);

// Can the word name a device at all?
bool can_match(std::string_view word);
// The same device or devices, for all that can be said without one ("1a:00.0", "0000:1A:00.0").
bool same_match(std::string_view a, std::string_view b);
bool for_all(std::string_view match); // "*"
// Has the form of a board id, as "MT_0000000359" and "DEL0000000033" have.
bool is_board(std::string_view match);

} // namespace adp::apply
