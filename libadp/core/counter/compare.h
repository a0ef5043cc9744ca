// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The counters of both ends of a connection: which end moved, what that supports and what it does
// not. Packets and events are never added up, and where sources do not decide nothing is decided.
#pragma once

#include "counter/delta.h"

namespace adp::counter {

// A counter at one end.
struct observation {
    std::string name;
    const description *about = nullptr;
    std::optional<std::uint64_t> delta; // none: not known what happened
    bool at_least = false;
    std::string reason; // where delta is none, or a step that is not plain
    family from = family::hw;
};

struct end_counters {
    side role = side::unknown;
    bool given = false;
    bool totals = false; // numbers since the counters began, not of an interval
    std::optional<std::int64_t> interval_ms;
    bool uncounted = false;  // counts_nobody(): a 0 of the driver's counters is no measurement
    bool unmeasured = false; // may_be_unmeasured(): the same
    std::string where;       // place()
    std::string driver;
    std::vector<observation> counters;
    std::vector<std::string> notes;
};

// One end from a listing (totals or deltas) or from two. port: "mlx5_0/1" or "mlx5_0"; empty where
// there is one only. EINVAL: which port is not clear, or the two do not belong together.
result<end_counters> make_end(side role, const snapshot &first, const snapshot *second,
                              std::string_view port);

enum class verdict : std::uint8_t {
    supported,    // the counters say so
    possible,     // they do not exclude it, and something points to it
    contradicted, // what it would move has not moved
    undetermined, // what would tell is not there, or no source says
};
std::string_view to_string(verdict v);

struct evidence {
    side end = side::unknown; // at which end it was counted
    std::string name;
    std::optional<std::uint64_t> delta;
    unit in = unit::unknown;
    bool at_least = false;
    std::string text;   // what it says here
    std::string source; // of the meaning
};

struct finding {
    std::string_view pattern; // "loss_towards_responder"
    verdict is = verdict::undetermined;
    std::string text;        // why, in a sentence
    std::string remedy;      // what to look at next; may be empty
    std::string_view source; // of the rule
    std::vector<evidence> lines;
};

// A queue pair that ended: what its completion said.
struct ended {
    std::uint32_t status; // ibv_wc_status
    std::string_view name;
    evidence line;
};

enum class which_end : std::uint8_t { none, requester, responder, both, unknown };
std::string_view to_string(which_end w);

struct comparison {
    // none: both ends were given, and counted nothing of errors and retries.
    which_end moved = which_end::unknown;
    std::string why_unknown;     // of moved
    std::vector<evidence> moves; // every counter of errors and retries that moved
    std::vector<finding> findings;
    std::vector<ended> fatal;
    std::vector<std::string> notes;

    bool quiet() const { return moves.empty() && fatal.empty(); }
    const finding *find(std::string_view pattern) const;
};
comparison compare_ends(const end_counters &requester, const end_counters &responder);

std::span<const std::string_view> patterns(); // in their order

} // namespace adp::counter
