// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How counters are shown, for the commands of "adp statistic".
#pragma once

#include "counters.h"
#include "words.h"

#include <optional>
#include <string>

namespace adp::cli {

// Which values a command is to show.
struct counter_filter {
    std::optional<counter::side> side;
    std::string concept_word; // "" any
    std::string name;         // a pattern, "" any
    bool nonzero = false;

    bool passes(const counter::value &v) const;
    bool any() const { return side || !concept_word.empty() || !name.empty() || nonzero; }
};

// Takes "side S", "concept C", "name PATTERN", "nonzero" at word i; false: it is none of these.
bool take_filter(const run &r, std::size_t &i, const std::string &command, keywords &once,
                 counter_filter &filter);

// Keys that every element about counters has.
void identify_counters(record &element, const taken &t, const adp_context *ctx);

// {name value state concept side unit width_bits ...} of a value.
record &add_counter(record::list &list, const counter::value &v);

// A port's values for people, grouped by meaning; details adds units and meanings.
std::string grouped(const std::vector<counter::value> &values, int details);

// "ADJECTIVE: a, b, c (why)" of the values of that state; names that share a reason on one line.
std::vector<std::string> absent_lines(const std::vector<counter::value> &values, counter::state is,
                                      const char *adjective);

// "mlx5_0/1", "mlx5_0" for the device level.
std::string place_of(const taken &t);

// A name from outside may hold anything: without control characters, at most 64 long.
std::string shown_name(const std::string &name);

} // namespace adp::cli
