// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The forms a line can have.
#include "flow/derivation.h"
#include "flow/flow_line.h"
#include "text/format.h"
#include "text/words.h"

#include <algorithm>

namespace adp::flow {

namespace {

// "10.0.0.1:49152", "[fd00::1]:49152"
struct end_point {
    address addr;
    std::uint16_t port;
};

std::optional<std::uint16_t> parse_port(std::string_view text)
{
    const std::optional<std::uint64_t> n = parse_number(text);
    if (!n || *n > 0xffff)
        return std::nullopt;
    return static_cast<std::uint16_t>(*n);
}

std::optional<end_point> parse_end_point(std::string_view text)
{
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    std::string_view host = text.substr(0, colon);
    if (host.size() > 1 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        return std::nullopt; // an IPv6 address alone
    const std::optional<address> addr = parse_address(host);
    const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1));
    if (!addr || !port)
        return std::nullopt;
    return end_point{*addr, *port};
}

void set_ends(flow_line &line, const end_point &from, const end_point &to)
{
    const bool forward = to.port == roce_dport;
    if (!forward && from.port != roce_dport) {
        line.ignored = true; // not RoCEv2
        return;
    }
    line.src = forward ? from.addr : to.addr;
    line.dst = forward ? to.addr : from.addr;
    line.record.sport = forward ? from.port : to.port;
    line.record.has |= has_sport;
    if (line.record.sport == 0)
        line.fail("source port 0");
}

// A word where a name would stand, and near to one.
std::string misspelt(std::string_view token)
{
    if (parse_number(token) || parse_address(token) || absent(token))
        return {};
    return did_you_mean(token, line_words());
}

void parse_words(const std::vector<std::string_view> &tokens, flow_line &line)
{
    for (std::size_t i = 0; i < tokens.size(); i++) {
        const std::optional<column> where = column_of(tokens[i]);
        if (!where) {
            if (std::string meant = line.typed ? misspelt(tokens[i]) : ""; !meant.empty())
                line.fail(adp::format("{}{}", shown(tokens[i]), meant));
            continue; // a word or value of another matter
        }
        if (++i == tokens.size()) {
            line.fail(adp::format("no value after {}", tokens[i - 1]));
            return;
        }
        set_text(line, *where, tokens[i]);
    }
}

void parse_columns(const std::vector<std::string_view> &tokens, const std::vector<column> &header,
                   flow_line &line)
{
    if (tokens.size() != header.size()) {
        line.fail(adp::format("{} values for {} columns", tokens.size(), header.size()));
        return;
    }
    for (std::size_t i = 0; i < tokens.size(); i++)
        set_text(line, header[i], tokens[i]);
}

void parse_plain(const std::vector<std::string_view> &tokens, flow_line &line)
{
    std::uint64_t numbers[2] = {0, 0};
    std::size_t count = 0;
    for (const std::string_view token : tokens) {
        if (const std::optional<std::uint64_t> n = parse_number(token)) {
            if (count == 2)
                return line.fail("more than two numbers: name the columns in a comment before, for "
                                 "example # lqpn rqpn udp_sport");
            numbers[count++] = *n;
        } else if (parse_address(token)) {
            if (line.dst)
                return line.fail("more than two addresses");
            set_text(line, line.src ? column::dst : column::src, token);
        } else {
            return line.fail(adp::format("{} is neither a number nor an address", shown(token)));
        }
    }
    if (count == 1) {
        set_number(line, column::sport, numbers[0]);
    } else if (count == 2) {
        set_number(line, column::lqpn, numbers[0]);
        set_number(line, column::rqpn, numbers[1]);
    }
}

std::string_view last_word(std::string_view text)
{
    const std::size_t end = text.find_last_not_of(' ');
    if (end == std::string_view::npos)
        return {};
    text = text.substr(0, end + 1);
    const std::size_t begin = text.find_last_of(" \t");
    return begin == std::string_view::npos ? text : text.substr(begin + 1);
}

std::string_view first_word(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos)
        return {};
    text = text.substr(begin);
    text = text.substr(0, text.find_first_of(" \t,"));
    while (!text.empty() && text.back() == ':')
        text.remove_suffix(1);
    return text;
}

} // namespace

