// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Many queue pairs over a path with outages, loss, delay and pauses, in virtual time. Queue pairs do
// not touch each other, so any part of them can be played anywhere: the same seed gives the same
// result on any number of threads, which the caller brings.
#pragma once

#include "result.h"
#include "retry/engine.h"

#include <cstdint>
#include <vector>

namespace adp::retry {

// [start, start + length); length never: for ever.
struct window {
    std::uint64_t start_ns = 0;
    std::uint64_t length_ns = 0;
};

inline constexpr std::uint64_t one_ppb = 1'000'000'000; // probabilities in parts of 10^9

// Each packet by itself, or by a Gilbert-Elliott chain of a good and a bad state.
struct loss_model {
    std::uint64_t loss_ppb = 0;           // of a packet; with a chain: in the good state
    std::uint64_t enter_ppb = 0;          // good to bad, per packet; 0: no chain
    std::uint64_t leave_ppb = 0;          // bad to good, per packet
    std::uint64_t bad_loss_ppb = one_ppb; // in the bad state
};

struct delay_model {
    std::uint64_t rtt_ns = 10 * ns_per_us;
    std::uint64_t jitter_ns = 0;
    enum shape : std::uint8_t {
        uniform, // 0 .. jitter, added to each round trip
        tail,    // P(more than n times jitter) = 2^-n
    } jitter_shape = uniform;
};

// Every queue pair sends messages one after the other, each when the one before is acknowledged.
struct traffic_model {
    std::uint32_t packets = 1; // of a message, at most 65536
    std::uint32_t packet_bytes = 4096;
    std::uint64_t gap_ns = 0;          // between an acknowledgement and the next message
    std::uint64_t messages = 0;        // 0: until the end
    std::uint64_t start_spread_ns = 0; // queue pairs begin at a random time up to this
};

struct scenario {
    engine_config config;
    std::vector<window> outages;   // nothing passes, in either direction
    std::vector<window> pauses;    // everything is held back until the end (PFC)
    std::vector<window> not_ready; // the receiver has no buffer: RNR NAK
    loss_model loss;               // both directions
    delay_model delay;
    traffic_model traffic;
    std::uint64_t duration_ns = 10 * ns_per_s; // no new message after it; what runs is played out
    std::uint64_t qps = 1;
    std::uint64_t seed = 1;
    std::uint64_t max_events = 100'000'000; // of one queue pair: a guard against a mistake
    std::uint64_t memory_limit = std::uint64_t{1} << 31; // of the results, in bytes
    bool play_every_event = false; // never compute a stretch: slow, for comparison
};

// Bytes that the results of so many queue pairs take (16 each).
std::uint64_t simulation_memory(std::uint64_t qps);

// Joins the windows and checks everything: EINVAL with the reason, or ENOMEM where the results would
// not fit memory_limit, naming what they would take.
result<scenario> prepare(scenario s);

// What happened to a part of the queue pairs. Sums only, so parts can be merged in any order.
struct tally {
    std::uint64_t qps = 0;
    std::uint64_t died = 0;
    std::uint64_t died_rnr = 0;      // of them with status 13
    std::uint64_t unfinished = 0;    // stopped by max_events
    std::uint64_t messages = 0;      // acknowledged
    std::uint64_t transmissions = 0; // packets, first and again
    std::uint64_t retransmissions = 0;
    std::uint64_t spurious = 0; // packets repeated while their acknowledgement was on its way
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_wasted = 0; // of retransmissions
    std::uint64_t timer_events = 0;
    std::uint64_t naks = 0;
    std::uint64_t latency_sum_ns = 0; // of acknowledged messages
    std::uint64_t latency_max_ns = 0;
    // Of each that died: from the start of the outage, else from the first unacknowledged send (of
    // status 13: the first that the receiver refused), to the error.
    std::vector<std::uint64_t> detection_ns;
    // Of each that outlived outages or times without a receive buffer: the longest time from the end
    // of one to the next progress.
    std::vector<std::uint64_t> recovery_ns;
    void merge(tally &&other);
};

// Plays queue pairs first .. first + count - 1 of a prepared scenario.
tally play(const scenario &s, std::uint64_t first, std::uint64_t count);

// One thing that happens to a queue pair.
struct trace_event {
    enum what : std::uint8_t { sent, acknowledged, nak, rnr_nak, expired } kind = sent;
    bool resent = false;     // everything outstanding leaves again
    std::uint8_t status = 0; // not 0: the queue pair failed with this ibv_wc_status
    std::uint64_t at_ns = 0;
    std::uint64_t wait_ns = 0; // of the timer armed by it; 0: none
};
const char *trace_name(trace_event::what kind); // "sent"

// All events of one queue pair of a prepared scenario, every one played; at most `most` of them.
std::vector<trace_event> trace(const scenario &s, std::uint64_t index, std::size_t most);

struct distribution {
    std::uint64_t count = 0;
    std::uint64_t min = 0;
    std::uint64_t median = 0; // nearest rank
    std::uint64_t p99 = 0;
    std::uint64_t max = 0;
};
distribution describe(std::vector<std::uint64_t> values);

// prepare() and play() of all of them, here and now.
result<tally> simulate(const scenario &s);

} // namespace adp::retry
