// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What stands behind struct adp_counters.
#pragma once

#include "counter_reader.h"
#include "objects.h"

#include <string>

struct adp_counters {
    adp::counter_reading reading;
    std::string flavour, fn_state, fn_opstate; // of devlink, in words
    adp_counters_info info{};
};

namespace adp::abi {

// The texts in info are those of c: it must stay where it is.
void fill_info(adp_counters &c, const adp_counter_query &q);

// EINVAL unless the device has this port.
result<void> check_port(const device_info &device, std::uint32_t port);

} // namespace adp::abi
