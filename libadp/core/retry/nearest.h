// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The known word that a mistyped or shortened one most probably means.
#pragma once

#include <span>
#include <string_view>

namespace adp::retry {

// Prefers names that end in _word, then the smallest edit distance (any case); of equals the
// shortest. Empty when nothing is near (more than half of the word would have to change).
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

} // namespace adp::retry
