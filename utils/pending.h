// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The journal of temporary settings: what is to be restored and when, in files that survive a reboot.
// The machine's is root's; an ordinary user who may reach a device has one at home, the devices of a
// state file have theirs beside it. Which device an entry means follows from the journal that it is
// in, and files that others may have written are not read.
#pragma once

#include "command.h"

#include "lock.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adp::cli {

struct pending_field {
    std::uint32_t number; // ADP_FIELD_*
    std::uint32_t old_value;
    std::uint32_t new_value;
};

struct pending_entry {
    std::string file; // of the entry itself
    std::string dev;
    std::vector<std::string> pci; // every function of a bond; at least one
    std::string via;
    bool force = false;           // -f was said
    std::string boot_id;          // of the boot in which it was made
    std::int64_t due_unix_ms = 0; // wall clock
    std::int64_t due_boot_ms = 0; // CLOCK_BOOTTIME of that boot
    std::vector<pending_field> fields;
};

// Held while old values are read and kept, or put back, so that two temporary settings of a device
// cannot mix. pci: of its first function; what keeps one device waiting keeps no other.
class journal_lock {
  public:
    journal_lock(const options &opt, const std::string &pci);

  private:
    std::optional<os::file_lock> held_;
};

// All entries of this journal. One that cannot be trusted is complained of, once.
std::vector<pending_entry> read_pending(const run &r);
// The entry as its file says now; nothing: somebody has restored it. Throws where the file is there and cannot
// be trusted or read.
std::optional<pending_entry> read_again(const pending_entry &entry);

// Its fields as a mask.
std::uint64_t mask_of(const pending_entry &entry);
// Whether it is about a function of this device.
bool concerns(const pending_entry &entry, const adp_context *ctx);

std::int64_t now_ms(clockid_t clock);
// Time left; negative when overdue, zero after a reboot.
std::chrono::milliseconds time_left(const pending_entry &entry);
// Its own process would have restored it by now.
bool overdue(const pending_entry &entry);

// Writes the entry; throws failure when the journal cannot be written, or a field of the entry is
// already pending on that device.
pending_entry record_pending(const run &r, adp_context *ctx, std::vector<pending_field> fields,
                             std::chrono::milliseconds after);
void forget_pending(const pending_entry &entry);
// These fields are no longer to be restored (a mask); with the last of them the entry goes. Throws
// failure when the journal cannot be written.
void forget_fields(pending_entry entry, std::uint64_t fields);

} // namespace adp::cli
