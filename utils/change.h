// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What all commands that write to a device share: questions, signals, what was done.
#pragma once

#include "devices.h"

#include "register/roce_accl.h"

#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace adp::cli {

// While one lives, SIGINT, SIGTERM and SIGHUP cancel what has not been written, and wait for the
// read-back of what has: the state is reported. A second signal ends the program at once, saying what
// is not known.
class signal_guard {
  public:
    signal_guard();
    ~signal_guard();
    signal_guard(const signal_guard &) = delete;
    signal_guard &operator=(const signal_guard &) = delete;
    // A signal came: the caller reports, and then ends the program by it.
    static int pending();
    // For a process that is forked off: what came to its parent is not meant for it.
    static void forget();

  private:
    std::vector<std::pair<int, struct sigaction>> before_;
};

struct change {
    adp_accl values{};
    std::uint64_t fields = 0;
    bool leave_default = false; // as if -y was said
};

// Sets the fields on one device as the options say (dry run, yes, force), asks before the
// firmware's default profile is left, and puts before and after into the element.
int apply_change(run &r, adp_context *ctx, record &element, const change &wanted,
                 adp_set_result *result = nullptr);

// The names in a mask of fields.
std::vector<std::string> field_names(std::uint64_t fields);

// Puts registers (dwords) into the element: raw, fields by name, supported.
void add_register(record &element, const adp_accl &accl, int details);

} // namespace adp::cli
