// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The registers that a driver asks for about its port and its limits, reached by ACCESS_REG. Those
// of the transport (ROCE_ACCL and its kin) are the firmware model's.
#pragma once

#include "bytes.h"
#include "command_status.h"

namespace adp::hca {

class hca_function;

// False: it is none of these. in and out are the register's data, out all zeros.
bool access_port_register(hca_function &f, std::uint16_t id, bool write, view in, room out,
                          status &answer);

} // namespace adp::hca
