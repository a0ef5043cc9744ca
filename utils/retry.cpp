// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp retry: how long until a queue pair fails, and what to set. Models only; no device is asked.
#include "grammar.h"
#include "words.h"

#include "register/text.h"
#include "retry/compare.h"
#include "retry/decode.h"
#include "retry/duration.h"
#include "retry/encoding.h"
#include "retry/engine.h"
#include "retry/plan.h"
#include "retry/schedule.h"
#include "retry/stack_words.h"
#include "retry/traps.h"

#include <algorithm>
#include <fmt/format.h>

namespace adp::cli {

namespace {

[[noreturn]] void refuse(const error &e)
{
    throw failure{e.reason + (e.remedy.empty() ? "" : "\n  " + e.remedy)};
}

std::uint64_t time_word(const run &r, std::size_t i, const std::string &command,
                        const std::string &what)
{
    auto ns = retry::parse_duration(need(r, i, command, "a time for " + what));
    if (!ns)
        throw failure{fmt::format("{} \"{}\": {}", what, r.args[i], ns.err().reason)};
    return *ns;
}

json ms(std::uint64_t ns)
{
    return ns == retry::never ? json{} : json(static_cast<double>(ns) / 1e6);
}

json note_texts(const std::vector<retry::note> &notes)
{
    json list = json::array();
    for (const retry::note &n : notes)
        list.push_back({{"trap", retry::trap_name(n.what)}, {"text", n.text}});
    return list;
}

adp_profile profile_file(const std::string &file)
{
    auto parsed = reg::parse_text(read_input(file));
    if (!parsed)
        throw failure{fmt::format("{}: {}", file, parsed.err().reason)};
    adp_profile p = parsed->accl.profile;
    p.fields = parsed->accl.fields & reg::profile_fields();
    return p;
}

// A setting in anybody's words, with the profile where one is named.
struct request_words {
    retry::setting_reading setting;
    std::optional<adp_profile> profile;

    retry::model_request request() const
    {
        retry::model_request m;
        m.qp = setting.qp;
        m.profile = profile ? &*profile : nullptr;
        return m;
    }
};

request_words read_words(const std::vector<std::string> &words)
{
    request_words out;
    std::vector<std::string_view> rest;
    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i] == "profile") {
            if (i + 1 >= words.size())
                throw failure{"profile: FILE is missing"};
            out.profile = profile_file(words[++i]);
        } else {
            rest.emplace_back(words[i]);
        }
    }
    auto setting = retry::read_setting(rest);
    if (!setting)
        refuse(setting.err());
    out.setting = std::move(*setting);
    return out;
}

std::string range_text(const retry::model_answer &a)
{
    if (a.nominal_ns == retry::never)
        return "never";
    std::string text = retry::format_duration(a.nominal_ns);
    if (a.min_ns != a.nominal_ns || a.max_ns != a.nominal_ns)
        text += fmt::format(" ({} .. {})", retry::format_duration(a.min_ns),
                            retry::format_duration(a.max_ns));
    return text;
}

void add_answer(record &element, const retry::model_answer &a)
{
    element.data("model", retry::info(a.model).name);
    element.data("timeout_code", a.qp.timeout);
    element.data("retry_cnt", a.qp.retry_cnt);
    element.data("time_to_error_ms", ms(a.nominal_ns));
    element.data("time_to_error_min_ms", ms(a.min_ns));
    element.data("time_to_error_max_ms", ms(a.max_ns));
    element.data("transmissions", a.transmissions == retry::never ? json{} : json(a.transmissions));
    element.data("survives_ms", ms(a.survives_ns));
}

void show_notes(record &element, const std::vector<retry::note> &notes)
{
    for (const retry::note &n : notes)
        element.line("note: " + n.text);
}

void add_schedule(record &element, const retry::model_request &request, retry::model_id model)
{
    auto config = retry::engine_config::make(model, request.qp, request.profile, request.readings);
    if (!config)
        return;
    const retry::schedule s = retry::make_schedule(*config, retry::middle_exponent(*config), 64);
    record::list &rows = element.array("schedule", "wait         times   after        then");
    for (const retry::schedule_row &row : s.rows) {
        record &item = rows.item();
        item.data("kind", retry::kind_name(row.kind));
        item.data("wait_ms", ms(row.wait_ns));
        item.data("count", row.count == retry::never ? json{} : json(row.count));
        item.data("last_ms", ms(row.last_ns));
        item.data("error", row.error ? 1 : 0);
        item.line(fmt::format("{:<12} {:<7} {:<12} {}", retry::format_duration(row.wait_ns),
                              row.count == retry::never ? "-" : std::to_string(row.count),
                              retry::format_duration(row.last_ns),
                              row.error ? "error" : "send again"));
    }
}

