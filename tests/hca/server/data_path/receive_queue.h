// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Receive queues in the guest's memory: that of a queue pair, and the shared one (RMP), which is a
// list. Neither has a doorbell: the doorbell record is looked at when a packet needs a receive.
#pragma once

#include "data_path/work_request.h"
#include "queue_buffer.h"

#include <optional>

namespace adp::hca {

struct receive_request {
    std::uint16_t index = 0;
    segment_list segments;
    std::uint64_t filled = 0;
};

enum class receive_state : std::uint8_t { taken, empty, broken };

class receive_queue {
  public:
    // The command CREATE_QP: its own receive queue; nothing: it has none. CREATE_RMP: a shared one.
    static std::optional<receive_queue> of_pair(view in);
    static std::optional<receive_queue> shared(view in);

    // The next receive that was posted. broken: the doorbell record or the queue is not in mapped
    // memory, or the record says more than the queue holds.
    receive_state take(const client_memory &memory, receive_request &to);
    void reset();

  private:
    queue_buffer buffer_;
    std::uint64_t doorbell_record_ = 0;
    std::uint32_t entries_ = 0; // a power of 2
    std::uint32_t stride_ = 0;
    bool linked_ = false;
    std::uint16_t consumed_ = 0; // as the doorbell record counts
    std::uint16_t next_ = 0;     // of a list
};

} // namespace adp::hca
