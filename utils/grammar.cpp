// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "grammar.h"

#include "text/format.h"
#include "text/words.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace adp::cli {

namespace {

constexpr command table[] = {
    {"dev", "show", "[ DEV ]", "RDMA devices; with -d what they can do and how they are reached",
     "adp -d dev show sim0", dev_show},

    {"accl", "show", "[ DEV ]", "the ROCE_ACCL register", "adp accl show sim0", accl_show},
    {"accl", "set", "DEV FIELD VALUE [ FIELD VALUE ]... [ for DURATION ]",
     "set fields of the register; with a duration they are restored by themselves",
     "adp accl set sim0 roce_tx_window_en 1", accl_set},
    {"accl", "pending", "[ DEV ]", "temporary settings that are still to be restored",
     "adp accl pending", accl_pending},
    {"accl", "restore", "[ DEV ]", "restore temporary settings now", "adp accl restore",
     accl_restore},
    {"accl", "histogram",
     "DEV [ count_enable 0|1 ] [ clear_on_read 0|1 ] [ time_unit ns|us|100us|ms ] [ bin_num N ] "
     "[ bin_width_mode fixed|double ] [ bin0_width N ] [ bin1_width N ] [ vhca_id N ]",
     "the histogram of retransmission timeouts, or its configuration",
     "adp --sim=preset:full accl histogram sim0", accl_histogram},

    {"profile", "show", "[ DEV ] [ id N ]", "the ADP profile in numbers, words and times",
     "adp profile show sim0", profile_show},
    {"profile", "set", "DEV { file FILE | FIELD VALUE [ FIELD VALUE ]... }",
     "set a profile: check, write, read back, compare",
     "adp -y profile set sim0 time_base 4 time_unit 1 range_num 1 qp_total_timeout 1 "
     "timeout_init_range_size 2 range_size_0 2 timeout_retry_num_0 1 dec_mode_0 1",
     profile_set},
    {"profile", "enable", "DEV", "turn adaptive retransmission on", "adp profile enable sim0",
     profile_enable},
    {"profile", "disable", "DEV", "turn adaptive retransmission off", "adp profile disable sim0",
     profile_disable},
    {"profile", "check", "FILE", "every error and warning of a profile, without a device", "",
     profile_check},
    {"profile", "decode", "[ FILE ]",
     "read what people have: the vendor tool's tables, --set text, hex, TOML, JSON", "",
     profile_decode},
    {"profile", "encode", "FILE { toml | json | hex | mlxreg | mstreg }",
     "write a profile as a file or as a ready command line", "", profile_encode},
    {"profile", "diff", "{ dev DEV | file FILE } { dev DEV | file FILE }",
     "compare two profiles; exit status 3 when they differ", "", profile_diff},
    {"profile", "save", "DEV FILE", "save a device's profile as TOML", "", profile_save},
    {"profile", "restore", "DEV FILE", "set the profile of a saved file", "", profile_restore},

    {"statistic", "show",
     "[ DEV ] [ side requester|responder|unknown ] [ concept WORD ] [ name PATTERN ] [ nonzero ] "
     "[ pma ]",
     "retransmission counters of every driver, by what they mean",
     "adp statistic show sim0 nonzero", statistic_show},
    {"statistic", "watch",
     "[ DEV ] [ interval DURATION ] [ count N ] [ side requester|responder|unknown ] "
     "[ concept WORD ] [ name PATTERN ] [ nonzero ]",
     "what moves: differences and rates, wraps repaired, resets told",
     "adp statistic watch sim0 interval 10ms count 2", statistic_watch},
    {"statistic", "snapshot", "[ DEV ] file FILE [ pma ]",
     "keep all counters with time, boot and device, for diff and compare", "", statistic_snapshot},
    {"statistic", "qp", "[ DEV ] [ lqpn N ] [ pid N ]",
     "counter sets that queue pairs are bound to", "", statistic_qp},
    {"statistic", "mode",
     "[ DEV ] [ auto [ type ] [ pid ] | off | bind LQPN [ set N ] | unbind LQPN set N | "
     "optional NAME,...|none ]",
     "how queue pairs get counter sets of their own, and which optional counters are on", "",
     statistic_mode},
    {"statistic", "describe", "[ NAME ] [ driver DRIVER ]",
     "what a counter means: side, unit, width, gate, source, and what it is not",
     "adp statistic describe local_ack_timeout_err", statistic_describe},
    {"statistic", "diff", "BEFORE AFTER [ dev DEV ]",
     "what moved between two snapshots or listings, FILEs of any form; exit status 3 when "
     "something did",
     "", statistic_diff},
    {"statistic", "compare",
     "requester BEFORE [ AFTER ] [ port PORT ] responder BEFORE [ AFTER ] [ port PORT ]",
     "which end of a connection moved, and what that supports; FILEs of any form; exit status 3 "
     "when something did",
     "", statistic_compare},

    {"flow", "label", "LQPN RQPN", "the symmetric flow label of two QPNs, and its UDP source port",
     "adp flow label 0x21d5e 0x21d60", flow_label},
    {"flow", "sport", "[ label L ] [ lqpn A rqpn B ] [ cm SPORT DPORT [ flowinfo F ] ]",
     "the UDP source port of a flow label, of two QPNs, of an RDMA-CM connection",
     "adp flow sport cm 50000 4420", flow_sport},
    {"flow", "find", "SPORT [ lqpn A rqpn B ] [ ucx_factor F ] [ ucx_paths N ]",
     "flow labels and derivations that give a port", "adp flow find 65472", flow_find},
    {"flow", "plan",
     "qps M paths N [ hash H ] [ seed S ] [ offset O ] [ fields F,... ] [ weights W,... ] "
     "[ stage paths N ... ]... [ src A dst B ] [ ports FIRST-LAST ]",
     "source ports that spread queue pairs evenly", "adp flow plan paths 4 qps 8", flow_plan},
    {"flow", "audit",
     "[ paths N ] [ hash H ] [ seed S ] [ offset O ] [ fields F,... ] [ weights W,... ] "
     "[ src A dst B ] FILE",
     "how flows fall on paths, whether that is worse than chance, and why", "", flow_audit},
    {"flow", "filter", "[ vlan N ] [ host A ]", "a capture filter that misses no RoCEv2 packet",
     "adp flow filter", flow_filter},
    {"flow", "rules", "[ NAME ]", "who gives a packet its source port: drivers and stacks",
     "adp flow rules mlx5", flow_rules},

    {"qp", "show", "[ DEV ] [ lqpn N ] [ pid N ]",
     "queue pairs of the host: owner, source port, what is left of their retry budgets",
     "adp qp show sim0", qp_show},

    {"retry", "explain",
     "{ timeout T | retry_cnt R | rnr_retry N | min_rnr_timer M | NAME=VALUE | STACK }... "
     "[ qp DEV/LQPN ] [ profile FILE ] [ dev DEV ] [ reading NAME=VALUE ]... [ model M ]... "
     "[ outage TIME ]... [ chart ] [ plot FILE ]",
     "how long until a queue pair fails, by each model", "adp retry explain NCCL_IB_TIMEOUT=20",
     retry_explain},
    {"retry", "simulate",
     "[ SETTING ]... [ profile FILE ] [ dev DEV ] [ reading NAME=VALUE ]... [ model M ]... "
     "[ outage TIME [ at TIME ] [ every TIME ] ]... [ dead [ at TIME ] ] "
     "[ pause TIME [ at TIME ] [ every TIME ] ]... [ not_ready TIME [ at TIME ] [ every TIME ] "
     "]... "
     "[ loss P ] [ burst P length N ] [ rtt TIME ] [ jitter TIME [ tail ] ] [ qps N ] [ seed N ] "
     "[ duration TIME ] [ gap TIME ] [ spread TIME ] [ messages N ] [ packets N ] [ bytes N ] "
     "[ delay_factor N ] [ nak_advance_reloads 0|1 ] [ threads N ] [ chart ] [ plot FILE ]",
     "many queue pairs against outages, loss, delay and pauses",
     "adp retry simulate nccl outage 50ms at 1s qps 100", retry_simulate},
    {"retry", "cm", "ca_ack_delay N [ ack_timeout M ] [ kernel old|new ]",
     "the timeout that RDMA-CM gives a queue pair", "adp retry cm ca_ack_delay 16", retry_cm},
    {"retry", "plan",
     "{ survive TIME | detect TIME | rtt TIME | pause TIME | loss P }... [ SETTING ]... [ dev DEV "
     "] "
     "[ file FILE ] [ floor on|off|unknown ] [ keep_floor ] [ no_profile ] [ other_vendor ]",
     "settings that meet these goals, and goals that conflict", "adp retry plan survive 10s",
     retry_plan},
    {"retry", "compare", "SETTING SETTING",
     "two settings side by side; exit status 3 when they differ", "", retry_compare},
    {"retry", "calibrate",
     "DEV [ SETTING ]... [ profile FILE ] [ reading NAME=VALUE ]... [ model M ]",
     "the device's histogram of timeouts against a model: by which factor timers are late",
     "adp --sim=preset:full retry calibrate sim0", retry_calibrate},
    {"retry", "decode", "{ TEXT | - }", "what an RDMA error means: status, syndrome, a pasted log",
     "adp retry decode status 12 vendor 0x81", retry_decode},
    {"retry", "readings", "",
     "what the vendor's text leaves open, the knob for each, and its default", "adp retry readings",
     retry_readings},

    {"apply", "run", "[ DEV ] [ config FOLDER ]",
     "give devices what /etc/adp/adp.toml says; \"adp apply DEV\" means the same", "", apply_run,
     true},
    {"apply", "check", "[ config FOLDER ]",
     "every error in /etc/adp/adp.toml and what it names, without a device", "", apply_check},

    {"export", "show", "[ DEV ] [ file FILE ] [ pma ]",
     "the counters as OpenMetrics text, for a scraper or node_exporter's textfile collector",
     "adp export sim0", export_show},

    {"report", "show", "[ DEV ] [ file FILE ]",
     "what a bug report needs, as one file that can be replayed with --sim=FILE", "adp report sim0",
     report_show, true},
    {"report", "unpack", "FILE FOLDER",
     "write what sysfs showed of a report's devices as a tree for ADP_SYSFS_ROOT", "",
     report_unpack},
};

constexpr option option_rows[] = {
    {"-j", "--json", "", "JSON: one array of objects"},
    {"-p", "--pretty", "", "JSON, indented"},
    {"-d", "--details", "", "more; twice: trace what passes to and from the firmware"},
    {"-n", "--dry-run", "", "show what would be written and write nothing"},
    {"-y", "--yes", "", "yes to what would be asked"},
    {"-f", "--force", "", "allow profiles that break a rule, and paths that taint the kernel"},
    {"", "--sim", "[=STATEFILE]", "simulated devices; kept in the file, or for this run only"},
    {"", "--via", "PATH", "access path: auto, fwctl, devx, mstreg, sim"},
    {"-V", "--version", "", "version"},
    {"-h", "--help", "", "help"},
};

std::string join(const std::vector<std::string_view> &words)
{
    return adp::format("{}", fmt::join(words, ", "));
}

// The one known word that equals or begins with the given one.
std::string_view resolve(std::string_view word, const std::vector<std::string_view> &known,
                         std::string_view kind, std::string_view context)
{
    std::vector<std::string_view> candidates;
    for (const std::string_view k : known) {
        if (k == word)
            return k;
        if (!word.empty() && k.substr(0, word.size()) == word)
            candidates.push_back(k);
    }
    if (candidates.size() == 1)
        return candidates.front();
    if (candidates.size() > 1)
        throw failure{
            adp::format("{}{} \"{}\": could be {}", context, kind, word, join(candidates))};
    const std::string_view near = nearest(word, known);
    throw failure{adp::format("{}{} \"{}\": unknown{}\n  one of {}", context, kind, word,
                              near.empty() ? "" : adp::format(", \"{}\" perhaps", near),
                              join(known))};
}

std::vector<std::string_view> names_of(std::string_view object)
{
    std::vector<std::string_view> names;
    for (const command &c : table)
        if (c.object == object)
            names.push_back(c.name);
    return names;
}

const command &find(std::string_view object, std::string_view name)
{
    return *std::find_if(std::begin(table), std::end(table),
                         [&](const command &c) { return c.object == object && c.name == name; });
}

} // namespace

