// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The parts of one line of a pasted text.
#pragma once

#include "counter/collect.h"

#include <utility>

namespace adp::counter {

std::string_view trimmed(std::string_view s);

// ".../infiniband/mlx5_0/ports/1/hw_counters/NAME", and any tail of it.
struct counter_path {
    std::string dev;
    std::optional<std::uint32_t> port;
    bool at_device = false;
    where from = where::unsaid;
    std::string name; // empty: the folder
};
counter_path read_path(std::string_view path);

enum class path_kind : std::uint8_t {
    none,       // no path of counters
    other_file, // a path below a device, not of a counter
    alone,      // a path
    tail,       // "==> PATH <=="
    with_value, // "PATH:VALUE", "PATH = VALUE", "PATH ! ERROR"
};
path_kind split_path_line(std::string_view line, std::string &path, std::string &text);

// "grep: PATH: Invalid argument"
bool read_tool_error(std::string_view line, std::string &path, std::string &reason);

// "link mlx5_0/1 name value name value", "link mlx5_2/1 cntn 5 pid 31609 comm client.1 name value",
// "link mlx5_0/1 supported optional-counters a,b".
struct link_text {
    std::string dev;
    std::optional<std::uint32_t> port;
    std::optional<std::uint32_t> set;
    std::optional<std::uint32_t> pid;
    std::string comm;
    std::vector<std::pair<std::string, std::string>> values;
    std::vector<std::string> optional_on, optional_known;
    std::string left; // what belongs to nothing
};
bool read_link(std::string_view line, link_text &out);
std::vector<std::uint32_t> read_lqpn(std::string_view line); // "LQPN: <178,179>"

// "Port 1 hw counters:", "[mlx5_0]", a shell prompt or cd with a counters folder in it.
bool read_heading(std::string_view line, counter_path &out);

// "name value", "name: value", "name....:value", "name = value".
bool split_pair(std::string_view line, std::string &name, std::string &text);

// Names alone: one, the columns of ls, a row of ls -l.
std::vector<std::string> read_names(std::string_view line);

bool is_comment(std::string_view line);

} // namespace adp::counter
