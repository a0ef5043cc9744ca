// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The requester of one reliable queue pair, as a state machine without a clock: events with their
// time come in, the outcome says what to do. One timer on the oldest unacknowledged packet; two
// ceilings and two live budgets, separately spent; the replay buffer is bounded. A simulator drives
// it with virtual time, a software device with real time.
//
// Rules with a source: cumulative acknowledgements, go-back-N, implied NAK for a missing read
// response (IBTA volume 1, chapter 9). Both budgets are reloaded when the oldest unacknowledged
// packet is passed by a positive acknowledgement or a response, not by a NAK (rxe and qib do so;
// inferred of others).
// The rest is marked "model rule". One is that timeout 0 stops a profile's timers too: no source says
// whether they run.
//
// How to drive it, in real time or another:
//
//     const result<engine_config> config = engine_config::make(model, qp, profile);
//     std::array<request, 128> replay;                  // what may be outstanding, in requests
//     engine e(*config, replay, seed, first_psn);
//
//     outcome o = e.post(now, request_kind::send, packets);  // a request is sent ...
//     o = e.ack(now, psn);                                   // ... something comes back ...
//     o = e.expired(now);                                    // ... or the timer ran out
//
// After each event do what the outcome says, in the order of its members: complete `completed`
// requests, send again from `psn` on, complete with `status` and flush, arm or disarm the one timer
// (arm_* ends at now + wait_ns; an event that says `keep` leaves it running). Times are ns of any
// clock that does not go back. An event is handed over with the time at which it happened: an expiry
// with its deadline, not with the moment at which the program woke up, or errors of waking add up.
// What has arrived is handed over before a timer of the same time. A changed profile or register:
// use(). The configuration is shared; an engine copies nothing and allocates nothing.
// tests/unit/retry/real_time_test.cpp is such a program.
#pragma once

#include "result.h"
#include "retry/adp_algorithm.h"
#include "retry/readings.h"
#include "retry/rng.h"
#include "retry/timing.h"
#include "retry/types.h"

#include <cstdint>
#include <optional>
#include <span>

namespace adp::retry {

inline constexpr std::uint32_t psn_mask = 0xffffff;
inline constexpr std::uint32_t max_window = 1U << 23; // packets that may be outstanding

struct engine_options {
    bool nak_advance_reloads = false; // a NAK that passes packets reloads the budgets too
    bool adp_enabled = true;          // roce_adp_retrans_en, for mlx5_default
    std::uint32_t delay_factor = 1;   // profile: every wait t is drawn from [t, factor * t], 1 .. 4
    std::uint32_t max_packets = max_window - 1; // bound of the replay buffer in packets
    std::uint64_t rxe_jiffy_ns = 0;             // rxe: RNR waits in whole jiffies; 0: exact
};

struct error_codes;

// What does not change while a queue pair lives; shared by any number of them.
struct engine_config {
    model_id model = model_id::nominal;
    qp_setting qp;
    engine_options options;
    count_timing count;               // every model but profile
    std::optional<adp_algorithm> adp; // model profile
    bool plain_waits = true;          // profile: waits are neither drawn nor shortened

    // profile is needed for model_id::profile only. EINVAL: an attribute over its field, or what
    // adp_algorithm::make refuses.
    static result<engine_config> make(model_id model, const qp_setting &qp,
                                      const adp_profile *profile = nullptr,
                                      const adp_readings &readings = {},
                                      const engine_options &options = {});
};

enum class request_kind : std::uint8_t { send, write, read, atomic };

// One slot of the replay buffer.
struct request {
    std::uint32_t psn = 0;
    std::uint32_t packets = 0; // of a read: of its response
    request_kind kind = request_kind::send;
};

enum class nak_code : std::uint8_t {
    sequence_error,
    invalid_request,
    remote_access,
    remote_operation,
};

// Movements of the mlx5 hw_counters, by their names.
struct counter_moves {
    std::uint8_t local_ack_timeout_err = 0;
    std::uint8_t roce_adp_retrans = 0;
    std::uint8_t roce_adp_retrans_to = 0;
    std::uint8_t packet_seq_err = 0;
    std::uint8_t implied_nak_seq_err = 0;
    std::uint8_t rnr_nak_retry_err = 0;
    std::uint8_t req_transport_retries_exceeded = 0;
    std::uint8_t req_rnr_retries_exceeded = 0;
    std::uint8_t req_cqe_error = 0;

