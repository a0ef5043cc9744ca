// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How the place of simulated devices (sim_state, --sim=) is written where it is not the name of a state
// file. What each means: providers/sim/store.h.
#pragma once

#include <string>
#include <string_view>

namespace adp::sim_source {

inline constexpr std::string_view preset_prefix = "preset:";
inline constexpr std::string_view copy_prefix = "copy:";

constexpr bool is_preset(std::string_view place)
{
    return place.starts_with(preset_prefix);
}

constexpr bool is_copy(std::string_view place)
{
    return place.starts_with(copy_prefix);
}

// Nobody else can see these devices, and what is set is gone at the end.
constexpr bool in_memory(std::string_view place)
{
    return place.empty() || is_preset(place) || is_copy(place);
}

// The same devices, of which nothing is kept and for which no file is made.
inline std::string copy_of(std::string_view place)
{
    return in_memory(place) ? std::string{place} : std::string{copy_prefix}.append(place);
}

} // namespace adp::sim_source
