// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The device: its functions and the one store of their counters.
#pragma once

#include "function.h"

namespace adp::hca {

class nic {
  public:
    explicit nic(log_sink log) : log_(std::move(log)) {}

    // The function by its number; made, with those before it, when it is first named.
    hca_function &function(unsigned number)
    {
        while (functions_.size() <= number)
            functions_.push_back(std::make_unique<hca_function>(
                static_cast<unsigned>(functions_.size()), counters_, log_));
        return *functions_[number];
    }
    std::size_t size() const { return functions_.size(); }

    void start()
    {
        for (const auto &one : functions_)
            one->start();
        started_ = true;
    }
    bool started() const { return started_; }

  private:
    log_sink log_;
    counter_store counters_;
    std::vector<std::unique_ptr<hca_function>> functions_;
    bool started_ = false;
};

inline constexpr unsigned max_functions = 8;

} // namespace adp::hca
