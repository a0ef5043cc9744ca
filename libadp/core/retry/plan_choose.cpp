// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/plan_choose.h"

#include "retry/duration.h"
#include "retry/encoding.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace adp::retry {

namespace {

constexpr std::uint64_t base_ns = 4000; // the least time_base, and a power of two in microseconds
constexpr unsigned longest_shift = 40;  // of base_ns: 50 days

// The models that bound what a device of this kind does.
struct device {
    std::vector<model_id> models;
    bool adp_enabled = true;
};

device device_of(const goals &g, route r)
{
    if (!g.mlx5)
        return {{model_id::ibta_min, model_id::ibta_max}, true};
    if (r == route::floor_off || (r == route::queue_pair && g.floor == floor_state::off))
        return {{model_id::ibta_min, model_id::mlx5_floor_off}, true};
    if (r == route::adp_off)
        return {{model_id::ibta_min, model_id::mlx5_default}, false};
    if (g.floor == floor_state::unknown)
        return {{model_id::ibta_min, model_id::mlx5_default, model_id::mlx5_floor_off}, true};
    return {{model_id::ibta_min, model_id::mlx5_default}, true};
}

// Asks the models; survives and detects are the worst answers.
proposal prove(const goals &g, route r, const qp_setting &qp, const adp_profile *profile)
{
    proposal p;
    p.how = r;
    p.qp = qp;
    if (profile != nullptr)
        p.profile = *profile;
    model_request q;
    q.qp = qp;
    q.profile = profile;
    q.readings = g.readings;
    device d = device_of(g, r);
    if (r == route::profile)
        d.models = {model_id::profile};
    q.adp_enabled = d.adp_enabled;
    p.survives_ns = never;
    p.detects_ns = 0;
    for (const model_id m : d.models) {
        const result<model_answer> a = time_to_error(m, q);
        if (!a)
            return {}; // survives 0, detects never: meets nothing
        p.survives_ns = std::min(p.survives_ns, a->survives_min_ns);
        // The shortest answer bounds survival only.
        if (m != model_id::ibta_min || d.models.size() == 1)
            p.detects_ns = std::max(p.detects_ns, a->max_ns);
        p.proof.push_back(*a);
    }
    return p;
}

bool survives(const goals &g, const proposal &p, bool margin)
{
    const std::uint64_t need = must_survive(g);
    return need == 0 || p.survives_ns >= (margin ? with_margin(need) : need);
}

bool detects(const goals &g, const proposal &p)
{
    return !g.detect_ns || p.detects_ns <= *g.detect_ns;
}

// The timer of this route does not run out within a round trip of the healthy path.
bool patient(const goals &g, route r, const qp_setting &qp)
{
    if (!g.rtt_ns)
        return true;
    const bool adaptive = g.mlx5 && r == route::queue_pair && g.floor != floor_state::off;
    if (adaptive && *g.rtt_ns >= default_first_copy_ns)
        return false;
    const unsigned n =
        r == route::adp_off || adaptive ? std::max(qp.timeout, mlx5_floor_code) : qp.timeout;
    return ack_timeout_ns(n) >= 2 * *g.rtt_ns;
}

// One lost packet, or a few, are not the end: whatever chance does there is a copy, and by the nominal
// times there are three.
constexpr std::uint64_t least_transmissions = 4;
bool lives(const proposal &p)
{
    return p.survives_ns != 0 && !p.proof.empty() &&
           p.proof.back().transmissions >= least_transmissions;
}

// Only how long the queue pair may live is asked for: it is to outlive as much as it can.
bool only_detects(const goals &g)
{
    return must_survive(g) == 0 && g.detect_ns;
}

// Not even once in a million million messages are all copies lost.
bool likely_enough(const goals &g, std::uint64_t copies)
{
    constexpr std::uint64_t one_in_a_million_million = 1'000'000; // parts of 10^18
    constexpr std::uint64_t enough = 64; // by then the chance is nothing, whatever the loss
    return g.loss_ppb == 0 ||
           all_lost_chance(g.loss_ppb, static_cast<unsigned>(std::min(copies, enough))) <=
               one_in_a_million_million;
}

adp_profile blank_profile(unsigned low, unsigned top)
{
    adp_profile f{};
    f.adp_retx_profile_id = 1;
    f.roce_adp_retrans_en = 1;
    f.time_base = static_cast<std::uint32_t>(base_ns / ns_per_us);
    f.time_unit = 1;
    f.range_num = 1;
    f.timeout_init_low_bound = low;
    // Two values where the range has two, so that queue pairs do not beat in time.
    f.timeout_init_range_size = top > low ? 2 : 1;
    f.timeout_range[0].range_low_bound = low;
    f.timeout_range[0].range_size = top - low;
    f.timeout_range[0].timeout_retry_num = 1;
    f.timeout_range[0].dec_mode = 1;
    f.fields = 0;
    for (const unsigned field :
         {ADP_FIELD_ROCE_ADP_RETRANS_EN, ADP_FIELD_ADP_RETX_PROFILE_ID, ADP_FIELD_TIME_BASE,
          ADP_FIELD_TIME_UNIT, ADP_FIELD_START_RANGE_INDEX, ADP_FIELD_RANGE_NUM,
          ADP_FIELD_QP_TOTAL_TIMEOUT, ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE,
          ADP_FIELD_TIMEOUT_INIT_LOW_BOUND, ADP_FIELD_RETX_TOTAL_TIMEOUT, ADP_FIELD_RANGE_SIZE_0,
          ADP_FIELD_RANGE_LOW_BOUND_0, ADP_FIELD_TIMEOUT_RETRY_NUM_0, ADP_FIELD_DEC_MODE_0,
          ADP_FIELD_PREV_RANGE_INDEX_0})
        f.fields |= ADP_FIELD_BIT(field);
    return f;
}

// A profile of one range [low, top] whose total lies between the two goals: as a power of two, or
// as the queue pair's own retry_cnt * timeout.
std::optional<proposal> profile_with(const goals &g, unsigned low, unsigned top, bool raise,
                                     bool margin)
{
    adp_profile f = blank_profile(low, top);
    qp_setting qp = g.current;
    // The queue pair's timeout caps the waits: it must not be below them, nor switch the timer off.
    const std::optional<unsigned> cap = ack_timeout_code(base_ns << top, rounding::up);
    if (!cap || (!raise && qp.timeout < *cap))
        return std::nullopt;
    qp.timeout = std::max(qp.timeout, *cap);
    const std::uint64_t least = must_survive(g);
    const std::uint64_t most = g.detect_ns.value_or(never);
    const auto good = [&](const proposal &p) {
        return lives(p) && survives(g, p, margin) && detects(g, p) &&
               likely_enough(g, p.proof.back().transmissions);
    };
    if (must_survive(g) == 0 && !g.detect_ns) {
        // No word of times: the queue pair's own total stays in force, where it is long enough.
        f.qp_total_timeout = 1;
        for (; qp.retry_cnt <= max_retry_cnt; qp.retry_cnt++)
            if (const proposal p = prove(g, route::profile, qp, &f); good(p))
                return p;
        return std::nullopt;
    }
    // The shortest total that lives through the outage; without one the longest that still ends in
    // time.
    const bool longest = only_detects(g);
    for (unsigned i = top; i <= longest_shift; i++) {
        const unsigned shift = longest ? longest_shift + top - i : i;
        if (base_ns << shift < least || base_ns << shift > most)
            continue;
        f.retx_total_timeout = shift;
        const proposal p = prove(g, route::profile, qp, &f);
        if (good(p))
            return p;
    }
    f.retx_total_timeout = 0;
    f.qp_total_timeout = 1;
    std::optional<proposal> best;
    for (unsigned n = *cap; n <= max_timeout; n++) {
        for (unsigned retries = 1; retries <= max_retry_cnt; retries++) {
            const std::uint64_t total = retries * ack_timeout_ns(n);
            if (total < least || total > most || (!raise && n > g.current.timeout))
                continue;
            qp.timeout = n;
            qp.retry_cnt = retries;
            proposal p = prove(g, route::profile, qp, &f);
            if (!good(p))
                continue;
            if (!longest)
                return p;
            if (!best || p.survives_ns > best->survives_ns)
                best = std::move(p);
        }
    }
    return best;
}

// Says how much less the low bound could be.
proposal with_low_bound(const goals &g, unsigned low, proposal p)
{
    const std::uint64_t less = low >= 1 ? base_ns << (low - 1) : 0;
    if (g.rtt_ns && less >= *g.rtt_ns)
        p.notes.push_back(
            {trap::margin, "low bound " + std::to_string(low) + " is " +
                               format_duration(base_ns << low) + ", at least two round trips; " +
                               std::to_string(low - 1) + " (" + format_duration(less) +
                               ") would be the least possible, with a margin of " +
                               margin_text(less, *g.rtt_ns)});
    return p;
}

// Of the profiles that report in time: those that outlive nearly as much as can be, among them one
// with something to draw from, and of these the one that sends the fewest copies.
std::optional<proposal> longest_living(std::vector<proposal> &&all)
{
    std::uint64_t most = 0;
    for (const proposal &p : all)
        most = std::max(most, p.survives_ns);
    std::optional<proposal> best;
    const auto rank = [](const proposal &p) {
        return std::pair{p.profile->timeout_range[0].range_size == 0, p.proof.back().transmissions};
    };
    for (proposal &p : all)
        if (p.survives_ns >= most - most / 10 && (!best || rank(p) < rank(*best)))
            best = std::move(p);
    return best;
}

} // namespace

