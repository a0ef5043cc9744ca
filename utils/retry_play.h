// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A simulation on all processors. The core has no threads; queue pairs do not touch each other, so
// the result is the same on any number of them.
#pragma once

#include "retry/simulate.h"

namespace adp::cli {

// threads 0: as many as there are processors.
retry::tally play_on_threads(const retry::scenario &prepared, unsigned threads);

} // namespace adp::cli
