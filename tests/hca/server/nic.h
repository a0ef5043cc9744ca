// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The device: its functions and the one store of their counters.
#pragma once

#include "data_path/data_path.h"
#include "function.h"

namespace adp::hca {

class nic {
  public:
    // ns: the machine's clock, for the model's time.
    explicit nic(log_sink log, model_clock::source ns = model_clock::machine)
        : log_(std::move(log)), clock_(std::move(ns))
    {
    }

    // The function by its number; made, with those before it, when it is first named.
    hca_function &function(unsigned number);
    std::size_t size() const { return functions_.size(); }

    void start()
    {
        for (const auto &one : functions_)
            one->start();
        started_ = true;
    }
    bool started() const { return started_; }

    // Whether work requests of reliable queue pairs are carried out, not only answered. Before the
    // start.
    void carry_data(bool carry);

    // The way of the data; nullptr: work requests are only answered.
    data_path *way() { return way_ ? &*way_ : nullptr; }

    // Whatever is due at this moment, and how long there is nothing to do; nothing: for ever.
    void run_due();
    std::optional<std::chrono::nanoseconds> idle() const;

  private:
    void connect(hca_function &f);

    log_sink log_;
    model_clock::source clock_;
    counter_store counters_;
    std::vector<std::unique_ptr<hca_function>> functions_;
    std::optional<data_path> way_;
    bool started_ = false;
};

inline constexpr unsigned max_functions = 8;

} // namespace adp::hca
