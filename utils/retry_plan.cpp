// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp retry plan: from goals to settings, and the commands that make them.
#include "grammar.h"
#include "retry_words.h"

#include "file.h"
#include "profile/format.h"
#include "retry/duration.h"
#include "retry/plan.h"
#include "text/format.h"

#include <algorithm>

namespace adp::cli {

namespace {

struct plan_words {
    retry::goals goals;
    std::string file; // where the first profile goes
    bool floor_given = false;

    bool read(const std::string &word, word_cursor &words);
};

bool plan_words::read(const std::string &word, word_cursor &words)
{
    if (word == "survive")
        goals.survive_ns = words.time(word);
    else if (word == "detect")
        goals.detect_ns = words.time(word);
    else if (word == "rtt")
        goals.rtt_ns = words.time(word);
    else if (word == "pause")
        goals.pause_ns = words.time(word);
    else if (word == "loss")
        goals.loss_ppb = words.share(word);
    else if (word == "file")
        file = words.text("FILE");
    else if (word == "other_vendor")
        goals.mlx5 = false;
    else if (word == "no_profile")
        goals.may_set_profile = false;
    else if (word == "keep_floor")
        goals.may_switch_floor = false;
    else if (word == "floor") {
        const std::string &state = words.text("on, off or unknown");
        if (state != "on" && state != "off" && state != "unknown")
            throw failure{adp::format("floor \"{}\": on, off or unknown", state)};
        goals.floor = state == "on"    ? retry::floor_state::on
                      : state == "off" ? retry::floor_state::off
                                       : retry::floor_state::unknown;
        floor_given = true;
    } else {
        return false;
    }
    return true;
}

// DEV and FILE of a command, where they are known.
std::string with_names(std::string text, const std::string &dev, const std::string &file)
{
    for (const auto &[word, name] : {std::pair{std::string(" DEV"), dev}, {" FILE", file}}) {
        const std::size_t at = name.empty() ? std::string::npos : text.find(word);
        if (at != std::string::npos)
            text.replace(at + 1, word.size() - 1, name);
    }
    return text;
}

void add_proof(record &item, const std::vector<retry::model_answer> &proof)
{
    record::list &rows = item.array("proof");
    for (const retry::model_answer &a : proof) {
        record &row = rows.item();
        row.data("model", retry::info(a.model).name);
        row.maybe("time_to_error_ms", ms_of(a.nominal_ns), never_reason);
        row.maybe("time_to_error_min_ms", ms_of(a.min_ns), never_reason);
        row.maybe("time_to_error_max_ms", ms_of(a.max_ns), never_reason);
        row.maybe("survives_ms", ms_of(a.survives_min_ns), never_reason);
        row.line(adp::format("{:15} error after {}, outlives {}", marked_name(a), answer_text(a),
                             retry::format_duration(a.survives_min_ns)));
    }
}

std::string profile_text(const adp_profile &p)
{
    auto text = profile::format_profile(p, ADP_FORMAT_TOML);
    if (!text)
        refuse_retry(text.err());
    return *text;
}

void add_proposal(record &item, const retry::proposal &p, const std::string &dev,
                  const std::string &file)
{
    item.data("route", retry::route_name(p.how));
    item.data("changes_nothing", p.changes_nothing ? 1 : 0);
    item.data("timeout_code", p.qp.timeout);
    item.data("retry_cnt", p.qp.retry_cnt);
    item.maybe("survives_ms", ms_of(p.survives_ns), never_reason);
    item.maybe("detects_ms", ms_of(p.detects_ns), never_reason);
    item.line(adp::format("timeout {} retry_cnt {}: outlives {}, reports within {}{}", p.qp.timeout,
                          p.qp.retry_cnt, retry::format_duration(p.survives_ns),
                          retry::format_duration(p.detects_ns),
                          p.changes_nothing ? "; the setting is this already" : ""));
    add_proof(item, p.proof);
    if (p.profile) {
        const std::string text = profile_text(*p.profile);
        item.data("profile_toml", text);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            item.line("| " + text.substr(at, end - at));
            at = end + 1;
        }
    } else {
        item.absent("profile_toml", "no profile on this way");
    }
    json commands = json::array();
    for (const std::string &c : p.commands) {
        commands.push_back(with_names(c, dev, file));
        item.line("$ " + with_names(c, dev, file));
    }
    item.data("commands", std::move(commands));
    item.data("notes", notes_of(p.notes));
    show_notes(item, p.notes);
}

// The first proposal's profile.
void write_profile(run &r, const retry::plan &plan, const std::string &file)
{
    for (const retry::proposal &p : plan.proposals) {
        if (!p.profile)
            continue;
        if (file == "-") {
            r.raw = profile_text(*p.profile); // the file is all there is to say
            return;
        }
        if (r.opt.dry_run) {
            r.note(file + ": would be written");
            return;
        }
        if (auto written = os::replace_file(file, profile_text(*p.profile)); !written)
            throw failure{written.err().reason, exit_device};
        r.note(file + ": written");
        return;
    }
    throw failure{adp::format("file {}: no proposal has a profile; nothing was written", file)};
}

} // namespace

void retry_plan(run &r)
{
    plan_words own;
    const retry_words words = read_retry_words(
        r, r.args, "retry plan",
        [&own](const std::string &word, word_cursor &cursor) { return own.read(word, cursor); });
    retry::goals &g = own.goals;
    g.current = words.setting.qp;
    g.readings = words.readings;
    std::string dev;
    if (words.device) {
        dev = words.device->name;
        g.may_set_profile = g.may_set_profile && words.device->profiles;
        if (!own.floor_given)
            g.floor = words.device->floor_off ? retry::floor_state::off : retry::floor_state::on;
    }
    const auto plan = retry::make_plan(g);
    if (!plan)
        refuse_retry(plan.err());
    if (!own.file.empty() && !plan->proposals.empty())
        write_profile(r, *plan, own.file);
    if (!r.raw.empty())
        return;
    record &element = r.element();
    if (words.device)
        identify(element, *words.device);
    record::list &proposals = element.array("proposals", "proposals, the smallest change first");
    for (const retry::proposal &p : plan->proposals)
        add_proposal(proposals.item(retry::route_name(p.how)), p, dev, own.file);
    record::list &conflicts = element.array("conflicts", "goals that conflict");
    for (const retry::conflict &c : plan->conflicts) {
        record &item = conflicts.item();
        item.data("first", c.first);
        item.data("second", c.second);
        item.data("text", c.text);
        item.line(adp::format("{} and {}: {}", c.first, c.second, c.text));
    }
    element.data("notes", notes_of(plan->notes));
    show_notes(element, plan->notes);
    if (plan->proposals.empty())
        r.raise(exit_request);
}

} // namespace adp::cli
