// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/retry_policy.h"

#include "retry/model.h"

#include <algorithm>

namespace adp::hca {

namespace {

bool flag(const reg::accl_image &image, std::uint32_t number)
{
    return reg::get(image, reg::accl_field(number)) != 0;
}

} // namespace

void retry_policy::choose(std::optional<retry::model_id> model)
{
    chosen_ = model;
    made_.clear();
}

retry::model_id retry_policy::model() const
{
    if (chosen_)
        return *chosen_;
    return retry::mlx5_model({flag(accl_, ADP_FIELD_ROCE_ADP_RETRANS_EN),
                              flag(accl_, ADP_FIELD_ADP_RETX_PROFILE_ID),
                              flag(accl_, ADP_FIELD_MIN_ACK_TIMEOUT_LIMIT_DISABLED)});
}

std::shared_ptr<const retry::engine_config> retry_policy::config(const retry::qp_setting &qp)
{
    if (seen_ != accl_) {
        seen_ = accl_;
        made_.clear();
    }
    const auto found =
        std::find_if(made_.begin(), made_.end(), [&](const auto &one) { return one->qp == qp; });
    if (found != made_.end())
        return *found;
    const adp_profile profile = reg::decode(accl_).profile;
    retry::engine_options options;
    options.adp_enabled = flag(accl_, ADP_FIELD_ROCE_ADP_RETRANS_EN);
    auto made = retry::engine_config::make(model(), qp, &profile, {}, options);
    // A profile that the firmware takes and nobody can run. Model rule: as if there were none.
    if (!made)
        made = retry::engine_config::make(retry::model_id::mlx5_default, qp, nullptr, {}, options);
    made_.push_back(std::make_shared<const retry::engine_config>(std::move(*made)));
    return made_.back();
}

} // namespace adp::hca
