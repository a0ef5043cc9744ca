// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp statistic qp, adp statistic mode
#include "grammar.h"
#include "statistic.h"
#include "words.h"

#include "flow/derivation.h"
#include "qp/context.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <fmt/ranges.h>
#include <memory>

namespace adp::cli {

namespace {

struct sets_freer {
    void operator()(adp_counter_sets *s) const { adp_free_counter_sets(s); }
};

constexpr const char *mode_words[] = {"none", "auto", "manual"};

const char *mode_word(std::uint32_t mode)
{
    return mode < 3 ? mode_words[mode] : "unknown";
}

std::string type_word(std::uint32_t type)
{
    const auto known = static_cast<qp::qp_type>(type);
    const std::string word = qp::to_string(known);
    return type > 0xff || word == qp::to_string(qp::qp_type::unknown) ? std::to_string(type) : word;
}

struct set_filter {
    std::string dev = every_device;
    std::optional<std::uint64_t> lqpn, pid;
};

set_filter parse_qp(const run &r)
{
    set_filter f;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (r.args[i] == "lqpn" || r.args[i] == "pid")
            once.take("statistic qp", r.args[i]);
        if (r.args[i] == "lqpn")
            f.lqpn = number(need(r, ++i, "statistic qp", "lqpn N"), flow::qpn_mask,
                            "statistic qp: lqpn");
        else if (r.args[i] == "pid")
            f.pid = number(need(r, ++i, "statistic qp", "pid N"), 0xffffffffU, "statistic qp: pid");
        else if (i == 0)
            f.dev = r.args[i];
        else
            throw failure{
                adp::format("statistic qp: \"{}\": not expected\n  adp help statistic", r.args[i])};
    }
    return f;
}

// A set passes when any of its queue pairs does.
bool passes(const set_filter &f, const adp_counter_set &s)
{
    if (f.pid && *f.pid != s.pid)
        return false;
    return !f.lqpn || std::find(s.lqpn, s.lqpn + s.num_qps, *f.lqpn) != s.lqpn + s.num_qps;
}

void show_set(run &r, record &element, const adp_counter_set &s, const adp_context *ctx)
{
    const taken t = taken_of(s.counters, ctx);
    const std::string comm = s.comm;
    const std::string owner =
        s.pid != 0 ? adp::format("pid {}{}", s.pid, comm.empty() ? "" : " " + comm)
                   : adp::format("[{}]", *s.kernel_owner == 0 ? "?" : s.kernel_owner);
    std::vector<std::uint32_t> lqpn(s.lqpn, s.lqpn + s.num_qps);
    const std::string type = s.qp_type == 0xffffffffU ? "" : type_word(s.qp_type);
    element.set_heading(adp::format("{} {}{} lqpn {} ({})", place_of(t), owner,
                                    type.empty() ? "" : " " + type, fmt::join(lqpn, ","),
                                    mode_word(s.mode)));
    identify_counters(element, t, ctx);
    element.data("set_id", s.set_id);
    element.data("mode", mode_word(s.mode));
    const bool kernel = *s.kernel_owner != 0;
    const std::string no_process =
        kernel ? "a part of the kernel owns them" : "the kernel does not say it";
    element.words("qp_type", type, "the kernel does not say it of this set");
    element.maybe("pid", s.pid == 0 ? json{} : json(s.pid), no_process);
    element.words("comm", comm,
                  s.pid == 0 ? no_process : "the process is gone, or of another namespace");
    element.words("kernel_owner", s.kernel_owner,
                  s.pid != 0 ? "a process owns them" : "the kernel does not say it");
    element.data("lqpn", lqpn);
    record::list &list = element.array("counters");
    for (const counter::value &v : t.counters.values)
        add_counter(list, v);
    std::string text = grouped(t.counters.values, r.opt.details);
    if (!text.empty())
        text.pop_back();
    element.line(text);
}

int show_sets(run &r, const set_filter &f, adp_context *ctx, const chosen &c)
{
    r.drop_last(); // a device may have none
    const std::unique_ptr<adp_counter_sets, sets_freer> sets{adp_get_counter_sets(ctx, c.port)};
    if (!sets) {
        const int err = errno;
        r.element();
        return err;
    }
    adp_counter_set s{};
    for (std::uint32_t i = 0; adp_get_counter_set(sets.get(), i, &s) == 0; i++)
        if (passes(f, s))
            show_set(r, r.element(), s, ctx);
    return 0;
}

// ---- mode ----

struct mode_wish {
    std::optional<std::string> dev; // none: every device
    enum class act { show, automatic, off, bind, unbind, optional } what = act::show;
    std::uint32_t by = 0;
    std::uint32_t lqpn = 0;
    std::optional<std::uint32_t> set;
    std::vector<std::string> names;
    bool with_optional = false;
};

std::uint32_t small(const run &r, std::size_t i, std::uint64_t most, const std::string &what)
{
    return static_cast<std::uint32_t>(
        number(need(r, i, "statistic mode", what), most, "statistic mode: " + what));
}

mode_wish parse_mode(const run &r)
{
    using act = mode_wish::act;
    mode_wish w;
    keywords once;
    const auto decide = [&w](act what) {
        if (w.what != act::show)
            throw failure{"statistic mode: one change at a time"};
        w.what = what;
    };
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        if (word == "type" || word == "pid" || word == "set")
            once.take("statistic mode", word);
        if (word == "auto") {
            decide(act::automatic);
        } else if (word == "type" && w.what == act::automatic) {
            w.by |= ADP_COUNTER_BY_TYPE;
        } else if (word == "pid" && w.what == act::automatic) {
            w.by |= ADP_COUNTER_BY_PID;
        } else if (word == "off") {
            decide(act::off);
        } else if (word == "bind" || word == "unbind") {
            decide(word == "bind" ? act::bind : act::unbind);
            w.lqpn = small(r, ++i, flow::qpn_mask, word + " LQPN");
        } else if (word == "set" && (w.what == act::bind || w.what == act::unbind)) {
            w.set = small(r, ++i, 0xfffffffeU, "set N");
        } else if (word == "optional") {
            decide(act::optional);
            const std::string &list = need(r, ++i, "statistic mode", "optional NAME,...|none");
            w.names = list == "none" ? std::vector<std::string>{} : at_commas(list);
        } else if (i == 0) {
            w.dev = word;
        } else {
            throw failure{
                adp::format("statistic mode: \"{}\": not expected\n  adp help statistic", word)};
        }
    }
    if (w.what == act::unbind && !w.set)
        throw failure{"statistic mode: unbind LQPN set N: the set is needed; "
                      "adp statistic qp shows it"};
    if (w.what == act::automatic && w.by == 0)
        w.by = ADP_COUNTER_BY_TYPE;
    if (w.what != act::show && !w.dev)
        throw failure{"statistic mode: a change needs a device, DEV or DEV/PORT"};
    return w;
}

