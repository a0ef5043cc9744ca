// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A profile as a record: the same keys wherever one is shown.
#pragma once

#include "record.h"

#include "register/text.h"

namespace adp::cli {

// accl as read from a device or built from an image; its adp_retx_profile_id is the active one.
// shown: the profile whose parameters accl holds.
void add_profile(record &element, const adp_accl &accl, std::uint32_t shown);
void add_profile(record &element, const adp_accl &accl);

// What a text held; fields that it lacks are null with the reason.
void add_decoded(record &element, const reg::parsed &parsed, int details);

} // namespace adp::cli
