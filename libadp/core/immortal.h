// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <utility>

namespace adp {

// For a static that no destructor takes away: handlers of exit() and destructors of other static objects
// may still call the library.
//   static auto &table = immortal(make_table());
template <typename T> T &immortal(T value)
{
    return *new T(std::move(value));
}

} // namespace adp
