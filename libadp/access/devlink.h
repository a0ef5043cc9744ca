// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The ports of a machine's switches as the kernel's devlink lists them (generic netlink, as
// `devlink port show`): which function a netdev represents. Needs no privilege; what is there is of
// this network namespace.
#pragma once

#include "netlink_attribute.h"
#include "result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adp::nl {

struct devlink_port {
    std::string name; // "pci/0000:01:00.0/65535": bus, device, index
    std::uint32_t netdev_index = 0;
    std::string netdev;                   // empty: none, or in another network namespace
    std::optional<std::uint32_t> flavour; // enum devlink_port_flavour
    std::optional<std::uint32_t> controller, pf, vf, sf;
    std::optional<bool> external;             // the controller is of a host of this embedded CPU
    std::string hw_addr;                      // of the function behind the port
    std::optional<std::uint32_t> state;       // of the function: enum devlink_port_fn_state
    std::optional<std::uint32_t> operational; // enum devlink_port_fn_opstate
};

// One message each, with the header of generic netlink. EPROTO for what cannot be right.
result<std::uint16_t> parse_family(bytes payload);
result<devlink_port> parse_devlink_port(bytes payload);

// Asks the kernel: a dump. EOPNOTSUPP: this kernel has no devlink.
result<std::vector<devlink_port>> devlink_ports();

// As the devlink command spells them; what is not known is its number.
std::string flavour_name(std::uint32_t flavour);
std::string state_name(std::uint32_t state);
std::string operational_name(std::uint32_t state);

} // namespace adp::nl
