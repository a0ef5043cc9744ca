// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Filling adp_qp_attr from what is known of a queue pair.
#pragma once

#include "device.h"
#include "flow/rule.h"
#include "qp/context.h"
#include "text/put_text.h"

#include <adp/adp.h>

#include <array>
#include <string>

namespace adp {

inline constexpr const char *no_udp_header = "an InfiniBand port: its packets have no UDP header";

// Nothing known: numbers ADP_NOT_KNOWN, texts empty.
adp_qp_attr unknown_qp();

// What the context says: the configured ceilings, what is left of them, the port. Which kind the
// device's port is, the context does not say.
void put_context(adp_qp_attr &a, const qp::context &c, link_layer link);

// The port by the driver's rule, where no context says it. label: nullptr where it is not known.
void put_derived_sport(adp_qp_attr &a, const std::string &driver, const std::uint32_t *label);
void put_derived(adp_qp_attr &a, const flow::derived_sport &derived);

// What flow::find_sport_rule() knows the device's driver by; a software device has no module in
// sysfs, and its name is a hint.
std::string rule_name(const device_info &device);

// The short form of an address or a GID; empty for what is neither.
std::string address_text(const std::string &text);
// "10.0.0.1" of a GID that holds an IPv4 address; empty for a GID of zeros.
std::string gid_text(const std::array<std::uint8_t, 16> &gid);

} // namespace adp
