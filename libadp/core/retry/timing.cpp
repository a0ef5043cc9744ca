// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/timing.h"

#include "retry/encoding.h"
#include "text/words.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace adp::retry {

namespace {

constexpr model_info table[] = {
    {model_id::nominal, "nominal", "retry_cnt * T", "NCCL's documentation"},
    {model_id::ibta_min, "ibta_min", "(retry_cnt + 1) * T",
     "IBTA volume 1 as it is usually quoted (not read): a wait of T at least"},
    {model_id::ibta_max, "ibta_max", "(retry_cnt + 1) * 4 T",
     "IBTA volume 1 as it is usually quoted (not read): a wait of 4 T at most"},
    {model_id::mlx5_default, "mlx5_default",
     "retry_cnt * 2 * 4.096 us * 2^max(timeout, 16) - c; c = 96 ms up to timeout 16, 364 ms above",
     "measured by one study, ConnectX-6 (and -5) with default firmware settings"},
    {model_id::mlx5_floor_off, "mlx5_floor_off", "(retry_cnt + 1) * T + t1, t1 = 0.5 .. 1.2 T",
     "measured by one study, ConnectX-6 with min_ack_timeout_limit_disabled = 1"},
    {model_id::rxe, "rxe", "(retry_cnt + 1) * T; retry_cnt 7: never", "kernel, rxe_comp.c"},
    {model_id::profile, "profile", "the ADP algorithm",
     "vendor's document \"Adaptive Retransmission: Parameters Control\""},
};

// Steps of the default firmware's adaptive phase, as measured at timeout 20 (in units of 0.1 ms).
constexpr std::uint64_t step_unit = ns_per_ms / 10;
constexpr std::uint32_t adaptive_steps[] = {86,   166,  337,  671,   1006,
                                            2014, 5368, 8053, 21478, 42948};
// What the first retransmission of that measurement came later than its step says.
constexpr std::uint64_t adaptive_lead = 124 * step_unit;
// At timeout 16 and below the measurement counted two copies more. Where they lie is not known;
// model rule: they halve the lead like the steps after them (perftest users see first copies after
// 2 to 4 ms).
constexpr std::uint64_t early_first = 41 * step_unit;
constexpr std::uint64_t fit_low = 96 * ns_per_ms;       // c up to timeout 16
constexpr std::uint64_t fit_high = 364 * ns_per_ms;     // c above
constexpr std::uint64_t no_retry_ns = 2050 * ns_per_ms; // R = 0, measured at timeout 14

std::uint64_t floored_interval(unsigned timeout)
{
    return 2 * ack_timeout_ns(std::max(timeout, mlx5_floor_code));
}

std::uint64_t fit(unsigned timeout)
{
    return timeout <= mlx5_floor_code ? fit_low : fit_high;
}

void compile_default(count_timing &t, const qp_setting &qp, bool adp_enabled)
{
    const std::uint64_t interval = floored_interval(qp.timeout);
    t.regular_ns = interval;
    t.limit = std::max(qp.retry_cnt, 1U);
    if (!adp_enabled)
        return; // model rule: the floor stays (seen on ConnectX-5), the adaptive phase goes
    t.copy_at_error = true;

    const std::uint64_t phase = qp.retry_cnt == 0 ? no_retry_ns : interval - fit(qp.timeout);
    std::uint64_t sum = 0;
    const auto push = [&](std::uint64_t wait) {
        t.phase[t.phase_len++] = wait;
        sum += wait;
    };
    std::uint64_t lead = adaptive_lead;
    if (qp.timeout <= mlx5_floor_code && qp.retry_cnt != 0) {
        push(early_first);
        push(adaptive_lead - early_first);
        lead = 0;
    }
    for (const std::uint32_t step : adaptive_steps) {
        const std::uint64_t wait = step * step_unit + lead;
        if (sum + wait > phase)
            break;
        push(wait);
        lead = 0;
    }
    // The phase ends where the fit says: the rest is a step of its own, or part of the last one
    // where it is less than the shortest step.
    if (phase - sum > adaptive_steps[0] * step_unit / 2)
        push(phase - sum);
    else
        t.phase[t.phase_len - 1U] += phase - sum;
}

} // namespace

model_id mlx5_model(const mlx5_state &state)
{
    if (state.profile && state.adp_enabled)
        return model_id::profile;
    return state.floor_off ? model_id::mlx5_floor_off : model_id::mlx5_default;
}

std::span<const model_info> models()
{
    return table;
}

const model_info &info(model_id id)
{
    return table[static_cast<std::size_t>(id)];
}

result<model_id> model_by_name(std::string_view name)
{
    std::array<std::string_view, std::size(table)> names{};
    std::size_t n = 0;
    for (const model_info &m : table) {
        if (m.name == name)
            return m.id;
        names[n++] = m.name;
    }
    std::string remedy = "did you mean " + std::string(nearest(name, names)) + "?";
    if (nearest(name, names).empty()) {
        remedy = "there are";
        for (const std::string_view known : names)
            remedy += " " + std::string(known);
    }
    return error{EINVAL, "there is no model called '" + std::string(name) + "'", remedy, {}};
}

count_timing compile_timing(model_id id, const qp_setting &qp, const timing_options &options)
{
    count_timing t;
    if (qp.timeout == 0) {
        // The timer is off in every model; only NAKs spend anything.
        t.limit = id == model_id::rxe && qp.retry_cnt == max_retry_cnt ? 0 : qp.retry_cnt + 1;
        return t;
    }
    const std::uint64_t T = ack_timeout_ns(qp.timeout);
    t.regular_ns = T;
    t.limit = qp.retry_cnt + 1;
    switch (id) {
    case model_id::nominal: t.limit = std::max(qp.retry_cnt, 1U); break;
    case model_id::ibta_max: t.regular_ns = 4 * T; break;
    case model_id::mlx5_default: compile_default(t, qp, options.adp_enabled); break;
    case model_id::mlx5_floor_off:
        t.first_min = T / 2;
        t.first_max = (6 * T + 4) / 5;
        break;
    case model_id::rxe:
        if (qp.retry_cnt == max_retry_cnt)
            t.limit = 0;
        break;
    case model_id::ibta_min:
    case model_id::profile: break;
    }
    return t;
}

} // namespace adp::retry
