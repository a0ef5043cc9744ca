// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What "adp statistic watch" has seen between two readings of a port, and its three ways to print it.
#pragma once

#include "statistic.h"

#include "counter/delta.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace adp::cli {

// One port at one moment, beside the moment before.
struct watched {
    taken now;
    std::optional<std::int64_t> interval_ms; // none at the first reading
    std::vector<counter::change> changes;    // of each value of now; empty at the first reading
    const char *event = nullptr;             // "gone", "returned", "reset"
    std::string reason;                      // of the event
};

// From the last reading to this one; before may have failed, or be none (err != 0).
watched compare_readings(const taken &before, taken now, bool first);

// One line of JSON.
std::string watch_json(const watched &w, const counter_filter &filter, const adp_context *ctx);

// Lines for a log: what moved.
std::string watch_lines(const watched &w, const counter_filter &filter);

// A screen for people: what has moved since the beginning, what moves now in bold.
class watch_screen {
  public:
    watch_screen(bool colour, std::string title) : colour_(colour), title_(std::move(title)) {}
    void add(const watched &w, const counter_filter &filter);
    // The whole screen; the next round begins empty.
    std::string take();

  private:
    struct line {
        std::string place, name, words, rate, delta, total;
        bool moving = false;
    };
    bool colour_;
    std::string title_;
    std::vector<line> lines_;
    std::vector<std::string> quiet_, events_;
    std::map<std::string, std::uint64_t> since_; // what each counter did since the beginning
};

} // namespace adp::cli
