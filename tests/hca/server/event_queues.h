// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The event queues of a function: who is told what, and by which interrupt vector.
#pragma once

#include "log_sink.h"
#include "queue_buffer.h"

#include <array>
#include <functional>
#include <map>

namespace adp::hca {

// Event types (include/linux/mlx5/device.h).
namespace event {
inline constexpr std::uint8_t completion = 0x00;
inline constexpr std::uint8_t communication_established = 0x02;
inline constexpr std::uint8_t queue_failed = 0x05;
inline constexpr std::uint8_t port_change = 0x09;
inline constexpr std::uint8_t command_done = 0x0a;
inline constexpr std::uint8_t functions_changed = 0x0e;
inline constexpr std::uint8_t invalid_request = 0x10;
inline constexpr std::uint8_t access_violation = 0x11;
inline constexpr std::uint8_t last_receive_reached = 0x13;
} // namespace event

class event_queues {
  public:
    event_queues(const client_memory &memory, std::function<void(unsigned vector)> interrupt,
                 log_sink log)
        : memory_(memory), interrupt_(std::move(interrupt)), log_(std::move(log))
    {
    }

    // in: the CREATE_EQ command.
    void create(std::uint32_t number, view in);
    void destroy(std::uint32_t number) { queues_.erase(number); }
    void clear() { queues_.clear(); }
    std::size_t count() const { return queues_.size(); }

    bool takes(std::uint8_t type) const { return taker(type) != queues_.end(); }
    // To the queue that takes this type; false: none does.
    bool push(std::uint8_t type, std::uint8_t subtype, view data);
    void push_to(std::uint32_t number, std::uint8_t type, std::uint8_t subtype, view data);

    // The driver's doorbell: number in bits 31:24, its consumer index below.
    void consumed(std::uint32_t doorbell, bool arm);

  private:
    struct queue {
        queue_buffer buffer;
        unsigned log_size = 0;
        unsigned vector = 0;
        std::array<std::uint64_t, 4> types{};
        std::uint32_t produced = 0;
    };
    using queue_map = std::map<std::uint32_t, queue>;
    queue_map::const_iterator taker(std::uint8_t type) const;
    void put(queue &q, std::uint8_t type, std::uint8_t subtype, view data) const;

    const client_memory &memory_;
    std::function<void(unsigned)> interrupt_;
    log_sink log_;
    queue_map queues_;
};

} // namespace adp::hca
