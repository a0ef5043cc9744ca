// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a caller's adp_open_attr asks for, and the device that a name means under it.
#pragma once

#include "guard.h"
#include "session.h"

#include <string>
#include <vector>

namespace adp::abi {

struct request {
    adp_open_attr attr{};
    session_options options;
    log_sink log;
};

// attr may be nullptr: all defaults.
result<request> read_request(const adp_open_attr *attr, std::size_t size);

// The simulated devices, or the machine's.
result<std::vector<device_info>> devices_for(const session_options &options);

// Of these; a name that begins with "sim" also means a simulated device, and options say so then.
result<device_info> find_for(session_options &options, const std::string &name);

} // namespace adp::abi
