// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The one table of the command line: dispatch, help, completion and the manual's synopsis are all
// read from it.
#pragma once

#include "command.h"

#include <span>
#include <string_view>

namespace adp::cli {

struct command {
    std::string_view object;
    std::string_view name; // the first of an object is its default
    std::string_view arguments;
    std::string_view summary;
    std::string_view example; // runs with --sim; "" where there is none
    void (*execute)(run &);
    // Its arguments may follow the object at once, though the object has other commands.
    bool at_once = false;
};

struct option {
    std::string_view letter; // "-j"
    std::string_view word;   // "--json"
    std::string_view argument;
    std::string_view summary;
};

std::span<const command> commands();
std::span<const option> option_table();
std::vector<std::string_view> objects();

// Finds object and command of the words and takes them off; throws failure with the candidates.
// Unique prefixes are accepted.
const command &dispatch(std::vector<std::string> &words);

// Help about everything, an object, or a command.
std::string help(std::string_view object, std::string_view name);
// The table as JSON, for the completion and the manual.
json grammar_json();

// The commands, one file per object.
void dev_show(run &);
void accl_show(run &);
void accl_set(run &);
void accl_pending(run &);
void accl_restore(run &);
void accl_histogram(run &);
void profile_show(run &);
void profile_set(run &);
void profile_enable(run &);
void profile_disable(run &);
void profile_check(run &);
void profile_decode(run &);
void profile_encode(run &);
void profile_diff(run &);
void profile_save(run &);
void profile_restore(run &);
void flow_label(run &);
void flow_sport(run &);
void flow_find(run &);
void flow_plan(run &);
void flow_audit(run &);
void flow_filter(run &);
void flow_rules(run &);
void qp_show(run &);
void retry_explain(run &);
void retry_simulate(run &);
void retry_cm(run &);
void retry_plan(run &);
void retry_calibrate(run &);
void retry_compare(run &);
void retry_decode(run &);
void retry_readings(run &);
void apply_run(run &);
void apply_check(run &);
void statistic_describe(run &);
void statistic_diff(run &);
void statistic_compare(run &);
void statistic_show(run &);
void statistic_watch(run &);
void statistic_snapshot(run &);
void statistic_qp(run &);
void statistic_mode(run &);
void export_show(run &);
void report_show(run &);
void report_unpack(run &);

} // namespace adp::cli
