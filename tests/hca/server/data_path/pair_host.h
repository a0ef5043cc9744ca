// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the two halves of a queue pair need of the device around them. Times are ns of the model's
// clock.
#pragma once

#include "completion_entry.h"
#include "data_path/memory_keys.h"
#include "data_path/pair_setting.h"
#include "data_path/receive_queue.h"

#include "retry/engine.h"

#include <memory>

namespace adp::hca {

// One step of a requester, for those who compare it with what the retry model says.
struct retry_event {
    enum kind : std::uint8_t { expired, rnr_over, nak, implied_nak, rnr_nak, failed };
    kind what = expired;
    std::uint8_t status = 0; // ibv_wc_status
    retry::model_id model = retry::model_id::nominal;
    retry::qp_setting qp;
    std::uint32_t queue_pair = 0;
    std::uint32_t psn = 0;
    std::uint64_t since_ns = 0; // the first send of the oldest packet, or the last progress
    std::uint64_t at_ns = 0;
    std::uint64_t wait_ns = 0;  // the timer that follows; 0: none
    std::uint32_t expiries = 0; // since since_ns, this one included
};

class pair_host {
  public:
    using config = std::shared_ptr<const retry::engine_config>;

    pair_host() = default;
    virtual ~pair_host() = default;
    pair_host(const pair_host &) = delete;
    pair_host &operator=(const pair_host &) = delete;

    virtual const client_memory &memory() const = 0;
    virtual const memory_keys &keys() const = 0;
    // The shared receive queue of that number, or nullptr.
    virtual receive_queue *shared_queue(std::uint32_t number) = 0;
    // The same object while neither the register nor the chosen model changes.
    virtual config retry_config(const retry::qp_setting &qp) = 0;

    virtual void complete(std::uint32_t completions, const completion_entry &entry) = 0;
    // Moves a counter of QUERY_Q_COUNTER by its name.
    virtual void count(std::uint32_t set, std::string_view counter, std::uint32_t by) = 0;
    // The counters that an error of a send queue moves.
    virtual void count_error(std::uint32_t set, fate end) = 0;
    // An event of the queue pair, for the driver (types of event_queues.h).
    virtual void tell(std::uint8_t type, std::uint32_t number) = 0;
    // A timer that ran out, for the histogram.
    virtual void timed_out(std::uint64_t wait_ns) = 0;
    virtual void note(const retry_event &event) = 0;

    // The addresses are filled in on the way.
    virtual void send(std::uint64_t now_ns, const route &where, packet p) = 0;
    // True: more packets under way than are good; responses wait until asked again.
    virtual bool crowded() const = 0;
    virtual void arm(std::uint32_t number, std::uint64_t at_ns) = 0;
    virtual void disarm(std::uint32_t number) = 0;
    // The queue pair is in the error state from now on; both halves are to be flushed.
    virtual void broken(std::uint32_t number) = 0;
};

} // namespace adp::hca