// What turning the automatic mode on means at this port.
std::string meaning_of_auto(const taken &t, const std::string &where)
{
    const bool representor = std::any_of(t.counters.values.begin(), t.counters.values.end(),
                                         [](const counter::value &v) { return v.vport; });
    if (representor)
        return adp::format(
            "{}: this port stands for another function{}: the kernel accepts the mode and "
            "binds nothing",
            where, t.counters.function.empty() ? "" : " (" + t.counters.function + ")");
    return adp::format(
        "{}: queue pairs that run already are never counted in a set of their own, nor "
        "the kernel's; from now on each reading of this port, by any program, costs a "
        "firmware command for each of its {} counters and each set",
        where, t.counters.values.size());
}

// What a dry run says: "mlx5_0/1: would be set to auto by type".
std::string said(const mode_wish &w, const std::string &where)
{
    using act = mode_wish::act;
    switch (w.what) {
    case act::automatic:
        return adp::format("{}: would be set to auto by {}{}{}", where,
                           (w.by & ADP_COUNTER_BY_TYPE) != 0 ? "type" : "",
                           w.by == (ADP_COUNTER_BY_TYPE | ADP_COUNTER_BY_PID) ? " and " : "",
                           (w.by & ADP_COUNTER_BY_PID) != 0 ? "pid" : "");
    case act::off: return adp::format("{}: the automatic mode would be turned off", where);
    case act::bind:
        return adp::format("{}: queue pair {} would be bound to {}", where, w.lqpn,
                           w.set ? adp::format("set {}", *w.set) : "a new set");
    case act::unbind:
        return adp::format("{}: queue pair {} would be taken out of set {}", where, w.lqpn, *w.set);
    case act::optional:
        return adp::format("{}: optional counters that would be on: {}", where,
                           w.names.empty() ? "none" : adp::format("{}", fmt::join(w.names, ", ")));
    default: return {};
    }
}

