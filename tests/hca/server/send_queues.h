// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The completion engine: work requests of send queues are answered, not carried out. Each one is
// judged; the answer goes into the completion queue where the driver asked for one.
#pragma once

#include "completion_queues.h"

namespace adp::hca {

// How a work request ends: syndrome of its completion entry, 0 for success.
struct fate {
    std::uint8_t syndrome = 0;
    std::uint8_t vendor = 0;
};

class send_queues {
  public:
    using judge = std::function<fate(std::uint32_t number)>;

    // judged: asked for each work request of a queue pair.
    send_queues(const client_memory &memory, completion_queues &completions, judge judged,
                log_sink log)
        : memory_(memory), completions_(completions), judge_(std::move(judged)),
          log_(std::move(log))
    {
    }

    // in: the CREATE_QP or CREATE_SQ command.
    void create_for_pair(std::uint32_t number, view in);
    void create_plain(std::uint32_t number, view in);
    void destroy(std::uint32_t number) { queues_.erase(number); }
    void reset(std::uint32_t number);
    void clear() { queues_.clear(); }

    // The doorbell: everything up to the producer index in the doorbell record.
    void ring(std::uint32_t number);

  private:
    struct queue {
        queue_buffer buffer;
        std::uint64_t entries = 0; // of 64 bytes, a power of 2
        std::uint32_t completions = 0;
        std::uint32_t user_index = 0;
        std::uint64_t doorbell_record = 0;
        std::uint16_t consumed = 0;
        bool of_pair = false;
    };
    bool execute(std::uint32_t number, queue &q);

    const client_memory &memory_;
    completion_queues &completions_;
    judge judge_;
    log_sink log_;
    std::map<std::uint32_t, queue> queues_;
};

} // namespace adp::hca
