// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The retry models. Pure.
#include "guard.h"

#include "retry/model.h"

namespace {

using namespace adp;

// The numbers of the C interface are those of the core, in the order of the manual.
static_assert(static_cast<int>(retry::model_id::nominal) == ADP_MODEL_NOMINAL);
static_assert(static_cast<int>(retry::model_id::ibta_min) == ADP_MODEL_IBTA_MIN);
static_assert(static_cast<int>(retry::model_id::ibta_max) == ADP_MODEL_IBTA_MAX);
static_assert(static_cast<int>(retry::model_id::mlx5_default) == ADP_MODEL_MLX5_DEFAULT);
static_assert(static_cast<int>(retry::model_id::mlx5_floor_off) == ADP_MODEL_MLX5_FLOOR_OFF);
static_assert(static_cast<int>(retry::model_id::rxe) == ADP_MODEL_RXE);
static_assert(static_cast<int>(retry::model_id::profile) == ADP_MODEL_PROFILE);
static_assert(retry::never == ADP_NEVER);

error invalid(const char *reason)
{
    return {EINVAL, reason, "", {}};
}

} // namespace

extern "C" {

int _adp_time_to_error(const struct adp_retry_setting *setting, size_t setting_size, uint32_t model,
                       struct adp_retry_time *result, size_t size)
{
    return abi::guard([&] {
        const char *const subject = "setting";
        const char *const act = "time to error";
        const auto s = abi::take(setting, setting_size);
        if (!s)
            return abi::fail(s.err(), subject, act);
        if (model >= retry::models().size())
            return abi::fail(invalid("there is no model of this number"), subject, act);
        if (s->adp_disabled > 1)
            return abi::fail(invalid("adp_disabled is 0 or 1"), subject, act);
        retry::model_request request;
        request.qp.timeout = s->timeout;
        request.qp.retry_cnt = s->retry_cnt;
        request.qp.extended_retry_cnt = s->extended_retry_cnt;
        request.adp_enabled = s->adp_disabled == 0;
        request.profile = &s->profile;
        const auto answer = retry::time_to_error(static_cast<retry::model_id>(model), request);
        if (!answer)
            return abi::fail(answer.err(), subject, act);
        adp_retry_time out{};
        out.error_ns = answer->nominal_ns;
        out.error_min_ns = answer->min_ns;
        out.error_max_ns = answer->max_ns;
        out.transmissions = answer->transmissions;
        out.survives_ns = answer->survives_ns;
        out.survives_min_ns = answer->survives_min_ns;
        if (const auto given = abi::give(result, size, out); !given)
            return abi::fail(given.err(), "result", act);
        return 0;
    });
}

const char *adp_retry_model_name(uint32_t model)
{
    if (model < retry::models().size())
        return retry::info(static_cast<retry::model_id>(model)).name.data();
    errno = EINVAL;
    return nullptr;
}

} // extern "C"
