// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The data path of one function: its memory keys, its reliable queue pairs and those for datagrams, and what the rest of the
// function does for them.
#pragma once

#include "counters.h"
#include "data_path/datagram_pair.h"
#include "data_path/path.h"
#include "data_path/requester.h"
#include "data_path/responder.h"
#include "data_path/retry_policy.h"
#include "model.h"
#include "port.h"

namespace adp::hca {

class data_path;

class endpoint : public pair_host {
  public:
    // The parts of the function, all of which must live longer.
    struct parts {
        unsigned index;
        const client_memory &memory;
        completion_queues &completions;
        counter_store &counters;
        queue_pairs &pairs;
        sim::model &firmware;
        const port &link;
        std::function<void(std::uint32_t set, fate)> count_error;
        std::function<void(std::uint8_t type, std::uint32_t number)> tell = {}; // nothing: nobody
    };
    endpoint(parts p, data_path &way);

    // ---- commands
    // False: not a queue pair whose data is moved here.
    bool create_pair(std::uint32_t number, view in);
    void destroy_pair(std::uint32_t number);
    // After its context has been changed by this command.
    void modified(std::uint32_t number, std::uint16_t opcode);
    // Puts the live fields into the context.
    void refresh(std::uint32_t number);
    void create_shared_queue(std::uint32_t number, view in);
    void destroy_shared_queue(std::uint32_t number) { shared_.erase(number); }
    // An entry of the table of GIDs; zeros: none.
    void set_gid(unsigned index, view gid);
    void forget();

    // ---- doorbell and time
    // False: not ours.
    bool ring(std::uint32_t number);
    void expired(std::uint64_t now_ns, std::uint32_t number);
    void receive(std::uint64_t now_ns, const packet &p);
    // Responses that waited; receives that were posted to a queue pair in the error state.
    void work(std::uint64_t now_ns);
    void flush_failed();
    bool any_failed() const;

    bool owns(const path_end &end) const;
    data_path &way() { return way_; }

    memory_keys made_keys;
    retry_policy policy;
    path way_out; // and in
    std::uint64_t seed = 1;

    // ---- for the queue pairs
    const client_memory &memory() const override { return parts_.memory; }
    const memory_keys &keys() const override { return made_keys; }
    receive_queue *shared_queue(std::uint32_t number) override;
    config retry_config(const retry::qp_setting &qp) override { return policy.config(qp); }
    void complete(std::uint32_t completions, const completion_entry &entry) override;
    void count(std::uint32_t set, std::string_view counter, std::uint32_t by) override;
    void count_error(std::uint32_t set, fate end) override;
    void tell(std::uint8_t type, std::uint32_t number) override;
    void timed_out(std::uint64_t wait_ns) override;
    void note(const retry_event &event) override;
    void send(std::uint64_t now_ns, const route &where, packet p) override;
    bool crowded() const override;
    void arm(std::uint32_t number, std::uint64_t at_ns) override;
    void disarm(std::uint32_t number) override;
    void broken(std::uint32_t number) override;

  private:
    struct data_pair {
        data_pair(endpoint &host, view in)
            : sender(host, send_ring::of_pair(in)), receiver(host, receive_queue::of_pair(in))
        {
        }
        pair_setting setting;
        bool established = false; // a first packet has come
        requester sender;
        responder receiver;
    };
    struct message_pair {
        message_pair(endpoint &host, view in, bool special) : queues(host, in, special) {}
        pair_setting setting;
        datagram_pair queues;
    };
    data_pair *find(std::uint32_t number);
    message_pair *find_datagrams(std::uint32_t number);
    void modified_datagrams(message_pair &p, std::uint32_t number, std::uint16_t opcode);
    void receive_datagram(const packet &p);
    std::uint64_t timer_of(std::uint32_t number) const;

    parts parts_;
    data_path &way_;
    std::map<std::uint32_t, data_pair> pairs_;
    std::map<std::uint32_t, message_pair> datagrams_;
    std::map<std::uint32_t, receive_queue> shared_;
    std::map<unsigned, std::array<std::uint8_t, 16>> gids_;
};

} // namespace adp::hca
