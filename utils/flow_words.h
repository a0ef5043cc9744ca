// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Words that the commands of `adp flow` share.
#pragma once

#include "words.h"

#include "flow/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace adp::cli {

[[noreturn]] void refuse(const error &e);

// Argument i as a number of at most max; what: its name for the message.
std::uint32_t field_word(const run &r, std::size_t i, const std::string &command,
                         const std::string &what, std::uint32_t max);

flow::address address_word(const std::string &text);

// The way to the other end: paths N, hash H, seed S, offset O, fields F,..., weights W,... of one
// switch, after the word "stage" those of the next one; src A, dst B.
struct path_words {
    std::vector<flow::plan_stage> stages{1};
    std::optional<flow::address> src, dst;
    std::uint32_t paths_said = 0; // by the word paths, of the last stage
    keywords once;                // of the last stage

    // Whether the word at i was one of these; i then stands on its last argument.
    bool take(const run &r, std::size_t &i, const std::string &command, bool many_stages);

    std::optional<flow::address_pair> pair(const std::string &command) const;
};

void add_load(record &element, const std::vector<std::uint64_t> &load);
void add_notes(record &element, const std::vector<std::string> &notes);

} // namespace adp::cli
