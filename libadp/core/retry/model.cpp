// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/model.h"

#include "retry/duration.h"
#include "retry/encoding.h"
#include "retry/schedule.h"

#include <algorithm>
#include <array>

namespace adp::retry {

namespace {

constexpr std::uint64_t fit_scatter = 900 * ns_per_us; // the fit held within 0.9 ms in 42 of 42
constexpr unsigned no_retry_code = 14;                 // retry_cnt 0 was measured here
constexpr unsigned most_measured = 20;                 // the largest timeout that was
constexpr const char *whose =
    "measured on ConnectX-6 (rdma-fault-characterization by unionxic: firmware 20.43.4100, one "
    "pair of nodes); ConnectX-5 is alike where it is known, other generations are not known";

struct bounds {
    std::uint64_t min_ns = never;
    std::uint64_t max_ns = 0;
    std::uint64_t copy_min_ns = never; // earliest time of the last copy
};

std::uint64_t div_up(std::uint64_t a, std::uint64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

// The profile's extremes when every wait w may take w .. f * w: wait k ends somewhere in
// [S(k), f * S(k)], S being the sum of the waits. The queue pair fails with wait k when the time
// before it is below the total and that after it is not. Runs of equal waits are looked at as a
// whole: only their first or last member can be an extreme.
bounds profile_bounds(const adp_algorithm &a, unsigned exponent, std::uint64_t f)
{
    bounds b;
    const std::uint64_t total = a.total_ns();
    adp_state s;
    a.start_at(s, exponent);
    std::uint64_t sum = 0;
    while (sum < total || sum == 0) {
        const std::uint64_t w = s.wait_ns;
        const std::uint64_t more = a.repeats(s);
        // Members of the run that begin before the total, at least one.
        const std::uint64_t reach =
            std::max<std::uint64_t>(total > sum ? div_up(total - sum, w) : 0, 1);
        const std::uint64_t n = more == never ? reach : std::min(reach, more + 1);

        // The latest error: the last member, all waits before it as late as they may be.
        const std::uint64_t before_last = sum + (n - 1) * w;
        const std::uint64_t latest = total == 0 ? 0 : std::min(times(before_last, f), total - 1);
        b.max_ns = std::max(b.max_ns, add_time(latest, times(w, f)));
        // The earliest: the first member that can reach the total.
        const std::uint64_t need = div_up(total, f); // S(k) of at least this
        const std::uint64_t j = need > sum ? std::max<std::uint64_t>(div_up(need - sum, w), 1) : 1;
        if (j <= n) {
            b.min_ns = std::min(b.min_ns, std::max(total, sum + j * w));
            const std::uint64_t reach_back = times(w, f);
            b.copy_min_ns =
                std::min(b.copy_min_ns,
                         std::max(sum + (j - 1) * w, total > reach_back ? total - reach_back : 0));
        }
        sum += n * w;
        // On to the next wait.
        if (n > 1)
            a.skip(s, n - 1);
        a.expire(s);
        if (s.at == adp_state::spent) {
            // The end of the last range is an error too (reading 10).
            b.min_ns = std::min(b.min_ns, sum);
            b.max_ns = std::max(b.max_ns, std::min(times(sum, f), add_time(total, times(w, f))));
            b.copy_min_ns = std::min(b.copy_min_ns, sum - w);
            break;
        }
    }
    return b;
}

void answer_profile(const engine_config &c, model_answer &out)
{
    const adp_algorithm &a = *c.adp;
    const auto say = [&out](trap what, std::string text) {
        out.notes.push_back({what, std::move(text)});
    };
    out.rests_on = ground::untested;
    say(trap::model_rule, "the ADP algorithm as the vendor describes it; not verified on hardware");
    if (c.qp.timeout == 0) {
        say(trap::infinite, "the timer is off: no loss is ever noticed by time");
        say(trap::model_rule, "timeout 0 is taken to stop a profile's timers too: whether they run "
                              "all the same, no source says");
        return;
    }

    const schedule nominal = make_schedule(c, middle_exponent(c), SIZE_MAX);
    out.nominal_ns = nominal.error_ns;
    out.transmissions = nominal.transmissions;
    if (nominal.error_ns == never) {
        say(trap::infinite, "no total timeout: it never ends");
        return;
    }
    out.survives_ns = nominal.rows.back().last_ns - nominal.rows.back().wait_ns;
    const bool played = a.readings().truncate_last != 0 || a.readings().retry_cnt_counts != 0;
    bounds all;
    for (unsigned g = a.initial_low(); g <= a.initial_high(); g++) {
        const std::uint64_t f = a.readings().max_delay_factor;
        if (!played) {
            const bounds b = profile_bounds(a, g, f);
            all.min_ns = std::min(all.min_ns, b.min_ns);
            all.max_ns = std::max(all.max_ns, b.max_ns);
            all.copy_min_ns = std::min(all.copy_min_ns, b.copy_min_ns);
        } else {
            // With these readings: the played time, and what the delay factor can add to it.
            const std::uint64_t t = make_schedule(c, g, SIZE_MAX).error_ns;
            all.min_ns = std::min(all.min_ns, t);
            all.max_ns = std::max(all.max_ns, times(t, f));
            all.copy_min_ns = std::min(all.copy_min_ns, std::uint64_t{0});
        }
    }
    out.min_ns = std::min(all.min_ns, out.nominal_ns);
    out.max_ns = std::max(all.max_ns, out.nominal_ns);
    out.survives_min_ns = std::min(all.copy_min_ns, out.survives_ns);

    if (a.readings().max_delay_factor > 1)
        say(trap::model_rule, "min and max: every wait may take up to " +
                                  std::to_string(a.readings().max_delay_factor) +
                                  " times as long (vendor's limitations page)");
    if (a.cap_ns() != never) {
        adp_state s;
        a.start_at(s, a.initial_low());
        if (s.wait_ns >= a.cap_ns())
            say(trap::no_effect, "the queue pair's timeout caps every wait of the profile at " +
                                     format_duration(a.cap_ns()) + ": its ranges do nothing");
    }
    if (out.transmissions > 1000)
        say(trap::info, "a dead peer is sent " + std::to_string(out.transmissions) +
                            " copies of the oldest packet and all after it");
}

// The wait that the fatal expiry ends, for the models with a list of waits.
std::uint64_t last_wait(const count_timing &t)
{
    const std::uint32_t regular = t.phase_len != 0 ? t.limit - 1 : t.limit;
    return regular != 0 ? t.regular_ns : t.phase[t.phase_len - 1U];
}

void answer_count(const engine_config &c, model_answer &out)
{
    const count_timing &t = c.count;
    const qp_setting &qp = c.qp;
    const auto say = [&out](trap what, std::string text) {
        out.notes.push_back({what, std::move(text)});
    };
    const auto beyond = [&](trap what, std::string text) {
        out.rests_on = ground::untested;
        say(what, std::move(text));
    };
    if (qp.timeout == 0) {
        say(trap::infinite, "the timer is off: no loss is ever noticed by time");
        return;
    }
    if (t.limit == 0) {
        say(trap::infinite, "rxe never counts retry_cnt 7 down: no error; 6 gives one");
        return;
    }
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < t.phase_len; i++)
        sum += t.phase[i];
    const std::uint64_t regular = t.phase_len != 0 ? t.limit - 1U : t.limit;
    sum += regular * t.regular_ns;
    const std::uint64_t T = ack_timeout_ns(qp.timeout);
    out.min_ns = out.nominal_ns = out.max_ns = sum;
    out.survives_ns = out.survives_min_ns = sum - last_wait(t);
    out.transmissions =
        t.phase_len + regular + (t.first_max != 0 ? 1U : 0U) + (t.copy_at_error ? 1U : 0U);

    switch (c.model) {
    case model_id::nominal:
        if (qp.retry_cnt == 0) {
            // retry_cnt * T is nothing; a wait of T passes all the same.
            out.min_ns = out.nominal_ns = out.max_ns = 0;
            say(trap::zero_retries, "by this rule no time at all; one wait of " +
                                        format_duration(T) +
                                        " passes before anything can be noticed");
        }
        break;
    case model_id::mlx5_default:
        out.rests_on = ground::measured;
        if (!c.options.adp_enabled) {
            beyond(trap::model_rule,
                   "adaptive retransmission off: the floor stays (seen on "
                   "ConnectX-5), the adaptive phase goes; not measured as a whole");
        } else if (qp.retry_cnt != 0) {
            out.min_ns -= fit_scatter;
            out.max_ns += fit_scatter;
        } else if (qp.timeout == no_retry_code) {
            say(trap::not_measured, "retry_cnt 0: copies are sent for 2.05 s all the same");
        } else {
            beyond(trap::not_measured, "retry_cnt 0 was measured at timeout 14 only: copies were "
                                       "sent for 2.05 s all the same");
        }
        if (qp.timeout > most_measured)
            beyond(trap::not_measured, "timeouts above 20 were not measured");
        say(trap::not_measured, whose);
        break;
    case model_id::mlx5_floor_off:
        out.nominal_ns += T;
        out.survives_ns += T;
        out.min_ns += t.first_min;
        out.survives_min_ns += t.first_min;
        out.max_ns += t.first_max;
        say(trap::info, "only with min_ack_timeout_limit_disabled = 1");
        out.rests_on = ground::measured;
        if (qp.retry_cnt != max_retry_cnt)
            beyond(trap::not_measured, "with the floor off retry_cnt 7 alone was measured");
        if (qp.timeout > most_measured)
            beyond(trap::not_measured, "timeouts above 20 were not measured");
        say(trap::not_measured, whose);
        break;
    case model_id::rxe:
        say(trap::info, "rxe counts in jiffies: at 250 Hz no wait is shorter than 4 ms");
        say(trap::info,
            "rxe's timer runs on when all is acknowledged (seen on Linux 6.1): the first "
            "wait of a request after another may be shorter, by up to one timeout");
        break;
    case model_id::ibta_min:
    case model_id::ibta_max:
    case model_id::profile: break;
    }
}

} // namespace

result<model_answer> time_to_error(model_id model, const model_request &request)
{
    engine_options options;
    options.adp_enabled = request.adp_enabled;
    const result<engine_config> c =
        engine_config::make(model, request.qp, request.profile, request.readings, options);
    if (!c)
        return c.err();
    model_answer out;
    out.model = model;
    out.qp = request.qp;
    if (c->adp)
        answer_profile(*c, out);
    else
        answer_count(*c, out);
    return out;
}

std::vector<note> caveats(const model_answer &answer)
{
    std::vector<note> out;
    for (const note &n : answer.notes)
        if (n.what == trap::not_measured || n.what == trap::model_rule)
            out.push_back(n);
    return out;
}

result<std::vector<model_answer>> all_models(const model_request &request)
{
    std::vector<model_answer> out;
    for (const model_info &m : models()) {
        if (m.id == model_id::profile && request.profile == nullptr)
            continue;
        result<model_answer> a = time_to_error(m.id, request);
        if (!a)
            return a.err();
        out.push_back(std::move(*a));
    }
    return out;
}

const char *verdict_name(verdict v)
{
    static constexpr std::array<const char *, 3> names = {"survives", "depends", "dies"};
    return names[std::min<std::size_t>(static_cast<std::size_t>(v), names.size() - 1)];
}

verdict judge_outage(const model_answer &answer, std::uint64_t outage_ns)
{
    if (answer.nominal_ns == never || outage_ns < answer.survives_min_ns)
        return verdict::survives;
    return outage_ns > answer.max_ns ? verdict::dies : verdict::depends;
}

} // namespace adp::retry
