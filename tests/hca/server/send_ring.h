// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A send queue as it lies in the guest's memory: blocks of 64 bytes, a work request being some of
// them, and the doorbell record that says how many there are.
#pragma once

#include "queue_buffer.h"

#include <optional>

namespace adp::hca {

struct send_ring {
    static constexpr std::size_t block_bytes = 64;

    queue_buffer buffer;
    std::uint64_t blocks = 0; // a power of 2
    std::uint32_t completions = 0;
    std::uint32_t user_index = 0;
    std::uint64_t doorbell_record = 0;
    std::uint16_t consumed = 0; // blocks

    // in: the CREATE_QP or CREATE_SQ command. Nothing: there is no send queue in it.
    static std::optional<send_ring> of_pair(view in);
    static std::optional<send_ring> plain(view in);

    // What the doorbell record says; nothing: it is not in mapped memory.
    std::optional<std::uint16_t> produced(const client_memory &memory) const;
    // The beginning of the work request in turn, or nullptr.
    const std::uint8_t *at(const client_memory &memory, std::uint64_t block,
                           std::size_t length) const
    {
        return buffer.readable(memory, (block & (blocks - 1)) * block_bytes, length);
    }
};

} // namespace adp::hca
