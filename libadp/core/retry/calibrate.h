// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a device counted (the bins of its ADP retransmission histogram) against the waits that the
// model expects: by which factor its timers are late.
#pragma once

#include "result.h"
#include "retry/schedule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace adp::retry {

// A bin counts waits of from_ns and more and less than to_ns (never: no upper end).
struct histogram_bin {
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = never;
    std::uint64_t count = 0;
};

struct calibration {
    std::uint64_t counted = 0;  // by the device
    std::uint64_t expected = 0; // waits of one run of the model; the device may have had many
    // A factor within [low, high] on every wait explains all bins; in thousandths. Where there is
    // no such factor, the least and the largest that some wait needs, and constant is false.
    bool constant = true;
    std::uint64_t low_milli = 0;
    std::uint64_t high_milli = never;
    bool as_documented = false; // a factor of 1 to 4 is among them
    // Counts in bins that no wait of the model reaches, whichever factor from 1 to 4 it has. Tells
    // something also where queue pairs recovered and only their first waits were counted.
    std::uint64_t unexplained = 0;
};

// True when some wait times a factor from 1 to 4 falls into the bin.
bool explained(const histogram_bin &bin, std::span<const schedule_row> rows);

// Longer waits are taken to be the longer ones of the device: the two distributions are laid on
// each other in order. EINVAL: overlapping or unsorted bins, nothing counted, nothing expected.
result<calibration> calibrate(std::span<const histogram_bin> bins,
                              std::span<const schedule_row> rows);

} // namespace adp::retry
