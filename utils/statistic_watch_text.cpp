// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "statistic_watch.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fmt/ranges.h>

namespace adp::cli {

namespace {

using counter::step;

std::string clock_text(std::uint64_t time_ns)
{
    const auto seconds = static_cast<std::time_t>(time_ns / 1000000000U);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    return adp::format("{:02}:{:02}:{:02}Z", utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string rate_text(const counter::change &c, std::optional<std::int64_t> interval_ms)
{
    const auto rate = c.delta ? counter::rate(*c.delta, interval_ms) : std::nullopt;
    return rate ? adp::format("{:.1f}/s", *rate) : "";
}

// "+5", "+5 or more", "began anew at 3".
std::string delta_text(const counter::change &c, const counter::value &v)
{
    switch (c.is) {
    case step::at_least: return adp::format("+{} or more", c.delta.value_or(0));
    case step::wrapped: return adp::format("+{} (wrapped)", c.delta.value_or(0));
    case step::reset: return adp::format("began anew, {} since", v.number);
    case step::reset_or_wrap: return "went down: began anew or wrapped";
    case step::gauge: return "level";
    case step::frozen: return "frozen";
    default: return adp::format("+{}", c.delta.value_or(0));
    }
}

bool worth_a_line(const counter::change &c)
{
    return c.moved() || c.is == step::reset || c.is == step::reset_or_wrap;
}

// Nothing but numbers that only rose: what compare_ports() would find, found without it.
bool plain_steps(const taken &before, const taken &now, std::vector<counter::change> &changes)
{
    const auto &a = before.counters.values, &b = now.counters.values;
    if (a.size() != b.size() || before.counters.dev_index != now.counters.dev_index ||
        before.counters.netdev_index != now.counters.netdev_index ||
        before.counters.function != now.counters.function ||
        before.counters.netdev != now.counters.netdev)
        return false;
    changes.resize(b.size());
    for (std::size_t i = 0; i < b.size(); i++) {
        if (a[i].number > b[i].number || a[i].name != b[i].name ||
            a[i].is != counter::state::measured || b[i].is != counter::state::measured ||
            b[i].about->is == counter::kind::gauge)
            return false;
        changes[i].is = a[i].number == b[i].number ? step::same : step::rose;
        changes[i].delta = b[i].number - a[i].number;
    }
    return true;
}

} // namespace

watched compare_readings(const taken &before, taken now, bool first)
{
    watched w;
    w.now = std::move(now);
    if (w.now.err != 0) {
        w.reason = w.now.reason;
        if (first || before.err == 0)
            w.event = w.now.err == ENODEV ? "gone" : "unreadable";
        return w;
    }
    if (first)
        return w;
    if (before.err != 0) {
        w.event = "returned";
        w.reason = "its counters may have begun anew";
        return w;
    }
    w.interval_ms = static_cast<std::int64_t>((w.now.boot_time_ns - before.boot_time_ns) / 1000000);
    if (plain_steps(before, w.now, w.changes))
        return w;
    w.changes.clear();
    const counter::port_change all = counter::compare_ports(before.counters, w.now.counters);
    // Its list has the values of now first, in their order.
    for (std::size_t i = 0; i < w.now.counters.values.size() && i < all.counters.size(); i++)
        w.changes.push_back(all.counters[i].what);
    if (!all.comparable || all.anew == counter::restart::yes)
        w.event = "reset";
    w.reason = all.reason;
    return w;
}

std::string watch_json(const watched &w, const counter_filter &filter, const adp_context *ctx)
{
    record element;
    identify_counters(element, w.now, ctx);
    element.data("time_ms", w.now.time_ns / 1000000);
    constexpr const char *first = "the first reading";
    element.maybe("interval_ms", w.interval_ms ? json(*w.interval_ms) : json{}, first);
    if (w.event == nullptr) {
        element.absent("event", w.reason.empty() ? "nothing happened" : w.reason);
    } else {
        element.data("event", w.event);
        if (!w.reason.empty())
            element.data("event_reason", w.reason);
    }
    if (w.now.err != 0) {
        element.absent("counters", w.now.reason);
    } else {
        record::list &list = element.array("counters");
        for (std::size_t i = 0; i < w.now.counters.values.size(); i++) {
            const counter::value &v = w.now.counters.values[i];
            if (!filter.passes(v))
                continue;
            record &c = add_counter(list, v);
            const bool compared = i < w.changes.size();
            const counter::change change = compared ? w.changes[i] : counter::change{};
            const std::string why = !compared ? first
                                    : change.reason.empty()
                                        ? std::string{counter::to_string(change.is)}
                                        : change.reason;
            c.maybe("delta", change.delta ? json(*change.delta) : json{}, why);
            const auto rate =
                change.delta ? counter::rate(*change.delta, w.interval_ms) : std::nullopt;
            c.maybe("per_s", rate ? json(*rate) : json{},
                    change.delta ? "the interval is not known" : why);
            c.maybe("step", compared ? json(counter::to_string(change.is)) : json{}, first);
        }
    }
    return element.to_json().dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string watch_lines(const watched &w, const counter_filter &filter)
{
    if (w.event == nullptr && std::none_of(w.changes.begin(), w.changes.end(), worth_a_line))
        return {};
    const std::string time = clock_text(w.now.time_ns);
    const std::string place = place_of(w.now);
    std::string text;
    if (w.event != nullptr)
        text += adp::format("{} {} {}: {}\n", time, place, w.event, w.reason);
    for (std::size_t i = 0; i < w.changes.size(); i++) {
        const counter::value &v = w.now.counters.values[i];
        if (!worth_a_line(w.changes[i]) || !filter.passes(v))
            continue;
        const std::string rate = rate_text(w.changes[i], w.interval_ms);
        text += adp::format("{} {} {} {}{} {}\n", time, place, shown_name(v.name),
                            delta_text(w.changes[i], v), rate.empty() ? "" : " " + rate,
                            counter::to_string(v.about->what));
    }
    return text;
}

void watch_screen::add(const watched &w, const counter_filter &filter)
{
    const std::string place = place_of(w.now);
    if (w.event != nullptr || w.now.err != 0)
        events_.push_back(adp::format("{} {}: {}", place, w.event == nullptr ? "gone" : w.event,
                                      w.reason.substr(0, w.reason.find('\n'))));
    bool any = false;
    for (std::size_t i = 0; i < w.now.counters.values.size(); i++) {
        const counter::value &v = w.now.counters.values[i];
        if (!filter.passes(v))
            continue;
        const counter::change change = i < w.changes.size() ? w.changes[i] : counter::change{};
        std::uint64_t &since = since_[place + " " + v.name];
        since += change.delta.value_or(0);
        if (since == 0 && !worth_a_line(change))
            continue;
        any = true;
        lines_.push_back({place, shown_name(v.name), std::string{counter::to_string(v.about->what)},
                          rate_text(change, w.interval_ms), delta_text(change, v),
                          v.has_number() ? std::to_string(v.number) : "-", worth_a_line(change)});
    }
    if (!any && w.now.err == 0)
        quiet_.push_back(place);
}

std::string watch_screen::take()
{
    // Home, each line cleared to its end, then all below: no flicker.
    std::string text = "\x1b[H";
    const auto put = [&text](const std::string &words) { text += words + "\x1b[K\n"; };
    put(title_);
    std::size_t place = 4, name = 7, rate = 6, delta = 5, total = 5;
    for (const line &l : lines_) {
        place = std::max(place, l.place.size());
        name = std::max(name, l.name.size());
        rate = std::max(rate, l.rate.size());
        delta = std::max(delta, l.delta.size());
        total = std::max(total, l.total.size());
    }
    if (!lines_.empty())
        put(adp::format("{:<{}}  {:>{}}  {:>{}}  {:>{}}  {:<{}}  {}", "port", place, "rate", rate,
                        "delta", delta, "total", total, "counter", name, "what"));
    for (const line &l : lines_) {
        const std::string shown =
            adp::format("{:<{}}  {:>{}}  {:>{}}  {:>{}}  {:<{}}  {}", l.place, place, l.rate, rate,
                        l.delta, delta, l.total, total, l.name, name, l.words);
        put(l.moving && colour_ ? "\x1b[1m" + shown + "\x1b[0m" : shown);
    }
    for (const std::string &e : events_)
        put(e);
    if (!quiet_.empty())
        put(adp::format("quiet: {}", fmt::join(quiet_, ", ")));
    lines_.clear();
    events_.clear();
    quiet_.clear();
    return text + "\x1b[J";
}

} // namespace adp::cli
