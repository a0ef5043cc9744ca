// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the statistic commands share: files of counters in, words for numbers out.
#pragma once

#include "command.h"

#include "counter/delta.h"

#include <string>
#include <string_view>

namespace adp::cli {

// A file of any form that counter::parse_snapshot() reads ("-": standard input). Throws failure with
// the file's name; what was doubtful in it is said on stderr.
counter::snapshot read_counters(const run &r, const std::string &file);

// "mlx5_0/1 (pf0vf0)": a port as people know it.
std::string port_heading(const counter::port_counters &p);

// "1 234 567": digits that can be counted.
std::string grouped(std::uint64_t n);
// "+6 events", ">= +6 events"
std::string delta_text(std::uint64_t delta, bool at_least, counter::unit u);
// "1.2 M/s"
std::string rate_text(double per_second);

// Keys of a counter's description that every element about a counter has.
void add_description(record &item, const counter::description &d);

} // namespace adp::cli
