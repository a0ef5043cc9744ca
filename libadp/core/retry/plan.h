// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From goals to settings: which timeout, count, ADP profile or switch meets them, proved by the
// models, and what cannot be had together.
#pragma once

#include "retry/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adp::retry {

enum class floor_state : std::uint8_t { unknown, on, off };

struct goals {
    std::optional<std::uint64_t> survive_ns; // live through an outage of this length
    std::optional<std::uint64_t> detect_ns;  // report a dead peer within this
    std::optional<std::uint64_t> rtt_ns;     // longest round trip of the healthy path
    std::optional<std::uint64_t> pause_ns;   // longest PFC pause of the healthy path
    std::uint64_t loss_ppb = 0;              // loss of the healthy path, each direction

    qp_setting current;                  // where the queue pairs are now
    floor_state floor = floor_state::on; // of the device
    bool mlx5 = true;                    // false: another vendor's device, by IBTA's bounds
    bool may_switch_floor = true;        // min_ack_timeout_limit_disabled may be changed
    bool may_set_profile = true;         // the device has ADP profiles
    adp_readings readings;
};

enum class route : std::uint8_t {
    queue_pair, // only the queue pair's attributes
    floor_off,  // and min_ack_timeout_limit_disabled = 1
    profile,    // an ADP profile (and the attributes)
    adp_off,    // adaptive retransmission off (and the attributes)
};
const char *route_name(route r); // "queue_pair"

struct proposal {
    route how = route::queue_pair;
    qp_setting qp;
    std::optional<adp_profile> profile;
    bool changes_nothing = false;      // the present setting meets the goals already
    std::vector<model_answer> proof;   // of the models that were asked
    std::uint64_t survives_ns = 0;     // the least of them
    std::uint64_t detects_ns = never;  // the most of them
    std::vector<note> notes;           // margins, side effects, alternatives
    std::vector<std::string> commands; // DEV and FILE stand for the device and a profile file
};

struct conflict {
    std::string first;  // "detect 20 ms"
    std::string second; // "pause 50 ms"
    std::string text;   // what each alone would need
};

struct plan {
    std::vector<proposal> proposals; // the smallest change first; empty: it cannot be done
    std::vector<conflict> conflicts; // why not
    std::vector<note> notes;
};

// EINVAL: no goal at all, a goal of no length, or one nothing can meet by its size.
result<plan> make_plan(const goals &g);

// The chance, in parts of 10^18, that `copies` copies in a row or their acknowledgements are lost.
std::uint64_t all_lost_chance(std::uint64_t loss_ppb, unsigned copies);

// The smallest exponent whose wait 4 us << g is at least ns.
unsigned adp_exponent(std::uint64_t ns);

} // namespace adp::retry
