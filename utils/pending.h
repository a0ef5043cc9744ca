// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Temporary settings: what is to be restored, when, and who does it.
//
// Before a temporary setting is written, an entry with the old values goes to a journal that
// survives a reboot. A process of its own waits for the time and restores; should it be killed, or
// the machine go down, the next adp that changes this device, or `adp accl restore`, does it.
#pragma once

#include "change.h"

#include "lock.h"

#include <chrono>
#include <optional>

namespace adp::cli {

struct pending_field {
    std::uint32_t number; // ADP_FIELD_*
    std::uint32_t old_value;
    std::uint32_t new_value;
};

struct pending_entry {
    std::string file; // of the entry itself
    std::string dev;
    std::string pci;
    std::string via;
    std::string sim_state;
    bool sim = false;
    std::string boot_id;          // of the boot in which it was made
    std::int64_t due_unix_ms = 0; // wall clock
    std::int64_t due_boot_ms = 0; // CLOCK_BOOTTIME of that boot
    std::vector<pending_field> fields;
};

// Held while old values are read and kept, so that two temporary settings cannot mix.
class journal_lock {
  public:
    explicit journal_lock(const options &opt);

  private:
    std::optional<os::file_lock> held_;
};

// All entries of this journal (the machine's, or of a simulated machine's state file).
std::vector<pending_entry> read_pending(const options &opt);

// Time left; negative when overdue, zero after a reboot.
std::chrono::milliseconds time_left(const pending_entry &entry);

// Writes the entry; throws failure when the journal cannot be written, or a field of the entry is
// already pending on that device.
pending_entry record_pending(const options &opt, adp_context *ctx,
                             std::vector<pending_field> fields, std::chrono::milliseconds after);
void forget_pending(const pending_entry &entry);

// Puts the old values back where the device still shows the temporary ones, and forgets the entry.
// Adds what was done to the element. 0 or an errno value.
int restore_pending(run &r, const pending_entry &entry, record &element);

// Starts the process that restores at the time, detached from this one.
void start_guardian(run &r, const pending_entry &entry);

// Restores what is overdue on the device before anything else is changed on it.
void restore_overdue(run &r, adp_context *ctx);

} // namespace adp::cli
