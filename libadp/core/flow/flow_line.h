// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One line of flow text. Private to this folder.
#pragma once

#include "flow/flow_list.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp::flow {

enum class column : std::uint8_t { other, lqpn, rqpn, sport, label, src, dst, type, affinity };

// A word of the line formats or of JSON, or nullopt. "other": known, but of no use here.
std::optional<column> column_of(std::string_view word);
// All of them.
std::vector<std::string_view> line_words();
// Words for a value that is not there.
bool absent(std::string_view value);

// What one line says, before checks across its parts.
struct flow_line {
    flow_record record;
    std::optional<address> src;
    std::optional<address> dst;
    bool lqpn = false; // given
    bool rqpn = false;
    bool typed = false;      // by hand: a port below the usual range is taken for a slip
    bool queue_pair = false; // of a listing of queue pairs, which has those without a peer too
    bool ignored = false;    // not a flow
    std::string reason;      // not empty: in error

    void fail(std::string why)
    {
        if (reason.empty())
            reason = std::move(why);
    }
};

std::optional<std::uint64_t> parse_number(std::string_view text);

// Puts a value into the line, or makes it fail.
void set_number(flow_line &line, column where, std::uint64_t value);
void set_text(flow_line &line, column where, std::string_view text);

// Fills in the port and checks that there is a flow; false: ignored or failed.
bool finish(flow_line &line);

// Splits at white space and commas into tokens (cleared first).
void split(std::string_view text, std::vector<std::string_view> &tokens);

// The table of `adp qp`: a heading, a line a queue pair, and indented lines of details.
struct qp_table {
    std::vector<column> columns; // empty: no heading was seen
    std::size_t comm = 0;        // the column whose value can have blanks in it
};
// Of its heading; nullopt: the line is none.
std::optional<qp_table> parse_heading(const std::vector<std::string_view> &tokens);
void parse_row(const std::vector<std::string_view> &tokens, const qp_table &table, flow_line &line);

// tokens of one line that is not tcpdump's; header: columns from a comment, or empty.
void parse_tokens(const std::vector<std::string_view> &tokens, const std::vector<column> &header,
                  flow_line &line);
// A line with " > " in it.
void parse_tcpdump(std::string_view text, flow_line &line);

} // namespace adp::flow
