// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The search behind make_plan(): the smallest setting of one route that meets the goals.
#pragma once

#include "retry/plan.h"

#include <cstdint>
#include <optional>
#include <string>

namespace adp::retry {

// Default firmware sends its first copy after this at the earliest (perftest users, ConnectX-5).
inline constexpr std::uint64_t default_first_copy_ns = 2048 * ns_per_us;
inline constexpr std::uint64_t margin_percent = 5; // less is called too little

std::uint64_t with_margin(std::uint64_t ns);
// (have - want) / want in tenths of a per cent: "9.2 %". have is not below want.
std::string margin_text(std::uint64_t have, std::uint64_t want);
// What has to be lived through: an outage, or a pause of the healthy path.
std::uint64_t must_survive(const goals &g);

// The timeout and count of a route other than profile: the present one where it will do, else as
// many retries as there are and the smallest timeout (or, when only detection is asked for, the
// largest). margin: more than just enough.
std::optional<proposal> choose_qp(const goals &g, route r, bool margin);

// A profile of one range, its total between the goals.
std::optional<proposal> choose_profile(const goals &g, bool margin);

} // namespace adp::retry