// "timeout=14,retry_cnt=7": a setting in one word.
std::vector<std::string> at_commas(const std::string &text)
{
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

std::string setting_text(const retry::qp_setting &qp)
{
    return fmt::format("timeout {} ({}), retry_cnt {}, rnr_retry {}, min_rnr_timer {}", qp.timeout,
                       retry::format_duration(retry::ack_timeout_ns(qp.timeout)), qp.retry_cnt,
                       qp.rnr_retry, qp.min_rnr_timer);
}

} // namespace

void retry_explain(run &r)
{
    if (r.args.empty())
        throw failure{"retry explain: a setting is missing: timeout T retry_cnt R, "
                      "NCCL_IB_TIMEOUT=20, ucx, ..."};
    const request_words words = read_words(r.args);
    const retry::model_request request = words.request();
    auto answers = retry::all_models(request);
    if (!answers)
        refuse(answers.err());
    std::vector<retry::note> common = words.setting.notes;
    for (const retry::word_reading &w : words.setting.words)
        common.insert(common.end(), w.notes.begin(), w.notes.end());
    const std::vector<retry::note> hidden = retry::traps(request.qp);
    common.insert(common.end(), hidden.begin(), hidden.end());
    bool first = true;
    for (const retry::model_answer &a : *answers) {
        record &element = r.element();
        if (first) {
            element.line(setting_text(request.qp));
            show_notes(element, common);
        }
        first = false;
        add_answer(element, a);
        std::vector<retry::note> notes = a.notes;
        notes.insert(notes.end(), common.begin(), common.end());
        element.data("notes", note_texts(notes));
        element.line(fmt::format("{:15} {:32} {}", retry::info(a.model).name, range_text(a),
                                 a.transmissions == retry::never
                                     ? ""
                                     : fmt::format("{} transmissions", a.transmissions)));
        if (r.opt.details > 0) {
            element.line(
                fmt::format("  {}; {}", retry::info(a.model).rule, retry::info(a.model).source));
            for (const retry::note &n : a.notes)
                element.line("  " + n.text);
            add_schedule(element, request, a.model);
        }
    }
    if (words.setting.by_field && !r.opt.json) {
        record &element = r.element();
        element.line("what the bare fields would make of it: " +
                     setting_text(*words.setting.by_field));
    }
}

void retry_cm(run &r)
{
    std::optional<unsigned> delay, option;
    auto kernel = retry::cm_kernel::new_lifetime;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        if (word == "ca_ack_delay")
            delay = static_cast<unsigned>(number(need(r, ++i, "retry cm", word), 31, word));
        else if (word == "ack_timeout")
            option = static_cast<unsigned>(number(need(r, ++i, "retry cm", word), 31, word));
        else if (word == "kernel") {
            const std::string &age = need(r, ++i, "retry cm", "old or new");
            if (age != "old" && age != "new")
                throw failure{fmt::format("kernel \"{}\": old or new", age)};
            kernel = age == "old" ? retry::cm_kernel::old_lifetime : retry::cm_kernel::new_lifetime;
        } else
            throw failure{fmt::format("retry cm: \"{}\": unknown\n  adp help retry cm", word)};
    }
    if (!delay)
        throw failure{"retry cm: ca_ack_delay N is missing (ibv_devinfo -v shows it)"};
    retry::model_request request;
    request.qp.timeout = retry::cm_timeout(*delay, kernel, option);
    auto answer = retry::time_to_error(retry::model_id::nominal, request);
    if (!answer)
        refuse(answer.err());
    record &element = r.element();
    element.add("timeout_code", request.qp.timeout, "timeout code",
                fmt::format("{} ({})", request.qp.timeout,
                            retry::format_duration(retry::ack_timeout_ns(request.qp.timeout))));
    element.add("time_to_error_ms", ms(answer->nominal_ns), "time to error",
                fmt::format("{} (nominal, retry_cnt 7)", range_text(*answer)));
}