std::span<const command> commands()
{
    return table;
}

std::span<const option> option_table()
{
    return option_rows;
}

std::vector<std::string_view> objects()
{
    std::vector<std::string_view> names;
    for (const command &c : table)
        if (names.empty() || names.back() != c.object)
            names.push_back(c.object);
    return names;
}

const command &dispatch(std::vector<std::string> &words)
{
    const std::string_view object = resolve(words.front(), objects(), "object", "");
    words.erase(words.begin());
    const std::vector<std::string_view> names = names_of(object);
    // An object with one command takes its arguments at once.
    const command &first = find(object, names.front());
    const auto is_command = [&] {
        return std::find(names.begin(), names.end(), words.front()) != names.end();
    };
    if (words.empty() || ((names.size() == 1 || first.at_once) && !is_command()))
        return first;
    const std::string_view name =
        resolve(words.front(), names, "command", std::string{object} + ": ");
    words.erase(words.begin());
    return find(object, name);
}

std::string help(std::string_view object, std::string_view name)
{
    std::string text;
    if (object.empty()) {
        text = "Usage: adp [ OPTIONS ] OBJECT [ COMMAND ] [ ARGUMENTS ]\n"
               "       adp help [ OBJECT [ COMMAND ] ]\n\n"
               "OPTIONS\n";
        for (const option &o : option_rows)
            text += adp::format(
                "  {:2}{} {:20} {}\n", o.letter, o.letter.empty() ? " " : ",",
                adp::format("{}{}{}", o.word, o.word == "--via" ? " " : "", o.argument), o.summary);
        text += "\nOBJECT COMMAND\n";
    }
    for (const command &c : table) {
        if ((!object.empty() && c.object != object) || (!name.empty() && c.name != name))
            continue;
        text += adp::format("  adp {} {} {}\n      {}\n", c.object, c.name, c.arguments, c.summary);
        if (!name.empty() && !c.example.empty())
            text += adp::format("\n      {}\n", c.example);
    }
    if (object.empty())
        text += "\nDEV: a name (mlx5_0), a PCI address, a netdev, a list a,b, a pattern mlx5_*, or "
                "all\n"
                "Manual: adp(8), adp-profile(8). Not verified on hardware.\n";
    return text;
}

json grammar_json()
{
    json all;
    for (const option &o : option_rows)
        all["options"].push_back({{"letter", o.letter},
                                  {"word", o.word},
                                  {"argument", o.argument},
                                  {"summary", o.summary}});
    for (const command &c : table)
        all["commands"].push_back({{"object", c.object},
                                   {"command", c.name},
                                   {"arguments", c.arguments},
                                   {"summary", c.summary},
                                   {"example", c.example}});
    return all;
}

} // namespace adp::cli
