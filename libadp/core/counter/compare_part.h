// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How the rules look at the two ends.
#pragma once

#include "counter/compare.h"

#include <initializer_list>

namespace adp::counter {

enum class moved : std::uint8_t { no, yes, unknown };

// One end as its role sees it: counters that a source gives to the other role are left out.
class end_view {
  public:
    explicit end_view(const end_counters &e) : e_(e) {}

    bool given() const { return e_.given; }
    side role() const { return e_.role; }
    // Any counter of it; unknown when none can tell. named: those that a source gives to this role.
    moved of(concept_id c, bool named = false) const;
    moved any(std::initializer_list<concept_id> all) const;
    // The largest of its counters, never a sum.
    std::uint64_t most(concept_id c) const;
    bool quiet() const; // given, something of errors and retries is measured, and nothing moved
    void tell(finding &f, concept_id c, std::string text = {}) const;
    void tell(finding &f, std::initializer_list<concept_id> all) const;
    std::vector<evidence> moves() const; // of errors and retries
    const end_counters &end() const { return e_; }

  private:
    bool mine(const observation &o) const;
    bool measured(const observation &o) const;
    evidence line(const observation &o) const;

    const end_counters &e_;
};

// Errors, retries, congestion and the link; not traffic, settings and objects.
bool is_trouble(concept_id c);

struct both_ends {
    end_view req;
    end_view resp;
};
// What is not about order and loss of packets (compare_causes.cpp).
finding rnr_pressure(const both_ends &ends, std::string_view pattern);
finding dead_peer(const both_ends &ends, std::string_view pattern);
finding congestion_seen(const both_ends &ends, std::string_view pattern);
finding fabric_errors(const both_ends &ends, std::string_view pattern);
finding refused_requests(const both_ends &ends, std::string_view pattern);

// One finding a pattern, in the order of patterns().
std::vector<finding> judge_patterns(const both_ends &ends);

} // namespace adp::counter