std::uint64_t with_margin(std::uint64_t ns)
{
    return add_time(ns, ns / 100 * margin_percent);
}

std::string margin_text(std::uint64_t have, std::uint64_t want)
{
    const std::uint64_t tenths = want < 1000 ? 0 : (have - want) / (want / 1000);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::uint64_t must_survive(const goals &g)
{
    return std::max(g.survive_ns.value_or(0), g.pause_ns.value_or(0));
}

std::optional<proposal> choose_qp(const goals &g, route r, bool margin)
{
    const auto good = [&](const proposal &p) {
        return survives(g, p, margin) && detects(g, p) && patient(g, r, p.qp) &&
               likely_enough(g, p.qp.retry_cnt + 1U);
    };
    // A setting by which the first loss is fatal is kept where it is, but proposed nowhere.
    if (g.current.timeout != 0) {
        proposal p = prove(g, r, g.current, nullptr);
        if (good(p) && (r == route::queue_pair || p.survives_ns != 0)) {
            p.changes_nothing = r == route::queue_pair;
            return p;
        }
    }
    const bool only_detect = must_survive(g) == 0 && !g.rtt_ns;
    for (unsigned retries = max_retry_cnt; retries >= 1; retries--) {
        for (unsigned i = 1; i <= max_timeout; i++) {
            qp_setting qp = g.current;
            qp.timeout = only_detect ? max_timeout + 1 - i : i;
            qp.retry_cnt = retries;
            const proposal p = prove(g, r, qp, nullptr);
            if (good(p) && p.survives_ns != 0)
                return p;
        }
    }
    return std::nullopt;
}

std::optional<proposal> choose_profile(const goals &g, bool margin)
{
    constexpr unsigned widest = 6; // waits may grow 64 times
    // The first wait: above two round trips; without one, what default firmware has.
    const unsigned wish = adp_exponent(g.rtt_ns ? 2 * *g.rtt_ns : default_first_copy_ns);
    const unsigned least = g.rtt_ns ? wish : 4; // 64 us
    // First without touching the queue pair's timeout, then with a larger one.
    for (const bool raise : {false, true}) {
        std::vector<proposal> all;
        for (unsigned low = wish; low + 1 > least; low--)
            for (unsigned width = widest + 1; width-- > 0;) {
                std::optional<proposal> p = profile_with(g, low, low + width, raise, margin);
                if (!p)
                    continue;
                if (!only_detects(g))
                    return with_low_bound(g, low, std::move(*p));
                all.push_back(with_low_bound(g, low, std::move(*p)));
            }
        if (!all.empty())
            return longest_living(std::move(all));
    }
    return std::nullopt;
}

unsigned adp_exponent(std::uint64_t ns)
{
    unsigned g = 0;
    while (g < 40 && base_ns << g < ns)
        g++;
    return g;
}

std::uint64_t all_lost_chance(std::uint64_t loss_ppb, unsigned copies)
{
    // A copy helps when it and its acknowledgement arrive.
    constexpr std::uint64_t one = 1'000'000'000;
    const std::uint64_t round = std::min(2 * std::min(loss_ppb, one), one);
    std::uint64_t chance = one * one;
    for (unsigned i = 0; i < copies; i++)
        chance = chance / one * round + (chance % one * round + one - 1) / one;
    return chance;
}

} // namespace adp::retry
