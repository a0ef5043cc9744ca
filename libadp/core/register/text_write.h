// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The vendor's command lines for a set of fields.
#pragma once

#include "register/roce_accl.h"

#include <string>
#include <string_view>

namespace adp::reg {

// "roce_adp_retrans_en=0x1,adp_retx_profile_id=0x1,..." in the vendor's order.
std::string set_named(const adp_accl &accl, std::uint64_t fields);

// "0x0.0:32=0x10000001,0x4.0:1=0x1,...": bits, led by the select dword. The vendor's tool reads the
// register and writes all of it back; without that dword it would set every field that the firmware
// supports to what it has just read.
std::string set_raw(const adp_accl &accl, std::uint64_t fields);

// Ready commands. They need a recent tool (names: mstflint 4.33), or any (bits).
std::string mlxreg_command(const adp_accl &accl, std::uint64_t fields, std::string_view dev);
std::string mstreg_command(const adp_accl &accl, std::uint64_t fields, std::string_view dev);

// Bytes in wire order as lower case hex digits.
std::string hex_text(const accl_image &image);

} // namespace adp::reg
