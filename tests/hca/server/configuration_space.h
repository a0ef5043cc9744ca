// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The PCI configuration space of a function: what is in it, which bits the guest may write, and the
// vendor-specific capability behind which the register window lies.
#pragma once

#include "bytes.h"

#include <array>
#include <functional>

namespace adp::hca {

class configuration_space {
  public:
    static constexpr std::size_t size = 4096;
    static constexpr unsigned vectors = 64;
    static constexpr std::uint64_t msix_table = 0x2000; // in BAR 0
    static constexpr std::uint64_t msix_pending = 0x3000;

    struct identity {
        std::uint16_t device = 0x1021;
        bool infiniband = false;
        unsigned total_vfs = 0;
        bool vf_bars = false;
    };
    struct window {
        std::function<std::uint32_t(unsigned offset)> read;
        std::function<void(unsigned offset, std::uint32_t value)> write;
    };

    configuration_space(const identity &who, window registers);

    void read(std::uint64_t offset, room to) const;
    void write(std::uint64_t offset, view from);
    void reset(); // what the guest has enabled is off again

    unsigned enabled_vfs() const;

  private:
    static bool in_window(std::uint64_t offset, std::size_t length);

    std::array<std::uint8_t, size> bytes_{};
    std::array<std::uint8_t, size> writable_{};
    window window_;
    bool sriov_;
};

} // namespace adp::hca
