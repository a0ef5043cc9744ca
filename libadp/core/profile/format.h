// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A profile as text: a file, JSON, the register's bytes, the vendor's command lines.
// reg::parse_text() reads all of them back.
#pragma once

#include "result.h"

#include <adp/adp.h>

#include <string>
#include <string_view>

namespace adp::profile {

// Only members in p.fields are written; the text ends with a newline. dev: the device in a command
// line. EINVAL: a value does not fit its field; hex digits of a profile that is not whole, for they
// cannot say what is missing; an input-only format.
result<std::string> format_profile(const adp_profile &p, adp_format format,
                                   std::string_view dev = "DEV");

} // namespace adp::profile