    friend bool operator==(const counter_moves &, const counter_moves &) = default;
};

// What the caller has to do after an event, in the order of the members.
struct outcome {
    bool accepted = true;      // post(): false when the replay buffer is full or the QP failed
    bool retransmit = false;   // send again everything outstanding, from psn on
    bool failed = false;       // the oldest request completes with status, all others are flushed
    std::uint8_t status = 0;   // ibv_wc_status: 12 transport retries, 13 RNR retries, 9, 10, 11
    std::uint8_t syndrome = 0; // mlx5 CQE syndrome
    std::uint8_t vendor = 0;   // mlx5 vendor syndrome; 0: none is known
    enum timer_action : std::uint8_t { keep, arm_ack, arm_rnr, disarm } timer = keep;
    counter_moves moved;
    std::uint32_t completed = 0; // requests, from the oldest on, that are done well
    std::uint32_t psn = 0;       // post(): the request's first; else where to send again from
    std::uint64_t wait_ns = 0;   // with arm_*: the timer runs out that long after the event
};

// The live state of a queue pair.
struct engine_state {
    std::uint64_t since_ns = 0; // first unacknowledged send, or last progress
    rng chance{0};
    adp_state adp;
    std::uint32_t una = 0;         // oldest unacknowledged PSN
    std::uint32_t outstanding = 0; // packets
    std::uint32_t done = 0;        // requests completed, modulo 2^32
    std::uint16_t head = 0;        // oldest request in the replay buffer
    std::uint16_t count = 0;       // requests in it
    std::uint8_t left = 0;         // transport retry budget: the unit that makes it 0 is fatal
    std::uint8_t rnr_left = 0;     // RNR retry budget
    std::uint8_t step = 0;         // place in count_timing's waits
    enum timer_kind : std::uint8_t { off, ack, rnr } timer = off;
    std::uint8_t status = 0; // not 0: the queue pair is in the error state
    bool gap = false;        // an implied NAK was taken since the last progress or expiry
};
static_assert(sizeof(engine_state) <= 64); // 60 where 64-bit numbers are aligned to 4 bytes (i386)

// A stretch of expiries without anything coming back, computed instead of played.
struct stretch {
    std::uint64_t expiries = 0; // never: endless
    std::uint64_t copies = 0;
    std::uint64_t at_ns = 0;        // when the timer now armed runs out, or when the error came
    std::uint64_t last_copy_ns = 0; // when the last of the copies left; 0 when there was none
    bool ended = false;
    outcome last; // when ended: the error
};

class engine {
  public:
    // replay: the slots of the replay buffer (1 to 65535), which must outlive the engine, like
    // config. seed: the only source of chance.
    engine(const engine_config &config, std::span<request> replay, std::uint64_t seed,
           std::uint32_t first_psn = 0);

    // A request is handed over and sent once. packets 0 counts as 1.
    outcome post(std::uint64_t now_ns, request_kind kind, std::uint32_t packets);
    // A positive acknowledgement of everything up to psn.
    outcome ack(std::uint64_t now_ns, std::uint32_t psn);
    // A packet of a read response, or an atomic's response.
    outcome response(std::uint64_t now_ns, std::uint32_t psn);
    // A NAK that expects psn next.
    outcome nak(std::uint64_t now_ns, std::uint32_t psn, nak_code code);
    // Receiver not ready at psn; timer_code from the packet.
    outcome rnr_nak(std::uint64_t now_ns, std::uint32_t psn, unsigned timer_code);
    // The timer that was armed last ran out.
    outcome expired(std::uint64_t now_ns);

    // All expiries before until_ns, given that the timer runs out at deadline_ns and nothing comes
    // back meanwhile. Only with the acknowledgement timer armed.
    stretch play_alone(std::uint64_t deadline_ns, std::uint64_t until_ns);

    // Another configuration from now on (model rule: the timer that runs ends as it was armed). Does
    // nothing for a queue pair that has sent, where reading 24 says so.
    void use(const engine_config &config);

    const engine_state &state() const { return s_; }
    const engine_config &config() const { return *config_; }
    std::uint32_t next_psn() const { return (s_.una + s_.outstanding) & psn_mask; }
    unsigned units_spent() const; // of the transport budget, since the last progress
    // The least that the first timer of the next request can be; never: the timer is off.
    std::uint64_t shortest_first_wait() const;
    // Progress that comes now leaves the profile's state as it is.
    bool unmoved_by_progress() const;
    // So many requests, one after the other, are acknowledged before their first timer runs out: what
    // chance they take is taken, the rest of the state stays. Only with unmoved_by_progress().
    void skip_answered(std::uint64_t requests);
    // For tests and for showing a schedule: the initial exponent of a profile, before any event.
    void start_at(unsigned exponent);

  private:
    std::uint32_t distance(std::uint32_t psn) const { return (psn - s_.una) & psn_mask; }
    std::uint64_t wait(std::uint64_t now_ns);
    bool draws_late(std::uint64_t wait_ns) const;
    void arm(std::uint64_t now_ns, outcome &o);
    void reload();
    void progress(std::uint64_t now_ns, outcome &o);
    std::uint32_t retire(std::uint32_t packets);
    std::uint32_t up_to_read(std::uint32_t packets, bool &passed_read) const;
    bool spend();
    void repeat(std::uint64_t now_ns, outcome &o);
    void fail(outcome &o, const error_codes &codes);
    void implied_nak(std::uint64_t now_ns, outcome &o);
    outcome expired_profile(std::uint64_t now_ns);
    outcome expired_count(std::uint64_t now_ns);

    engine_state s_;
    const engine_config *config_;
    std::span<request> replay_;
};

} // namespace adp::retry
