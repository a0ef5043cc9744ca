// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Finds the provider of a driver: linked in, or as a plugin file loaded at its first use.
#pragma once

#include "provider.h"

namespace adp {

// The provider that serves this function; it stays loaded. EOPNOTSUPP: there is none for its
// driver, or its file is missing or of another private ABI; the reason says what was looked at.
result<provider *> find_provider(const function_ref &fn);

} // namespace adp
