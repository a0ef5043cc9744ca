// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The sending half of a reliable queue pair: work requests become packets, answers become
// completions. When to repeat and when to give up is decided by the library's own retry engine and
// by nothing here; see libadp/core/retry/engine.h.
#pragma once

#include "data_path/pair_host.h"
#include "send_ring.h"

#include <deque>

namespace adp::hca {

class requester {
  public:
    static constexpr std::size_t window = 128; // packets that are sent ahead of acknowledgements
    static constexpr std::size_t most_requests = 128; // that the engine knows of

    requester(pair_host &host, std::optional<send_ring> ring) : host_(host), ring_(std::move(ring))
    {
    }
    requester(const requester &) = delete; // the engine keeps its place
    requester &operator=(const requester &) = delete;

    // To RTS: sends from the first PSN on. seed: of the engine's chance.
    void start(const pair_setting &pair, std::uint64_t seed);
    void reset();
    bool started() const { return engine_.has_value(); }

    // The doorbell rang, or there may be more to send for another reason.
    void ring(std::uint64_t now_ns, const pair_setting &pair);
    void expired(std::uint64_t now_ns, const pair_setting &pair);
    // An acknowledgement or a response.
    void take(std::uint64_t now_ns, const pair_setting &pair, const packet &p);
    // Error state: everything that is posted ends.
    void flush(const pair_setting &pair);

    struct live_state {
        std::uint32_t next_psn;
        std::uint32_t last_acknowledged;
        unsigned retries_left;
        unsigned rnr_retries_left;
    };
    std::optional<live_state> live() const; // nothing: not started

  private:
    struct message {
        work_request work;
        std::uint32_t psn = 0;     // of its first packet, once the engine knows of it
        std::uint32_t packets = 0; // 0: nothing of it goes onto the wire
    };
    // A request that cannot be sent: it ends so when all before it are done.
    struct obstacle {
        std::uint32_t psn;
        fate end;
    };

    void fetch(const pair_setting &pair);
    void pump(std::uint64_t now_ns, const pair_setting &pair);
    bool begin_next(std::uint64_t now_ns, const pair_setting &pair);
    fate judge(const message &m, const pair_setting &pair) const;
    bool send_packet(std::uint64_t now_ns, const pair_setting &pair);
    void act(std::uint64_t now_ns, const pair_setting &pair, const retry::outcome &o,
             std::optional<retry_event::kind> why);
    void count(const pair_setting &pair, const retry::counter_moves &moved);
    void finish(const pair_setting &pair, std::uint32_t completed);
    void finish_empty(const pair_setting &pair);
    void complete(const pair_setting &pair, const work_request &work, fate end);
    void fail(const pair_setting &pair, fate end);
    bool read_data(const pair_setting &pair, const packet &p, fate &end);
    void adopt_config(const pair_setting &pair);
    void note(std::uint64_t now_ns, const pair_setting &pair, retry_event::kind what,
              std::uint64_t wait_ns, std::uint8_t status);
    message *message_at(std::uint32_t psn);

    pair_host &host_;
    std::optional<send_ring> ring_;
    std::deque<message> messages_; // fetched and not done
    std::size_t known_ = 0;        // messages from the front on that have been begun
    pair_host::config config_;
    std::array<retry::request, most_requests> replay_{};
    std::optional<retry::engine> engine_;
    std::uint32_t send_psn_ = 0; // what is sent next
    std::uint32_t high_psn_ = 0; // behind the highest that was ever sent
    std::uint64_t armed_wait_ns_ = 0;
    std::uint64_t since_ns_ = retry::never; // the engine's, as last seen
    std::uint32_t expiries_ = 0;            // since then
    std::optional<obstacle> obstacle_;
};

} // namespace adp::hca
