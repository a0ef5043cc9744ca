// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Small words of the grammar: durations, choices, files.
#pragma once

#include "command.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace adp::cli {

// "10m", "90s", "1h30m", "500ms"; nothing when the text is not one or is not positive.
std::optional<std::chrono::milliseconds> duration(const std::string &text);
std::string duration_text(std::chrono::milliseconds d);

// A decimal or 0x number of at most max; throws failure naming what it is for.
std::uint64_t number(const std::string &text, std::uint64_t max, const std::string &what);

// The whole text of a file, "-" for standard input; at most max bytes. Throws failure.
std::string read_input(const std::string &file, std::size_t max = 1U << 20);

// Argument i, which is not empty, or a failure that says what is missing.
const std::string &need(const run &r, std::size_t i, const std::string &command,
                        const std::string &what);
void no_more(const run &r, std::size_t from, const std::string &command);

// "a,b,c"; an empty text is one empty part.
std::vector<std::string> at_commas(const std::string &text);

// The keywords of a command: take() throws failure for one that stands there a second time.
class keywords {
  public:
    void take(const std::string &command, const std::string &word);
    void forget() { seen_.clear(); }

  private:
    std::vector<std::string> seen_;
};

} // namespace adp::cli
