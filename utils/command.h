// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a command gets and gives back.
#pragma once

#include "record.h"

#include <adp/adp.h>

#include <deque>
#include <string>
#include <vector>

namespace adp::cli {

// Exit status, as promised to scripts.
enum exit_status : int {
    exit_done = 0,
    exit_request = 1, // the request is wrong
    exit_device = 2,  // the kernel, the firmware or the device refused, or output failed
    exit_differs = 3, // diff, compare: there is a difference
};

struct options {
    bool json = false;
    bool pretty = false;
    int details = 0;
    bool dry_run = false;
    bool yes = false;
    bool force = false;
    bool sim = false;
    std::string sim_state;
    std::string sim_source; // what the library opens: sim_state, in a dry run a copy in memory
    std::string via = "auto";
};

// Thrown by what parses a request; main() prints it and exits with 1 (or the given status).
struct failure {
    std::string text;
    int status = exit_request;
    int err = 0; // what the library returned; 0: refused before it was asked
};

// Without what a terminal would take for a command.
std::string printable(const std::string &text);
// The same, and what came from outside with a line's end in it stays one line.
std::string one_line(const std::string &text);

// One run of one command.
class run {
  public:
    run(options opts, std::vector<std::string> arguments)
        : opt(std::move(opts)), args(std::move(arguments))
    {
    }

    const options opt;
    const std::vector<std::string> args; // after object and command

    record &element(std::string heading = {})
    {
        return elements_.emplace_back(std::move(heading), !opt.json);
    }
    void drop_last() { elements_.pop_back(); }
    bool has_elements() const { return !elements_.empty(); }
    // A message to stderr: "adp: ...".
    void complain(const std::string &text) const;
    void note(const std::string &text) const;
    // The worst status so far decides.
    void raise(int status) { status_ = status > status_ ? status : status_; }
    int status() const { return status_; }
    // Text for people that is not made of elements (help, an encoded profile).
    std::string raw;

    // All was written already, a piece at a time; print() adds nothing.
    bool streamed = false;

    // All of stdout, at the end. False: it could not be written.
    bool print() const;
    // A piece of it, at once. False: it could not be written, and that was said.
    bool write(const std::string &text) const;

  private:
    std::deque<record> elements_;
    int status_ = exit_done;
};

} // namespace adp::cli
