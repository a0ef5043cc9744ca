// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp retry simulate: many queue pairs against outages, loss, delay and pauses, in virtual time.
#include "grammar.h"
#include "retry_picture.h"
#include "retry_play.h"
#include "retry_words.h"

#include "retry/duration.h"
#include "retry/simulate.h"
#include "text/format.h"

#include <algorithm>

namespace adp::cli {

namespace {

constexpr std::uint64_t default_start = retry::ns_per_s;
constexpr std::size_t most_windows = 1'000'000;
constexpr std::size_t shown_events = 60;

// "outage 50ms at 1s every 10s": repeated until the simulation's end.
struct repeated_window {
    retry::window first;
    std::uint64_t every_ns = 0; // 0: once
};

struct simulate_words {
    std::vector<repeated_window> outages, pauses, not_ready;
    retry::scenario scenario;
    std::optional<std::uint64_t> duration_ns, spread_ns;
    std::vector<std::string> models;
    std::uint32_t delay_factor = 1;
    std::uint64_t retries_reload = 0;
    unsigned threads = 0;
    picture_words picture;
};

repeated_window read_window(word_cursor &words, const std::string &what)
{
    repeated_window w;
    w.first.length_ns = words.time(what);
    w.first.start_ns = words.take("at") ? words.time("at") : default_start;
    if (words.take("every")) {
        w.every_ns = words.time("every");
        if (w.every_ns <= w.first.length_ns)
            throw failure{adp::format("{} every {}: nothing is left between them", what,
                                      retry::format_duration(w.every_ns))};
    }
    return w;
}

bool read_traffic(const std::string &word, word_cursor &words, retry::traffic_model &t)
{
    if (word == "gap")
        t.gap_ns = words.time(word);
    else if (word == "messages")
        t.messages = words.count(word, UINT64_MAX);
    else if (word == "packets")
        t.packets = static_cast<std::uint32_t>(words.count(word, 65536));
    else if (word == "bytes")
        t.packet_bytes = static_cast<std::uint32_t>(words.count(word, 65536));
    else
        return false;
    return true;
}

bool read_path(const std::string &word, word_cursor &words, simulate_words &s)
{
    retry::scenario &c = s.scenario;
    if (word == "outage") {
        s.outages.push_back(read_window(words, word));
    } else if (word == "dead") {
        const std::uint64_t start = words.take("at") ? words.time("at") : default_start;
        s.outages.push_back({{start, retry::never}, 0});
    } else if (word == "pause") {
        s.pauses.push_back(read_window(words, word));
    } else if (word == "not_ready") {
        s.not_ready.push_back(read_window(words, word));
    } else if (word == "loss") {
        c.loss.loss_ppb = words.share(word);
    } else if (word == "burst") {
        c.loss.enter_ppb = words.share(word);
        if (!words.take("length"))
            throw failure{"burst P length N: how many packets a burst takes is missing"};
        const std::uint64_t length = words.count("burst length", 1'000'000);
        if (length == 0)
            throw failure{"burst length 0: no burst at all"};
        c.loss.leave_ppb = retry::one_ppb / length;
    } else if (word == "rtt") {
        c.delay.rtt_ns = words.time(word);
    } else if (word == "jitter") {
        c.delay.jitter_ns = words.time(word);
        c.delay.jitter_shape =
            words.take("tail") ? retry::delay_model::tail : retry::delay_model::uniform;
    } else {
        return false;
    }
    return true;
}

bool read_run(const std::string &word, word_cursor &words, simulate_words &s)
{
    if (word == "qps")
        s.scenario.qps = words.count(word, UINT64_MAX);
    else if (word == "seed")
        s.scenario.seed = words.count(word, UINT64_MAX);
    else if (word == "duration")
        s.duration_ns = words.time(word);
    else if (word == "spread")
        s.spread_ns = words.time(word);
    else if (word == "threads")
        s.threads = static_cast<unsigned>(words.count(word, 1024));
    else if (word == "delay_factor")
        s.delay_factor = static_cast<std::uint32_t>(words.count(word, 4));
    else if (word == "nak_advance_reloads")
        s.retries_reload = words.count(word, 1);
    else if (word == "model")
        s.models.push_back(words.text("a model"));
    else
        return s.picture.read(word, words);
    return true;
}

std::vector<retry::window> all_windows(const std::vector<repeated_window> &given,
                                       std::uint64_t until_ns)
{
    std::vector<retry::window> out;
    for (const repeated_window &w : given) {
        std::uint64_t start = w.first.start_ns;
        do {
            if (out.size() >= most_windows)
                throw failure{"more than a million outages or pauses: a longer `every`"};
            out.push_back({start, w.first.length_ns});
            start = retry::add_time(start, w.every_ns);
        } while (w.every_ns != 0 && start < until_ns);
    }
    return out;
}

// A second after the last thing that happens; ten where nothing does.
std::uint64_t likely_duration(const simulate_words &s)
{
    std::uint64_t last = 0;
    for (const auto *list : {&s.outages, &s.pauses, &s.not_ready})
        for (const repeated_window &w : *list)
            last = std::max(last, w.first.length_ns == retry::never
                                      ? w.first.start_ns
                                      : retry::add_time(w.first.start_ns, w.first.length_ns));
    return last == 0 ? 10 * retry::ns_per_s : retry::add_time(last, retry::ns_per_s);
}

std::vector<retry::model_id> wanted_models(const simulate_words &s, const retry_words &words)
{
    if (s.models.empty())
        return {words.likely_model()};
    std::vector<retry::model_id> out;
    for (const std::string &name : s.models) {
        if (name == "all") {
            for (const retry::model_info &m : retry::models())
                if (m.id != retry::model_id::profile || words.profile)
                    out.push_back(m.id);
            continue;
        }
        const auto id = retry::model_by_name(name);
        if (!id)
            refuse_retry(id.err());
        out.push_back(*id);
    }
    return out;
}

std::string percent(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? "0 %"
                      : adp::format("{:.3g} %",
                                    100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void add_distribution(record &element, const std::string &key, const std::string &label,
                      std::vector<std::uint64_t> &&values)
{
    const retry::distribution d = retry::describe(std::move(values));
    record &object = element.object(key);
    object.data("count", d.count);
    const auto time = [&](const char *name, std::uint64_t ns) {
        object.maybe(name, d.count == 0 ? json{} : ms_of(ns), "none did");
    };
    time("min_ms", d.min);
    time("median_ms", d.median);
    time("p99_ms", d.p99);
    time("max_ms", d.max);
    if (d.count != 0)
        element.line(adp::format("{:<22}min {}, median {}, p99 {}, max {}", label,
                                 retry::format_duration(d.min), retry::format_duration(d.median),
                                 retry::format_duration(d.p99), retry::format_duration(d.max)));
}

// What happened to the first queue pair, from shortly before anything but answers came.
void add_trace(record &element, const retry::scenario &s)
{
    constexpr std::size_t looked_at = 1'000'000;
    constexpr std::size_t before = 4;
    const std::vector<retry::trace_event> all = retry::trace(s, 0, looked_at);
    const auto trouble = std::find_if(all.begin(), all.end(), [](const retry::trace_event &e) {
        return e.kind != retry::trace_event::sent && e.kind != retry::trace_event::acknowledged;
    });
    const auto at = static_cast<std::size_t>(trouble - all.begin());
    const std::size_t first = trouble == all.end() || at < before ? 0 : at - before;
    element.data("trace_skipped", first);
    record::list &rows = element.array(
        "trace", first == 0
                     ? "the first queue pair"
                     : adp::format("the first queue pair, after {} events without trouble", first));
    for (std::size_t i = first; i < std::min(all.size(), first + shown_events); i++) {
        const retry::trace_event &e = all[i];
        record &row = rows.item();
        row.maybe("at_ms", ms_of(e.at_ns), never_reason);
        row.data("event", retry::trace_name(e.kind));
        row.data("resent", e.resent ? 1 : 0);
        row.data("status", e.status);
        row.maybe("timer_ms", e.wait_ns == 0 ? json{} : ms_of(e.wait_ns), "no timer runs");
        std::string text = adp::format("{:>15.6f} ms  {:<13}", static_cast<double>(e.at_ns) / 1e6,
                                       retry::trace_name(e.kind));
        if (e.resent)
            text += "send again, ";
        if (e.status != 0)
            text += adp::format("error, status {}", e.status);
        if (e.status == 0)
            text += e.wait_ns == 0 ? "no timer" : "timer " + retry::format_duration(e.wait_ns);
        row.line(text);
    }
}

void add_tally(record &element, const retry::scenario &s, retry::tally &&t)
{
    element.data("qps", t.qps);
    element.data("seed", s.seed);
    element.maybe("duration_ms", ms_of(s.duration_ns), never_reason);
    element.data("died", t.died);
    element.data("died_share", static_cast<double>(t.died) / static_cast<double>(t.qps));
    element.data("died_rnr", t.died_rnr);
    element.data("unfinished", t.unfinished);
    element.line(adp::format(
        "{:<22}{} of {} ({}){}", "queue pairs that die", t.died, t.qps, percent(t.died, t.qps),
        t.died_rnr == 0 ? "" : adp::format(", {} of them by RNR", t.died_rnr)));
    if (t.unfinished != 0)
        element.line(adp::format("{:<22}{}: no timer runs, or too many events", "without an end",
                                 t.unfinished));
    add_distribution(element, "detection", "error after", std::move(t.detection_ns));
    add_distribution(element, "recovery", "recovery after", std::move(t.recovery_ns));
    element.data("messages", t.messages);
    element.data("transmissions", t.transmissions);
    element.data("retransmissions", t.retransmissions);
    element.data("spurious", t.spurious);
    element.data("bytes_sent", t.bytes_sent);
    element.data("bytes_wasted", t.bytes_wasted);
    element.data("timer_events", t.timer_events);
    element.data("naks", t.naks);
    constexpr const char *no_message = "no message was acknowledged";
    element.maybe("latency_mean_ms",
                  t.messages == 0 ? json{}
                                  : json(static_cast<double>(t.latency_sum_ns) /
                                         static_cast<double>(t.messages) / 1e6),
                  no_message);
    element.maybe("latency_max_ms", t.messages == 0 ? json{} : ms_of(t.latency_max_ns), no_message);
    element.line(adp::format("{:<22}{} messages acknowledged, {} packets", "traffic", t.messages,
                             t.transmissions));
    element.line(adp::format("{:<22}{} packets ({}), {} bytes", "sent again", t.retransmissions,
                             percent(t.retransmissions, t.transmissions), t.bytes_wasted));
    element.line(adp::format("{:<22}{} packets were not lost", "spurious", t.spurious));
    if (t.messages != 0)
        element.line(adp::format("{:<22}mean {}, max {}", "latency",
                                 retry::format_duration(t.latency_sum_ns / t.messages),
                                 retry::format_duration(t.latency_max_ns)));
}

// The shares of queue pairs that have their error, or go on again, within a time.
void add_curves(picture &all, const std::string &model, retry::tally &t)
{
    for (const auto &[values, what] :
         {std::pair{&t.detection_ns, " error"}, {&t.recovery_ns, " recovery"}}) {
        if (values->empty())
            continue;
        std::vector<std::uint64_t> &sorted = *values;
        std::sort(sorted.begin(), sorted.end());
        series line{model + what, {}};
        constexpr std::size_t steps = 200;
        for (std::size_t i = 0; i <= steps; i++) {
            const std::size_t at = std::min(sorted.size() - 1, i * sorted.size() / steps);
            line.points.push_back(
                {static_cast<double>(sorted[at]) / 1e9,
                 static_cast<double>(at + 1) / static_cast<double>(sorted.size())});
        }
        all.lines.push_back(std::move(line));
    }
}

} // namespace

void retry_simulate(run &r)
{
    simulate_words own;
    own.scenario.qps = 1000;
    own.scenario.traffic.gap_ns = retry::ns_per_ms;
    const retry_words words =
        read_retry_words(r, r.args, "retry simulate",
                         [&](const std::string &word, word_cursor &cursor) {
                             return read_path(word, cursor, own) ||
                                    read_traffic(word, cursor, own.scenario.traffic) ||
                                    read_run(word, cursor, own);
                         },
                         {"model", "outage", "dead", "pause", "not_ready"});
    retry::scenario &s = own.scenario;
    s.duration_ns = own.duration_ns.value_or(likely_duration(own));
    s.traffic.start_spread_ns = own.spread_ns.value_or(s.traffic.gap_ns + s.delay.rtt_ns);
    s.outages = all_windows(own.outages, s.duration_ns);
    s.pauses = all_windows(own.pauses, s.duration_ns);
    s.not_ready = all_windows(own.not_ready, s.duration_ns);

    picture curves{"Queue pairs that have an error, or go on again",
                   {"seconds after the outage's start, or its end", true},
                   {"share of queue pairs", false},
                   {}};
    for (const retry::model_id model : wanted_models(own, words)) {
        const retry::model_request request = words.request();
        retry::engine_options options;
        options.adp_enabled = request.adp_enabled;
        options.delay_factor = own.delay_factor;
        options.nak_advance_reloads = own.retries_reload != 0;
        auto config = retry::engine_config::make(model, request.qp, request.profile,
                                                 request.readings, options);
        if (!config)
            refuse_retry(config.err());
        s.config = std::move(*config);
        auto ready = retry::prepare(s);
        if (!ready)
            refuse_retry(ready.err());
        retry::tally t = play_on_threads(*ready, own.threads);

        const std::string name{retry::info(model).name};
        const auto answer = retry::time_to_error(model, request);
        if (!answer)
            refuse_retry(answer.err());
        record &element = r.element(marked_name(*answer));
        if (words.device)
            identify(element, *words.device);
        element.data("model", name);
        element.data("timeout_code", request.qp.timeout);
        element.data("retry_cnt", request.qp.retry_cnt);
        element.line(setting_text(request.qp));
        if (own.picture.wanted())
            add_curves(curves, name, t);
        add_tally(element, *ready, std::move(t));
        std::vector<retry::note> notes = words.notes();
        notes.insert(notes.begin(), answer->notes.begin(), answer->notes.end());
        element.data("notes", notes_of(notes));
        if (r.opt.details > 0) {
            add_trace(element, *ready);
            show_notes(element, notes);
        } else {
            footnotes marks;
            marks.take(*answer);
            marks.show(element);
        }
    }
    own.picture.show(r, curves);
}

} // namespace adp::cli
