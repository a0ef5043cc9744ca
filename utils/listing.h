// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a command has to say of thousands of things: as a record, but each value is rendered as soon
// as it is put in, as JSON or, in lines, for people. So the two cannot differ in what they show, and
// ten thousand queue pairs cost what their text costs.
#pragma once

#include "command.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace adp::cli {

class listing {
  public:
    explicit listing(const run &r) : json_(r.opt.json), pretty_(r.opt.pretty) {}

    bool for_programs() const { return json_; }
    void begin(); // an element; keys must differ
    void end();
    void data(std::string_view key, std::uint64_t value);
    void data(std::string_view key, std::string_view value);
    // null, with <key>_reason.
    void absent(std::string_view key, std::string_view reason);
    // For people alone.
    void line(std::string_view text);
    // An element that was made in the other way.
    void add(const record &element);

    // All of it, to standard output; the run prints nothing more.
    void print(run &r);

  private:
    void key(std::string_view name, std::string_view suffix = {});
    void quoted(std::string_view value);

    bool json_, pretty_;
    bool first_ = true; // of the elements, then of the keys of one
    std::string text_;
};

} // namespace adp::cli
