// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Temporary settings: who restores them, and what a setting for good means for them.
//
// Before a temporary setting is written, an entry with the old values is in the journal (pending.h)
// and a process of its own waits for the time. Should that be killed, or the machine go down, the
// next adp that changes this device, or `adp accl restore`, does it.
#pragma once

#include "change.h"
#include "pending.h"

#include <chrono>

namespace adp::cli {

// Sets the fields and lets them be restored after this time. 0 or an errno value; throws failure.
int set_temporarily(run &r, adp_context *ctx, record &element, const change &wanted,
                    std::chrono::milliseconds lasts);

// apply_change() behind the restore of what is overdue; what of it was set temporarily stays now.
int set_for_good(run &r, adp_context *ctx, record &element, const change &wanted,
                 adp_set_result *result = nullptr);

// Puts the old values back where the device still shows the temporary ones, and forgets the entry.
// Adds what was done to the element. 0 or an errno value.
int restore_pending(run &r, const pending_entry &known, record &element);

// Restores what is overdue on the device before anything else is changed on it.
void restore_overdue(run &r, adp_context *ctx);

} // namespace adp::cli
