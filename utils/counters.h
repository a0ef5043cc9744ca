// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Counters of a device as the library reads them, in the types of core/counter.
#pragma once

#include "devices.h"
#include "switch_port.h"

#include "counter/snapshot.h"

#include <cstdint>
#include <string>
#include <vector>

namespace adp::cli {

// [ DEV ] [ file FILE ] [ pma ]: what to read, and where to.
struct counter_words {
    std::string dev = every_device, file;
    bool management = false;
};
counter_words counter_words_of(const run &r, const std::string &command);

// One reading of a port or of the device level; or why there is none.
struct taken {
    counter::port_counters counters;
    std::uint64_t time_ns = 0;      // since 1970
    std::uint64_t boot_time_ns = 0; // since the machine's start
    std::string function_reason;
    switch_port devlink;
    std::string note;   // why not by netlink
    int err = 0;        // errno when it failed
    std::string reason; // the library's sentence then
};

// flags: of struct adp_counter_query. last: an earlier reading of the same, or null; names that are in
// it are not looked up again.
taken take_port(adp_context *ctx, std::uint32_t port, std::uint32_t flags,
                const taken *last = nullptr);
taken take_device(adp_context *ctx, std::uint32_t flags, const taken *last = nullptr);
// What a list of counter sets holds (adp_get_counter_set()).
taken taken_of(const adp_counters *read, const adp_context *ctx, const taken *last = nullptr);
// Adds the port's performance management counters; false: it has none (reason in why).
bool take_management(adp_context *ctx, std::uint32_t port, taken &into, std::string &why);

// The ports that a command is to work on: the one given, or all.
std::vector<std::uint32_t> ports_of(const adp_context *ctx, const chosen &c);

} // namespace adp::cli
