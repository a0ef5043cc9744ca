// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include "text/put_text.h"

#include <cstddef>
#include <string_view>

namespace adp::abi {

// Text of one thread, behind a char * that is good until the thread's next call. It has no destructor:
// a thread's last calls come from destructors and exit handlers.
template <std::size_t Size> class thread_text {
  public:
    const char *set(std::string_view text) noexcept
    {
        put_text(data_, text);
        return data_;
    }
    const char *get() const noexcept { return data_; }

  private:
    char data_[Size];
};

} // namespace adp::abi
