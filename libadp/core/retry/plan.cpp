// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/plan.h"

#include "retry/duration.h"
#include "retry/encoding.h"
#include "retry/stack_words.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace adp::retry {

namespace {

constexpr std::uint64_t base_ns = 4000; // the least time_base, and a power of two in microseconds
constexpr std::uint64_t margin_percent = 5; // less is called too little
// Default firmware sends its first copy after this at the earliest (perftest users, ConnectX-5).
constexpr std::uint64_t default_first_copy_ns = 2048 * ns_per_us;

std::uint64_t with_margin(std::uint64_t ns)
{
    return add_time(ns, ns / 100 * margin_percent);
}

// (have - want) / want in tenths of a per cent, as text.
std::string margin_text(std::uint64_t have, std::uint64_t want)
{
    const std::uint64_t tenths = want < 1000 ? 0 : (have - want) / (want / 1000);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string goal_text(const char *name, std::uint64_t ns)
{
    return std::string(name) + " " + format_duration(ns);
}

std::string code_text(unsigned n, std::uint64_t ns)
{
    return "timeout " + std::to_string(n) + " (" + format_duration(ns) + ")";
}

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

// What has to be lived through: an outage, or a pause of the healthy path.
std::uint64_t must_survive(const goals &g)
{
    return std::max(g.survive_ns.value_or(0), g.pause_ns.value_or(0));
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

bool likely_enough(const goals &g, unsigned retry_cnt)
{
    constexpr std::uint64_t one_in_a_million_million = 1'000'000; // parts of 10^18
    return g.loss_ppb == 0 ||
           all_lost_chance(g.loss_ppb, retry_cnt + 1) <= one_in_a_million_million;
}

// The timeout and count of a route: the present one where it will do, else as many retries as there
// are and the smallest timeout (or, when only detection is asked for, the largest).
std::optional<proposal> choose_qp(const goals &g, route r, bool margin)
{
    const auto good = [&](const proposal &p) {
        return survives(g, p, margin) && detects(g, p) && patient(g, r, p.qp) &&
               likely_enough(g, p.qp.retry_cnt);
    };
    if (g.current.timeout != 0) {
        proposal p = prove(g, r, g.current, nullptr);
        if (good(p)) {
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
            if (good(p))
                return p;
        }
    }
    return std::nullopt;
}

void say(proposal &p, trap what, std::string text)
{
    p.notes.push_back({what, std::move(text)});
}

void finish(const goals &g, proposal &p)
{
    const std::uint64_t need = must_survive(g);
    if (need != 0 && p.survives_ns != never)
        say(p, p.survives_ns < with_margin(need) ? trap::margin : trap::info,
            "lives through " + format_duration(p.survives_ns) + ", " +
                margin_text(p.survives_ns, need) + " more than asked for");
    if (g.detect_ns)
        say(p, trap::info,
            "a dead peer is reported after " + format_duration(p.detects_ns) + " at the latest");
    const bool adaptive = g.mlx5 && p.how == route::queue_pair && g.floor != floor_state::off;
    if (g.pause_ns && p.how != route::profile &&
        *g.pause_ns > (adaptive ? default_first_copy_ns : ack_timeout_ns(p.qp.timeout)))
        say(p, trap::info,
            "a pause of " + format_duration(*g.pause_ns) +
                " lets the timer run out: packets are repeated that are not lost");
    if (p.how == route::floor_off)
        say(p, trap::info,
            "min_ack_timeout_limit_disabled is a setting of the function: every queue "
            "pair on it gets its bare timeout, also those of other programs");
    if (p.how == route::profile)
        say(p, trap::info,
            "a profile holds for all queue pairs of the PF and its VFs, and only a "
            "firmware reset or a reboot brings the firmware's own timeouts back");
    if (!p.changes_nothing && p.qp != g.current) {
        for (const char *stack : {"NCCL", "UCX"})
            for (std::string &w : write_setting(stack, p.qp))
                p.commands.push_back("export " + w);
    }
    if (p.how == route::floor_off)
        p.commands.emplace_back("adp accl set DEV min_ack_timeout_limit_disabled 1");
    if (p.how == route::adp_off)
        p.commands.emplace_back("adp profile disable DEV");
    if (p.how == route::profile)
        p.commands.emplace_back("adp profile set DEV file FILE");
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
    // The queue pair's timeout caps the waits: it must not be below them.
    const std::optional<unsigned> cap = ack_timeout_code(base_ns << top, rounding::up);
    if (!cap || (!raise && qp.timeout != 0 && qp.timeout < *cap))
        return std::nullopt;
    if (qp.timeout != 0)
        qp.timeout = std::max(qp.timeout, *cap);
    const std::uint64_t least = must_survive(g);
    const std::uint64_t most = g.detect_ns.value_or(never);
    const auto good = [&](const proposal &p) { return survives(g, p, margin) && detects(g, p); };
    if (must_survive(g) == 0 && !g.detect_ns) {
        // No word of times: the queue pair's own total stays in force.
        f.qp_total_timeout = 1;
        return prove(g, route::profile, qp, &f);
    }
    for (unsigned shift = top; shift <= 40; shift++) {
        if (base_ns << shift < least || base_ns << shift > most)
            continue;
        f.retx_total_timeout = shift;
        const proposal p = prove(g, route::profile, qp, &f);
        if (good(p))
            return p;
    }
    f.retx_total_timeout = 0;
    f.qp_total_timeout = 1;
    for (unsigned n = *cap; n <= max_timeout; n++) {
        for (unsigned retries = 1; retries <= max_retry_cnt; retries++) {
            const std::uint64_t total = retries * ack_timeout_ns(n);
            if (total < least || total > most || (!raise && n > g.current.timeout))
                continue;
            qp.timeout = n;
            qp.retry_cnt = retries;
            const proposal p = prove(g, route::profile, qp, &f);
            if (good(p))
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
    for (const bool raise : {false, true})
        for (unsigned low = wish; low + 1 > least; low--)
            for (unsigned width = widest + 1; width-- > 0;) {
                std::optional<proposal> p = profile_with(g, low, low + width, raise, margin);
                if (!p)
                    continue;
                const std::uint64_t less = low >= 1 ? base_ns << (low - 1) : 0;
                if (g.rtt_ns && less >= *g.rtt_ns)
                    say(*p, trap::margin,
                        "low bound " + std::to_string(low) + " is " +
                            format_duration(base_ns << low) + ", at least two round trips; " +
                            std::to_string(low - 1) + " (" + format_duration(less) +
                            ") would be the least possible, with a margin of " +
                            margin_text(less, *g.rtt_ns));
                return p;
            }
    return std::nullopt;
}

// ---- why not --------------------------------------------------------------------------------

// What one goal alone would need on this device, in words.
std::string alone(const goals &g, route r, const char *name)
{
    const std::optional<proposal> p = choose_qp(g, r, false);
    if (!p)
        return std::string(name) + " alone cannot be met on this way";
    const std::uint64_t t = p->proof.back().nominal_ns;
    return std::string(name) + " alone needs " + code_text(p->qp.timeout, t) + " with retry_cnt " +
           std::to_string(p->qp.retry_cnt);
}

void find_conflicts(const goals &g, plan &out)
{
    const route r = g.mlx5 && g.floor != floor_state::off && g.may_switch_floor ? route::floor_off
                                                                                : route::queue_pair;
    // A setting that is already there would hide what is needed.
    goals bare = g;
    bare.survive_ns.reset();
    bare.detect_ns.reset();
    bare.rtt_ns.reset();
    bare.pause_ns.reset();
    bare.loss_ppb = 0;
    bare.current.timeout = 0;
    struct item {
        std::string text;
        std::string needs;
        goals only;
    };
    std::vector<item> items;
    const auto add = [&](const char *name, std::optional<std::uint64_t> goals::*member) {
        if (!(g.*member))
            return;
        item i{goal_text(name, *(g.*member)), "", bare};
        i.only.*member = g.*member;
        i.needs = alone(i.only, r, name);
        items.push_back(std::move(i));
    };
    add("detect", &goals::detect_ns);
    add("survive", &goals::survive_ns);
    add("pause", &goals::pause_ns);
    add("rtt", &goals::rtt_ns);
    for (std::size_t i = 0; i < items.size(); i++) {
        for (std::size_t j = i + 1; j < items.size(); j++) {
            goals both = items[i].only;
            if (items[j].only.survive_ns)
                both.survive_ns = items[j].only.survive_ns;
            if (items[j].only.pause_ns)
                both.pause_ns = items[j].only.pause_ns;
            if (items[j].only.rtt_ns)
                both.rtt_ns = items[j].only.rtt_ns;
            const bool possible = choose_qp(both, r, false).has_value() ||
                                  (g.mlx5 && g.may_set_profile && choose_profile(both, false));
            if (!possible)
                out.conflicts.push_back(
                    {items[i].text, items[j].text, items[i].needs + "; " + items[j].needs});
        }
    }
    if (!out.conflicts.empty())
        return;
    std::string all;
    for (const item &i : items)
        all += (all.empty() ? "" : "; ") + i.needs;
    if (g.loss_ppb != 0)
        all += "; the loss needs as many retries as there are";
    out.conflicts.push_back({items.empty() ? "loss" : items[0].text,
                             items.size() > 1 ? "the other goals" : "this device", all});
}

error invalid(const char *what)
{
    return {EINVAL, what, "", {}};
}

} // namespace

const char *route_name(route r)
{
    static constexpr std::array<const char *, 4> names = {"queue_pair", "floor_off", "profile",
                                                          "adp_off"};
    return names[std::min<std::size_t>(static_cast<std::size_t>(r), names.size() - 1)];
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

result<plan> make_plan(const goals &g)
{
    if (!g.survive_ns && !g.detect_ns && !g.rtt_ns && !g.pause_ns && g.loss_ppb == 0)
        return invalid("no goal is given");
    for (const auto &v : {g.survive_ns, g.detect_ns, g.rtt_ns, g.pause_ns})
        if (v && (*v == 0 || *v >= long_time / 1000))
            return invalid("a goal is out of bounds");
    if (g.loss_ppb >= 500'000'000)
        return invalid("with half of the packets lost no setting helps");
    if (g.current.timeout > max_timeout || g.current.retry_cnt > max_retry_cnt)
        return invalid("the present setting has a value over its field");

    plan out;
    const auto offer = [&](std::optional<proposal> p) {
        if (!p)
            return;
        finish(g, *p);
        out.proposals.push_back(std::move(*p));
    };
    // With the margin; where that is not to be had, without and said so.
    const auto best_qp = [&](route r) -> std::optional<proposal> {
        std::optional<proposal> close = choose_qp(g, r, false);
        std::optional<proposal> p = choose_qp(g, r, true);
        if (p && close && close->qp.timeout < p->qp.timeout &&
            close->qp.retry_cnt == p->qp.retry_cnt)
            say(*p, trap::margin,
                "timeout " + std::to_string(close->qp.timeout) + " lives through " +
                    format_duration(close->survives_ns) + ", a margin of " +
                    margin_text(close->survives_ns, must_survive(g)) + " only");
        return p ? p : close;
    };
    offer(best_qp(route::queue_pair));
    const bool done = !out.proposals.empty() && out.proposals[0].changes_nothing;
    if (g.mlx5 && !done) {
        if (g.floor != floor_state::off && g.may_switch_floor && out.proposals.empty())
            offer(best_qp(route::floor_off));
        if (g.may_set_profile) {
            std::optional<proposal> p = choose_profile(g, true);
            offer(p ? p : choose_profile(g, false));
        }
        if (g.floor != floor_state::off && g.rtt_ns && *g.rtt_ns >= default_first_copy_ns)
            offer(best_qp(route::adp_off));
    }
    if (g.rtt_ns && g.mlx5 && g.floor != floor_state::off && *g.rtt_ns >= default_first_copy_ns)
        out.notes.push_back({trap::below_rtt,
                             "default firmware repeats from about " +
                                 format_duration(default_first_copy_ns) +
                                 " on whatever the queue pair's timeout is: with a round trip of " +
                                 format_duration(*g.rtt_ns) + " it sends what is not lost"});
    if (out.proposals.empty())
        find_conflicts(g, out);
    return out;
}

} // namespace adp::retry
