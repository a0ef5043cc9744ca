// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From two readings to what happened between them: wraps repaired, resets told from wraps, frozen
// counters not taken for quiet ones.
#pragma once

#include "counter/snapshot.h"

namespace adp::counter {

enum class step : std::uint8_t {
    same,          // delta 0
    rose,          // delta
    wrapped,       // delta, after 2^32 was added as often as needed
    at_least,      // a saturating counter is at its largest value: delta or more
    reset,         // started anew: delta unknown, number counts since then
    reset_or_wrap, // went down and nothing tells which
    gauge,         // a level; from and to say it
    frozen,        // stale at both ends: its function is gone
    appeared,      // not in the first
    vanished,      // not in the second
    no_number,     // one of the two is no measurement
};
std::string_view to_string(step s);

struct change {
    step is = step::no_number;
    std::optional<std::uint64_t> delta; // of same, rose, wrapped, at_least
    std::string reason;                 // where there is no delta, or where it is not plain

    bool moved() const { return delta.value_or(0) != 0; }
};

struct counter_change {
    value before; // a name without a value where it appeared
    value after;
    family from = family::hw;
    change what;

    const value &latest() const { return what.is == step::vanished ? before : after; }
};

// Two readings of one counter, when it is known whether the port began anew in between.
enum class restart : std::uint8_t {
    no,
    yes,
    unclear, // numbers went down, and neither wrap nor reset is certain
};
change step_of(const value &before, const value &after, restart anew = restart::no);

// What happened to a whole port or device level.
struct port_change {
    port_counters before; // identity alone; the values are in counters
    port_counters after;
    bool comparable = true; // false: another boot, driver load or function: no deltas
    restart anew = restart::no;
    std::string reason; // why not comparable, or why it is taken for a reset
    std::vector<counter_change> counters;

    bool moved() const;
};
port_change compare_ports(const port_counters &before, const port_counters &after,
                          bool same_boot = true);

struct snapshot_change {
    std::optional<std::int64_t> interval_ms;
    bool reordered = false; // the second is older than the first
    std::vector<port_change> ports;
    std::vector<std::string> only_before; // places
    std::vector<std::string> only_after;
    std::vector<std::string> notes;

    bool moved() const;
    std::size_t comparable() const; // ports that could be compared
};
// Ports belong together by device identity where both snapshots have one, else by name and port; a
// text that names no device has one port, and that belongs to the other's only one. EINVAL: nothing
// belongs together (the reason says what each has).
result<snapshot_change> compare_snapshots(const snapshot &before, const snapshot &after);

// A rate per second; none without an interval.
std::optional<double> rate(std::uint64_t delta, std::optional<std::int64_t> interval_ms);
// Of a counter in words, bytes or packets: bits per second, none for what is no amount of data.
std::optional<double> bits_per_second(const description &d, std::uint64_t delta,
                                      std::optional<std::int64_t> interval_ms);
// A rate above the link's speed cannot be: a wrong unit, a wrong interval or a reset.
bool above_link_speed(double bits_per_second, std::optional<std::uint64_t> speed_mbps);

} // namespace adp::counter
