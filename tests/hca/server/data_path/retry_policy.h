// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which retry model the queue pairs of a function follow: the one that a test has chosen, else the
// one that the register says, as it is at the moment.
#pragma once

#include "register/roce_accl.h"
#include "retry/engine.h"

#include <memory>
#include <vector>

namespace adp::hca {

class retry_policy {
  public:
    // accl: the register of the function's firmware, which must live longer.
    explicit retry_policy(const reg::accl_image &accl) : accl_(accl) {}

    // Nothing: the register decides.
    void choose(std::optional<retry::model_id> model);
    retry::model_id model() const; // the one that applies now

    // Shared by all queue pairs of this setting; the same object until something changes.
    std::shared_ptr<const retry::engine_config> config(const retry::qp_setting &qp);

  private:
    const reg::accl_image &accl_;
    std::optional<retry::model_id> chosen_;
    reg::accl_image seen_{}; // that the configurations were made from
    std::vector<std::shared_ptr<const retry::engine_config>> made_;
};

} // namespace adp::hca