int change_mode(run &r, const mode_wish &w, adp_context *ctx, std::uint32_t port)
{
    using act = mode_wish::act;
    const std::string where = adp::format("{}/{}", adp_device_name(adp_context_device(ctx)), port);
    adp_counter_mode mode{};
    mode.optional = ADP_UNKNOWN;
    switch (w.what) {
    case act::automatic:
        r.note(meaning_of_auto(take_port(ctx, port, 0), where));
        mode.mode = ADP_COUNTER_MODE_AUTO;
        mode.by = w.by;
        return r.opt.dry_run ? 0 : adp_set_counter_mode(ctx, port, &mode);
    case act::off:
        mode.mode = ADP_COUNTER_MODE_NONE;
        return r.opt.dry_run ? 0 : adp_set_counter_mode(ctx, port, &mode);
    case act::bind: {
        std::uint32_t set = w.set.value_or(ADP_COUNTER_SET_NEW);
        const int err = r.opt.dry_run ? 0 : adp_bind_counter_set(ctx, port, w.lqpn, &set);
        if (err == 0 && !r.opt.dry_run)
            r.note(adp::format("{}: queue pair {} counts in set {}", where, w.lqpn, set));
        return err;
    }
    case act::unbind: return r.opt.dry_run ? 0 : adp_unbind_counter_set(ctx, port, w.lqpn, *w.set);
    case act::optional: {
        std::vector<const char *> names;
        for (const std::string &n : w.names)
            names.push_back(n.c_str());
        return r.opt.dry_run ? 0
                             : adp_set_optional_counters(ctx, port, names.data(),
                                                         static_cast<std::uint32_t>(names.size()));
    }
    case act::show: break;
    }
    return 0;
}

void show_mode(record &element, adp_context *ctx, std::uint32_t port, const adp_counter_mode &mode,
               const std::string &would)
{
    const adp_device *device = adp_context_device(ctx);
    const std::string where = adp::format("{}/{}", adp_device_name(device), port);
    json by = json::array();
    if ((mode.by & ADP_COUNTER_BY_TYPE) != 0)
        by.push_back("type");
    if ((mode.by & ADP_COUNTER_BY_PID) != 0)
        by.push_back("pid");
    element.data("dev", adp_device_name(device));
    element.data("path", "netlink");
    element.data("simulated", adp_device_simulated(device));
    element.data("port", port);
    element.data("mode", mode_word(mode.mode));
    element.data("by", by);
    const taken t = take_port(ctx, port, ADP_COUNTERS_ALL);
    record::list &optional = element.array("optional_counters");
    std::string on, off;
    for (const counter::value &v : t.counters.values) {
        const counter::group *g = counter::find_group(t.counters.driver, v.about->group);
        const bool is_off = v.is == counter::state::optional_off;
        if (!is_off && (g == nullptr || !g->is_optional || !v.has_number()))
            continue;
        record &one = optional.item();
        one.data("name", v.name);
        one.data("enabled", is_off ? 0 : 1);
        std::string &list = is_off ? off : on;
        list += (list.empty() ? "" : ", ") + shown_name(v.name);
    }
    std::string ways;
    for (const json &way : by)
        ways += (ways.empty() ? " by " : " and ") + way.get<std::string>();
    if (!would.empty()) {
        element.data("dry_run", 1);
        element.data("would", would);
        element.line(would);
    }
    element.line(adp::format("{}: counter sets {}{}{}{}", where, mode_word(mode.mode), ways,
                             on.empty() ? "" : "; optional counters on: " + on,
                             off.empty() ? "" : "; off: " + off));
}

int on_ports(run &r, const mode_wish &w, adp_context *ctx, const chosen &c)
{
    r.drop_last();
    for (const std::uint32_t port : ports_of(ctx, c)) {
        int err = w.what == mode_wish::act::show ? 0 : change_mode(r, w, ctx, port);
        adp_counter_mode mode{};
        if (err == 0)
            err = adp_query_counter_mode(ctx, port, &mode);
        // The request was a right one: what is not valid to the kernel, the kernel refused.
        if (err == EINVAL && w.what != mode_wish::act::show &&
            w.what != mode_wish::act::optional) { // a name that is none is the request's
            r.element();                          // for the caller to take away
            throw failure{adp_get_error(), exit_device, err};
        }
        if (err != 0) {
            r.element(); // for the caller to take away
            return err;
        }
        const std::string where =
            adp::format("{}/{}", adp_device_name(adp_context_device(ctx)), port);
        show_mode(r.element(), ctx, port, mode, r.opt.dry_run ? said(w, where) : "");
    }
    return 0;
}

} // namespace

void statistic_qp(run &r)
{
    const set_filter f = parse_qp(r);
    on_devices(
        r, f.dev,
        [&](adp_context *ctx, record &, const chosen &c) { return show_sets(r, f, ctx, c); },
        ADP_OPEN_COUNTERS);
    if (!r.has_elements())
        r.note("no counter sets of queue pairs");
}

void statistic_mode(run &r)
{
    const mode_wish w = parse_mode(r);
    on_devices(
        r, w.dev.value_or(every_device),
        [&](adp_context *ctx, record &, const chosen &c) { return on_ports(r, w, ctx, c); },
        ADP_OPEN_COUNTERS);
}

} // namespace adp::cli
