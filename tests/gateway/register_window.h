// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The vendor-specific PCI capability through which register tools reach the firmware where the
// kernel offers no better way: a window of address, data and semaphore, an ICMD mailbox behind it,
// and a register access message in that. As much as mstreg 4.33 needs; learnt from its behaviour
// and mstflint's public sources. For the emulated kernel and the software ConnectX.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace adp {

inline constexpr std::uint32_t icmd_mailbox_bytes = 0x300;

// Plain data: it may lie in memory that processes share.
struct window_state {
    std::uint32_t control, ticket, semaphore, address, data;
    std::uint32_t icmd_control;
    std::uint32_t semaphore_space[64];
    std::uint32_t mailbox[icmd_mailbox_bytes / 4];
};

class register_window {
  public:
    // Executes a command mailbox of the firmware; false: it cannot be reached.
    using firmware =
        std::function<bool(std::span<const std::uint8_t> in, std::span<std::uint8_t> out)>;

    register_window(window_state &state, std::uint32_t hardware_id, firmware execute)
        : state_(state), hardware_id_(hardware_id), execute_(std::move(execute))
    {
    }

    // Dwords of the capability, by their offset in it.
    std::uint32_t read(unsigned offset);
    void write(unsigned offset, std::uint32_t value);

  private:
    std::uint32_t read_space(std::uint32_t address) const;
    void write_space(std::uint32_t address, std::uint32_t value);
    void execute_icmd();
    unsigned access_register();

    window_state &state_;
    std::uint32_t hardware_id_;
    firmware execute_;
};

} // namespace adp
