// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp retry explain: one setting under each model.
#include "grammar.h"
#include "retry_picture.h"
#include "retry_words.h"

#include "retry/compare.h"
#include "retry/duration.h"
#include "retry/engine.h"
#include "retry/schedule.h"
#include "text/format.h"

#include <algorithm>

namespace adp::cli {

namespace {

constexpr std::size_t shown_rows = 64;
constexpr std::size_t drawn_rows = 4096;

struct explain_words {
    std::vector<std::string> models;
    std::vector<std::uint64_t> outages;
    picture_words picture;
};

std::optional<retry::schedule> schedule_of(const retry::model_request &request,
                                           retry::model_id model, std::size_t rows)
{
    retry::engine_options options;
    options.adp_enabled = request.adp_enabled;
    auto config =
        retry::engine_config::make(model, request.qp, request.profile, request.readings, options);
    if (!config)
        return std::nullopt;
    return retry::make_schedule(*config, retry::middle_exponent(*config), rows);
}

void add_schedule(record &element, const retry::schedule &s)
{
    record::list &rows = element.array("schedule", "wait         times   after        then");
    for (const retry::schedule_row &row : s.rows) {
        record &item = rows.item();
        item.data("kind", retry::kind_name(row.kind));
        item.maybe("wait_ms", ms_of(row.wait_ns), never_reason);
        item.maybe("count", row.count == retry::never ? json{} : json(row.count), "without end");
        item.maybe("first_ms", ms_of(row.first_ns), never_reason);
        item.maybe("last_ms", ms_of(row.last_ns), never_reason);
        item.data("error", row.error ? 1 : 0);
        item.maybe("copies", row.copies == retry::never ? json{} : json(row.copies), "without end");
        // Default firmware sends a last copy with the expiry that ends it.
        const bool copy_too = row.copies == row.count || row.count > 1;
        item.line(adp::format("{:<12} {:<7} {:<12} {}", retry::format_duration(row.wait_ns),
                              row.count == retry::never ? "-" : std::to_string(row.count),
                              retry::format_duration(row.last_ns),
                              !row.error ? "send again"
                              : copy_too ? "send again, error"
                                         : "error"));
    }
    element.data("schedule_cut", s.cut ? 1 : 0);
    if (s.cut)
        element.line(adp::format("  ... and more than {} rows follow", s.rows.size()));
}

// Each wait over the time at which it begins; the last one reaches to its end.
void add_line(picture &all, const std::string &name, const retry::schedule &s)
{
    series line{name, {}};
    for (const retry::schedule_row &row : s.rows) {
        const double wait = static_cast<double>(row.wait_ns) / 1e6;
        const auto begin = static_cast<double>(row.first_ns - row.wait_ns) / 1e6;
        line.points.push_back({begin > 0 ? begin : wait / 2, wait});
        if (row.last_ns != retry::never)
            line.points.push_back({static_cast<double>(row.last_ns) / 1e6, wait});
    }
    if (!line.points.empty())
        all.lines.push_back(std::move(line));
}

void add_outages(record &element, const retry::outage_report &report,
                 const std::vector<std::uint64_t> &outages)
{
    record::list &rows = element.array("outages");
    for (std::size_t i = 0; i < outages.size(); i++) {
        const char *const verdict = retry::verdict_name(report.verdicts[i]);
        record &item = rows.item();
        item.maybe("outage_ms", ms_of(outages[i]), never_reason);
        item.data("verdict", verdict);
        item.line(adp::format("outage {}: {}", retry::format_duration(outages[i]), verdict));
    }
}

void add_answer(record &element, const retry::model_answer &a)
{
    const std::string_view name = retry::info(a.model).name;
    element.data("model", name);
    element.data("timeout_code", a.qp.timeout);
    element.data("retry_cnt", a.qp.retry_cnt);
    element.maybe("time_to_error_ms", ms_of(a.nominal_ns), never_reason);
    element.maybe("time_to_error_min_ms", ms_of(a.min_ns), never_reason);
    element.maybe("time_to_error_max_ms", ms_of(a.max_ns), never_reason);
    element.maybe("transmissions", a.transmissions == retry::never ? json{} : json(a.transmissions),
                  "without end");
    element.maybe("survives_ms", ms_of(a.survives_min_ns), never_reason);
    element.maybe("survives_nominal_ms", ms_of(a.survives_ns), never_reason);
    element.line(adp::format(
        "{:15} {:32} {}", marked_name(a), answer_text(a),
        a.transmissions == retry::never ? "" : adp::format("{} transmissions", a.transmissions)));
}

bool wanted(const explain_words &own, const retry::model_answer &a)
{
    const std::string_view name = retry::info(a.model).name;
    return own.models.empty() ||
           std::find(own.models.begin(), own.models.end(), name) != own.models.end();
}

std::string device_text(const retry_device &d)
{
    const std::string profile =
        d.profile_id == 0 ? "the firmware's own timeouts" : adp::format("profile {}", d.profile_id);
    return adp::format("{} ({}{}): {}, adaptive retransmission {}, timeout floor {}: follows {}",
                       d.name, d.path, d.simulated ? ", simulated" : "", profile,
                       d.adp_enabled ? "on" : "off", d.floor_off ? "off" : "on",
                       retry::info(d.follows()).name);
}

} // namespace

void retry_explain(run &r)
{
    if (r.args.empty())
        throw failure{"retry explain: a setting is missing: timeout T retry_cnt R, "
                      "NCCL_IB_TIMEOUT=20, ucx, ..."};
    explain_words own;
    const retry_words words =
        read_retry_words(r, r.args, "retry explain",
                         [&own](const std::string &word, word_cursor &cursor) {
                             if (word == "model") {
                                 const auto id = retry::model_by_name(cursor.text("a model"));
                                 if (!id)
                                     refuse_retry(id.err());
                                 own.models.emplace_back(retry::info(*id).name);
                                 return true;
                             }
                             if (word == "outage") {
                                 own.outages.push_back(cursor.time(word));
                                 return true;
                             }
                             return own.picture.read(word, cursor);
                         },
                         {"model", "outage"});
    const retry::model_request request = words.request();
    auto answers = retry::all_models(request);
    if (!answers)
        refuse_retry(answers.err());
    if (!request.profile &&
        std::find(own.models.begin(), own.models.end(), "profile") != own.models.end())
        throw failure{"model profile: needs profile FILE, or dev DEV with a profile"};
    const std::vector<retry::note> common = words.notes();
    picture all{"Timer of the oldest packet while nothing comes back",
                {"ms since the first send", true},
                {"timer, ms", true},
                {}};
    const auto outages = retry::judge_outages(request, own.outages);
    if (!outages)
        refuse_retry(outages.err());
    bool first = true;
    footnotes marks;
    record *last = nullptr;
    for (std::size_t i = 0; i < answers->size(); i++) {
        const retry::model_answer &a = (*answers)[i];
        const retry::outage_report &report = (*outages)[i]; // in the same order
        if (!wanted(own, a))
            continue;
        const std::string name{retry::info(a.model).name};
        record &element = r.element();
        if (first) {
            if (words.device)
                element.line(device_text(*words.device));
            element.line(setting_text(request.qp));
            show_notes(element, common);
        }
        first = false;
        if (words.device) {
            identify(element, *words.device);
            element.data("follows", words.device->follows() == a.model ? 1 : 0);
        }
        add_answer(element, a);
        last = &element;
        std::vector<retry::note> notes = a.notes;
        if (!own.outages.empty())
            notes.insert(notes.end(), report.notes.begin(), report.notes.end());
        notes.insert(notes.end(), common.begin(), common.end());
        element.data("notes", notes_of(notes));
        if (!own.outages.empty())
            add_outages(element, report, own.outages);
        if (r.opt.details > 0) {
            element.line(
                adp::format("  {}; {}", retry::info(a.model).rule, retry::info(a.model).source));
            show_notes(element, a.notes, "  "); // the footnotes are among them
            if (const auto s = schedule_of(request, a.model, shown_rows))
                add_schedule(element, *s);
        } else {
            marks.take(a);
        }
        if (own.picture.wanted())
            if (const auto s = schedule_of(request, a.model, drawn_rows))
                add_line(all, name, *s);
    }
    if (last != nullptr)
        marks.show(*last);
    if (words.setting.by_field && !r.opt.json) {
        record &element = r.element();
        element.line("what the bare fields would make of it: " +
                     setting_text(*words.setting.by_field));
    }
    own.picture.show(r, all);
}

} // namespace adp::cli
