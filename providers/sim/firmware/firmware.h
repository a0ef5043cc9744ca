// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The model of the firmware behind one PCI function: registers and capabilities, asked through raw
// mlx5 command mailboxes. It serves the simulated devices, the emulated kernel and the software
// ConnectX; it knows nothing of operating systems.
//
// What is known of the real firmware is its answer to a query and the vendor's published example.
// Every other rule is marked "model rule" in the source.
#pragma once

#include "model.h"

#include <cstdint>
#include <functional>
#include <span>

namespace adp::sim {

// What became of a command.
struct outcome {
    int err = 0;                 // errno of the call that carried it; 0: the mailbox was answered
    std::size_t copy = SIZE_MAX; // how many bytes of the answer reach the caller
    std::uint32_t delay_ms = 0;  // to wait before answering (an injected fault); the caller waits
};

// What a fuller device around the model executes itself: it answers into out (all zeros before) and
// says true, or leaves the command to the model.
using other_commands =
    std::function<bool(std::span<const std::uint8_t> in, std::span<std::uint8_t> out)>;

// Executes one command on the model's state. in and out are the mailboxes as the driver passes
// them; a refusal is status and syndrome in out with err 0. Faults in the state are matched and
// counted down here.
// around, where there is one, is asked first, under the same faults.
outcome execute(model &state, std::span<const std::uint8_t> in, std::span<std::uint8_t> out,
                const other_commands &around = {});

} // namespace adp::sim