void retry_plan(run &r)
{
    retry::goals g;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        if (word == "survive")
            g.survive_ns = time_word(r, ++i, "retry plan", word);
        else if (word == "detect")
            g.detect_ns = time_word(r, ++i, "retry plan", word);
        else if (word == "rtt")
            g.rtt_ns = time_word(r, ++i, "retry plan", word);
        else if (word == "pause")
            g.pause_ns = time_word(r, ++i, "retry plan", word);
        else
            throw failure{
                fmt::format("retry plan: \"{}\": survive, detect, rtt or pause is expected", word)};
    }
    auto plan = retry::make_plan(g);
    if (!plan)
        refuse(plan.err());
    record &element = r.element();
    record::list &proposals = element.array("proposals", "proposals, the smallest change first");
    for (const retry::proposal &p : plan->proposals) {
        record &item = proposals.item(retry::route_name(p.how));
        item.data("route", retry::route_name(p.how));
        item.data("timeout_code", p.qp.timeout);
        item.data("retry_cnt", p.qp.retry_cnt);
        item.data("survives_ms", ms(p.survives_ns));
        item.data("detects_ms", ms(p.detects_ns));
        item.data("commands", p.commands);
        item.data("notes", note_texts(p.notes));
        item.line(fmt::format("timeout {} retry_cnt {}: survives {}, reports within {}",
                              p.qp.timeout, p.qp.retry_cnt, retry::format_duration(p.survives_ns),
                              retry::format_duration(p.detects_ns)));
        for (const std::string &c : p.commands)
            item.line("$ " + c);
        show_notes(item, p.notes);
    }
    record::list &conflicts = element.array("conflicts", "goals that conflict");
    for (const retry::conflict &c : plan->conflicts) {
        record &item = conflicts.item();
        item.data("first", c.first);
        item.data("second", c.second);
        item.data("text", c.text);
        item.line(fmt::format("{} and {}: {}", c.first, c.second, c.text));
    }
    element.data("notes", note_texts(plan->notes));
    show_notes(element, plan->notes);
    if (plan->proposals.empty())
        r.raise(exit_request);
}

void retry_compare(run &r)
{
    const request_words a = read_words(at_commas(need(r, 0, "retry compare", "a setting"))),
                        b = read_words(at_commas(need(r, 1, "retry compare", "a second setting")));
    no_more(r, 2, "retry compare");
    auto rows = retry::compare(a.request(), b.request());
    if (!rows)
        refuse(rows.err());
    for (const retry::comparison &c : *rows) {
        record &element = r.element();
        element.data("model", retry::info(c.a.model).name);
        element.data("a_ms", ms(c.a.nominal_ns));
        element.data("b_ms", ms(c.b.nominal_ns));
        element.data("ratio", c.ratio_milli == retry::never
                                  ? json{}
                                  : json(static_cast<double>(c.ratio_milli) / 1000));
        element.line(
            fmt::format("{:15} {:28} -> {:28} {}", retry::info(c.a.model).name, range_text(c.a),
                        range_text(c.b),
                        c.ratio_milli == retry::never
                            ? ""
                            : fmt::format("x {:.3g}", static_cast<double>(c.ratio_milli) / 1000)));
        if (c.a.nominal_ns != c.b.nominal_ns)
            r.raise(exit_differs);
    }
}

void retry_decode(run &r)
{
    std::string text;
    if (r.args.empty() || r.args[0] == "-") {
        text = read_input("-");
    } else {
        for (const std::string &word : r.args)
            text += (text.empty() ? "" : " ") + word;
    }
    const retry::decoded_text found = retry::decode(text);
    for (std::size_t i = 0; i < found.errors.size(); i++) {
        const retry::decoded_error &e = found.errors[i];
        record &element = r.element(e.name.empty() ? e.source : e.name);
        const auto code = [&element](const char *key, const std::optional<std::uint32_t> &v) {
            element.data(key, v ? json(*v) : json{});
        };
        element.data("name", e.name);
        code("status", e.status);
        code("vendor", e.vendor);
        code("syndrome", e.syndrome);
        code("fw_status", e.fw_status);
        code("fw_syndrome", e.fw_syndrome);
        element.add("class", retry::error_class_name(e.kind), "class");
        element.add("role", retry::error_role_name(e.role), "role");
        element.data("root", found.root == i ? 1 : 0);
        element.add("meaning", e.meaning, "meaning");
        element.data("timeouts_help", e.timeouts_help ? 1 : 0);
        element.data("next", e.next);
        element.data("source", e.source);
        element.data("notes", e.notes);
        for (const std::string &n : e.next)
            element.line("next: " + n);
        for (const std::string &n : e.notes)
            element.line("note: " + n);
    }
    if (!r.opt.json || found.errors.empty())
        r.note(found.summary);
}

} // namespace adp::cli
