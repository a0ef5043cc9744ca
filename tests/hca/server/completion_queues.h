// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The completion queues of a function.
#pragma once

#include "event_queues.h"

namespace adp::hca {

class completion_queues {
  public:
    static constexpr std::size_t entry_bytes = 64;
    using entry = std::array<std::uint8_t, entry_bytes>;

    completion_queues(const client_memory &memory, event_queues &events, log_sink log)
        : memory_(memory), events_(events), log_(std::move(log))
    {
    }

    // in: the CREATE_CQ command.
    void create(std::uint32_t number, view in);
    void destroy(std::uint32_t number) { queues_.erase(number); }
    void clear() { queues_.clear(); }

    // The context as created, or nothing.
    view context(std::uint32_t number) const;

    // The owner bit is put in here.
    void push(std::uint32_t number, entry e);
    // The driver's doorbell, two dwords: consumer index (bit 24: solicited ones only), number.
    void arm(std::uint32_t first, std::uint32_t second);

  private:
    struct queue {
        queue_buffer buffer;
        bytes context;
        unsigned log_size = 0;
        unsigned stride = entry_bytes;
        std::uint32_t events_to = 0;
        std::uint32_t produced = 0;
        std::uint32_t solicited = 0; // how many there were when the last solicited one came
        bool armed = false;
        bool solicited_only = false;
    };
    void tell(std::uint32_t number, queue &q);

    const client_memory &memory_;
    event_queues &events_;
    log_sink log_;
    std::map<std::uint32_t, queue> queues_;
};

} // namespace adp::hca
