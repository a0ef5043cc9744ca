// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Of a write that was read back, or could not be: the same words for every register.
#pragma once

#include "result.h"

#include <string>

namespace adp {

// Reading failed behind a write, which was accepted or had failed as well.
error not_read_back(const result<void> &written, error read);

// The write was accepted, and the register shows something else: the values, asked and shown.
error shows_another(const std::string &values);

} // namespace adp
