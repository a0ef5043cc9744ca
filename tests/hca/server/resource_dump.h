// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The resource dump: a register (0xC000) by which a driver has the firmware write a chain of
// segments into its memory. As much as the kernel's RES_QP_GET_RAW needs: the menu, and queue pairs.
#pragma once

#include "bytes.h"
#include "command_status.h"

namespace adp::hca {

class hca_function;

inline constexpr std::uint16_t resource_dump_register = 0xc000;
inline constexpr std::size_t resource_dump_bytes = 0x100;

// One access: the register as the driver has it, and as it is answered.
status dump_resource(hca_function &f, view in, room out);

} // namespace adp::hca