void split(std::string_view text, std::vector<std::string_view> &tokens)
{
    constexpr std::string_view blank = " \t\r,";
    tokens.clear();
    for (std::size_t at = text.find_first_not_of(blank); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(blank, at), text.size());
        tokens.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(blank, end);
    }
}

std::optional<qp_table> parse_heading(const std::vector<std::string_view> &tokens)
{
    if (tokens.empty() || tokens.front() != "dev/port")
        return std::nullopt;
    qp_table table;
    for (const std::string_view token : tokens) {
        if (token == "comm")
            table.comm = table.columns.size();
        table.columns.push_back(token == "port"   ? column::sport
                                : token == "peer" ? column::dst
                                                  : column_of(token).value_or(column::other));
    }
    return table;
}

void parse_row(const std::vector<std::string_view> &tokens, const qp_table &table, flow_line &line)
{
    const std::size_t count = table.columns.size();
    if (tokens.size() < count)
        return line.fail(adp::format("{} values for {} columns", tokens.size(), count));
    line.queue_pair = true;
    for (std::size_t i = 0; i < count; i++)
        set_text(line, table.columns[i], tokens[i <= table.comm ? i : i + tokens.size() - count]);
}

void parse_tokens(const std::vector<std::string_view> &tokens, const std::vector<column> &header,
                  flow_line &line)
{
    if (std::any_of(tokens.begin(), tokens.end(),
                    [](std::string_view t) { return column_of(t).has_value(); })) {
        line.queue_pair = tokens.front() == "link";
        line.typed = !line.queue_pair;
        return parse_words(tokens, line);
    }
    std::optional<end_point> from;
    for (const std::string_view token : tokens)
        if (const std::optional<end_point> end = parse_end_point(token)) {
            if (from)
                return set_ends(line, *from, *end);
            from = end;
        }
    // ss shows "*" for the other end of a socket that has none.
    if (std::any_of(tokens.begin(), tokens.end(), [](std::string_view t) {
            return t.size() > 1 && t.substr(t.size() - 2) == ":*";
        })) {
        line.ignored = true;
        return;
    }
    if (from)
        return line.fail("one address with a port: two are needed");
    if (std::find(tokens.begin(), tokens.end(), "Address:Port") != tokens.end()) {
        line.ignored = true; // the heading of ss
        return;
    }
    line.typed = true;
    if (!header.empty())
        return parse_columns(tokens, header, line);
    parse_plain(tokens, line);
}

void parse_tcpdump(std::string_view text, flow_line &line)
{
    constexpr std::string_view arrow = " > ";
    // With -e the first arrow stands between MAC addresses.
    for (std::size_t at = text.find(arrow); at != std::string_view::npos;
         at = text.find(arrow, at + 1)) {
        const std::string_view left = last_word(text.substr(0, at));
        const std::string_view right = first_word(text.substr(at + arrow.size()));
        const std::size_t left_dot = left.rfind('.');
        const std::size_t right_dot = right.rfind('.');
        if (left_dot == std::string_view::npos || right_dot == std::string_view::npos)
            continue;
        if (right.substr(right_dot + 1) != "4791" && right.substr(right_dot + 1) != "roce")
            continue;
        const std::optional<address> src = parse_address(left.substr(0, left_dot));
        const std::optional<address> dst = parse_address(right.substr(0, right_dot));
        if (!src || !dst)
            return line.fail(adp::format("{} is not an IP address: capture with tcpdump -n",
                                         shown(src ? right : left)));
        const std::optional<std::uint16_t> port = parse_port(left.substr(left_dot + 1));
        if (!port || *port == 0)
            return line.fail(adp::format("{} is not a UDP port", shown(left.substr(left_dot + 1))));
        line.src = src;
        line.dst = dst;
        line.record.sport = *port;
        line.record.has |= has_sport;
        line.record.packets = 1;
        return;
    }
    line.ignored = true;
}

} // namespace adp::flow
