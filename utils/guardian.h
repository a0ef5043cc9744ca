// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The process that restores a temporary setting at its time, detached from the one that made it.
#pragma once

#include "pending.h"

#include <sys/types.h>

namespace adp::cli {

class guardian {
  public:
    // Starts it; that it could not be started is complained of. It does not touch the device before
    // whoever holds the entry's journal_lock lets it go.
    guardian(const run &r, const pending_entry &entry);
    // Ends it: the entry is gone.
    void dismiss() const;

  private:
    pid_t process_ = 0; // 0: there is none
};

} // namespace adp::cli
