// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Numbers that all processes of one root share, in a mapped file.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace adp::emukernel {

class shared_ids {
  public:
    explicit shared_ids(const std::string &file);
    std::uint32_t next(); // handles and queue pair numbers; never 0

  private:
    std::atomic<std::uint32_t> *ids_;
};

} // namespace adp::emukernel
