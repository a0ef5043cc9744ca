// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The completion engine: work requests of send queues are answered, not carried out. Each one is
// judged; the answer goes into the completion queue where the driver asked for one.
#pragma once

#include "completion_entry.h"
#include "send_ring.h"

namespace adp::hca {

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
        send_ring ring;
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
