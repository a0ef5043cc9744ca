// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/plan.h"

#include "profile/check.h"
#include "profile/format.h"
#include "retry/duration.h"
#include "retry/encoding.h"
#include "retry/plan_choose.h"
#include "retry/stack_words.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace adp::retry {

namespace {

std::string goal_text(const char *name, std::uint64_t ns)
{
    return std::string(name) + " " + format_duration(ns);
}

std::string code_text(unsigned n, std::uint64_t ns)
{
    return "timeout " + std::to_string(n) + " (" + format_duration(ns) + ")";
}

void say(proposal &p, trap what, std::string text)
{
    p.notes.push_back({what, std::move(text)});
}

// What the proof rests on, and what the rules of profiles warn of.
void warn(proposal &p)
{
    for (const model_answer &a : p.proof)
        for (const note &n : caveats(a))
            if (std::none_of(p.notes.begin(), p.notes.end(),
                             [&n](const note &told) { return told.text == n.text; }))
                p.notes.push_back(n);
    if (p.survives_ns == 0)
        say(p, trap::zero_retries,
            "retry_cnt " + std::to_string(p.qp.retry_cnt) + ": the first time-out is fatal");
    if (!p.profile)
        return;
    const profile::queue_pairs known{
        p.qp.timeout, p.qp.extended_retry_cnt != 0 ? p.qp.extended_retry_cnt : p.qp.retry_cnt};
    for (const profile::finding &f : profile::check(*p.profile, {}, known))
        say(p, trap::info, f.field + " " + f.value + ": " + f.rule);
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
    warn(p);
    if (!p.changes_nothing && p.qp != g.current) {
        for (const char *stack : {"NCCL", "UCX"})
            for (std::string &w : write_setting(stack, p.qp))
                p.commands.push_back("export " + w);
    }
    // libadp's command last; before it the vendor's for the same, which selects more than it changes.
    constexpr const char *mlxreg = "mlxreg -d DEV --reg_name ROCE_ACCL --set ";
    if (p.how == route::floor_off) {
        p.commands.push_back(mlxreg + std::string("min_ack_timeout_limit_disabled=1"));
        p.commands.emplace_back("adp accl set DEV min_ack_timeout_limit_disabled 1");
    }
    if (p.how == route::adp_off) {
        p.commands.push_back(mlxreg + std::string("roce_adp_retrans_en=0"));
        p.commands.emplace_back("adp profile disable DEV");
    }
    if (p.how == route::profile) {
        if (result<std::string> line = profile::format_profile(*p.profile, ADP_FORMAT_MLXREG)) {
            line->erase(line->find_last_not_of('\n') + 1);
            p.commands.push_back(std::move(*line));
        }
        p.commands.emplace_back("adp profile set DEV file FILE");
    }
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
            if (!p)
                p = choose_profile(g, false);
            if (!p && g.detect_ns && !out.proposals.empty())
                out.notes.push_back(
                    {trap::conflict, "no profile reports within " + format_duration(*g.detect_ns) +
                                         " and sends a lost packet again often enough, with "
                                         "timeouts that may be four times as long"});
            offer(std::move(p));
        }
        if (g.floor != floor_state::off && g.rtt_ns && *g.rtt_ns >= default_first_copy_ns)
            offer(best_qp(route::adp_off));
    }
    if (g.rtt_ns && g.mlx5 && g.floor != floor_state::off && *g.rtt_ns >= default_first_copy_ns)
        out.notes.push_back(
            {trap::below_rtt, "default firmware repeats from about " +
                                  format_duration(default_first_copy_ns) +
                                  " on whatever the queue pair's timeout is (users of perftest saw "
                                  "it on ConnectX-5): with a round trip of " +
                                  format_duration(*g.rtt_ns) + " it sends what is not lost"});
    if (out.proposals.empty())
        find_conflicts(g, out);
    return out;
}

} // namespace adp::retry
