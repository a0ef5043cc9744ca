// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The command queue of a function: entries of 64 bytes in the guest's memory, with input and output
// beyond 16 bytes in chains of mailbox blocks. Layout: the kernel's drivers/net/ethernet/mellanox/
// mlx5/core/cmd.c and include/linux/mlx5/device.h.
#pragma once

#include "bytes.h"
#include "client_memory.h"
#include "log_sink.h"

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

namespace adp::hca {

class command_queue {
  public:
    using clock = std::chrono::steady_clock;

    static constexpr unsigned log_entries = 5;
    static constexpr unsigned log_entry_bytes = 6;
    static constexpr std::size_t max_mailbox = 1U << 20U;

    // What became of a command; out has its answer.
    struct verdict {
        bool answered = true; // false: never
        std::uint32_t delay_ms = 0;
    };
    struct environment {
        std::function<verdict(view in, room out)> execute;
        std::function<void()> begin;                 // before a command is executed
        std::function<void(unsigned slot)> finished; // its entry is the driver's again
        log_sink log;
    };

    command_queue(const client_memory &memory, environment around)
        : memory_(memory), around_(std::move(around))
    {
    }

    void set_address(std::uint64_t address) { address_ = address; }
    std::uint64_t address() const { return address_; }

    void doorbell(std::uint32_t slots);
    // When the next delayed answer is due; what is due by now.
    std::optional<clock::time_point> due() const;
    void run_due(clock::time_point now);
    // Answers that are outstanding are never given.
    void forget() { waiting_.clear(); }

  private:
    struct entry {
        unsigned slot = 0;
        std::array<std::uint8_t, 64> image{};
        bytes out;
        std::uint8_t delivery = 0;
        clock::time_point due;
    };
    void take(unsigned slot);
    std::uint8_t gather(const entry &e, bytes &in) const;
    std::uint8_t scatter(const entry &e) const;
    void finish(entry &e);

    const client_memory &memory_;
    environment around_;
    std::uint64_t address_ = 0;
    std::map<unsigned, entry> waiting_;
};

} // namespace adp::hca
