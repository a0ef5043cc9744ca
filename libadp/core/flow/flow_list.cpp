// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/flow_list.h"

#include "flow/derivation.h"
#include "flow/flow_line.h"
#include "text/format.h"
#include "text/words.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace adp::flow {

namespace {

constexpr std::size_t shown_text = 80;

struct pair_hash {
    std::size_t operator()(const address_pair &pair) const
    {
        const auto part = [](const address &addr) {
            std::uint64_t words[2];
            std::memcpy(words, addr.byte.data(), sizeof(words));
            return words[0] * 0x9e3779b97f4a7c15U ^ (words[1] + addr.v6) * 0xc2b2ae3d27d4eb4fU;
        };
        const std::uint64_t h = part(pair.src) * 3 + part(pair.dst);
        return static_cast<std::size_t>(h ^ h >> 29);
    }
};

class collector {
  public:
    explicit collector(flow_list &list) : list_(list) {}

    // Takes a line that has been parsed; text is what an error shows of it.
    void add(flow_line &line, std::string_view text)
    {
        const bool good = finish(line);
        if (!line.reason.empty())
            return fail(line.record.line, text, std::move(line.reason));
        if (!good) {
            list_.ignored++;
            return;
        }
        if (line.src)
            line.record.pair = pair_of({*line.src, *line.dst});
        if (line.record.packets != 0 && seen_before(line.record))
            return;
        list_.flows.push_back(line.record);
    }

    void fail(std::uint64_t number, std::string_view text, std::string reason)
    {
        list_.error_count++;
        if (list_.errors.size() < max_line_errors)
            list_.errors.push_back(
                {number, std::string(text.substr(0, shown_text)), std::move(reason)});
    }

  private:
    std::uint32_t pair_of(const address_pair &pair)
    {
        if (last_pair_ != 0 && list_.pairs[last_pair_ - 1] == pair)
            return last_pair_;
        const auto [it, is_new] =
            pairs_.try_emplace(pair, static_cast<std::uint32_t>(list_.pairs.size() + 1));
        if (is_new)
            list_.pairs.push_back(pair);
        last_pair_ = it->second;
        return last_pair_;
    }

    // Of a capture: the same addresses and port are one flow.
    bool seen_before(const flow_record &record)
    {
        const std::uint64_t key = std::uint64_t{record.pair} << 16 | record.sport;
        const auto [it, is_new] = packets_.try_emplace(key, list_.flows.size());
        if (!is_new)
            list_.flows[it->second].packets++;
        return !is_new;
    }

    flow_list &list_;
    std::unordered_map<address_pair, std::uint32_t, pair_hash> pairs_;
    std::unordered_map<std::uint64_t, std::size_t> packets_;
    std::uint32_t last_pair_ = 0;
};

// Columns that a comment names, or none.
std::vector<column> header_of(std::string_view comment, std::vector<std::string_view> &tokens)
{
    split(comment.substr(comment.find_first_not_of('#')), tokens);
    std::vector<column> header;
    for (const std::string_view token : tokens) {
        const std::optional<column> where = token == "port" ? column::sport : column_of(token);
        if (!where)
            return {};
        header.push_back(*where);
    }
    return header;
}

// What tcpdump says before, between and after packets.
bool capture_remark(std::string_view line)
{
    return line.starts_with("tcpdump:") || line.starts_with("listening on ") ||
           line.starts_with("reading from file ") || line.find("IP (tos ") != line.npos ||
           line.find("IP6 (") != line.npos;
}

// Lines of two numbers each that no header names: pairs of QPNs, unless they tell otherwise.
void name_numbers(flow_list &list)
{
    const auto all = [&list](auto test) {
        return std::all_of(list.flows.begin(), list.flows.end(), test);
    };
    // A QPN that is by chance the port of the other one as a label: one in many millions, and in
    // every line.
    if (all([](const flow_record &r) {
            return r.lqpn <= label_mask && r.rqpn == flow_label_to_udp_sport(r.lqpn);
        })) {
        for (flow_record &r : list.flows) {
            r.label = r.lqpn;
            r.sport = static_cast<std::uint16_t>(r.rqpn);
            r.lqpn = r.rqpn = 0;
            r.has = has_label | has_sport;
        }
        list.notes.emplace_back(
            "every second number is the port that the first gives as a flow label: read as label "
            "and port; if they are QPNs, name the columns in a first line: # lqpn rqpn");
    } else if (all([](const flow_record &r) {
                   return r.rqpn >= sport_min && r.rqpn <= sport_max;
               })) {
        list.notes.emplace_back(
            "every second number is between 49152 and 65535 and was read as a QPN; if they are "
            "ports, name the columns in a first line: # qpn sport, or # label sport");
    }
}

void parse_lines(std::string_view text, flow_list &list)
{
    collector flows(list);
    std::vector<std::string_view> tokens;
    std::vector<column> header;
    qp_table table;
    bool capture = false;
    bool pairs_of_numbers = true; // only such lines
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view whole = text.substr(at, end - at);
        const std::string_view line = trim(whole);
        at = end + 1;
        list.lines++;
        if (line.empty())
            continue;
        if (line.front() == '#') {
            if (line.find_first_not_of('#') != line.npos)
                if (std::vector<column> columns = header_of(line, tokens); !columns.empty())
                    header = std::move(columns);
            continue;
        }
        flow_line parsed;
        parsed.record.line = static_cast<std::uint32_t>(list.lines);
        if (line.find(" > ") != line.npos) {
            capture = true;
            parse_tcpdump(line, parsed);
        } else if (capture || capture_remark(line)) {
            parsed.ignored = true;
        } else {
            split(line, tokens);
            if (tokens.empty())
                continue; // commas alone
            if (std::optional<qp_table> found = parse_heading(tokens)) {
                table = *std::move(found);
                continue;
            }
            if (table.columns.empty())
                parse_tokens(tokens, header, parsed);
            else if (whole.starts_with("    "))
                continue; // details of the queue pair before
            else
                parse_row(tokens, table, parsed);
        }
        const flow_record &r = parsed.record;
        pairs_of_numbers = pairs_of_numbers && header.empty() && r.has == has_qpns;
        flows.add(parsed, line);
    }
    if (pairs_of_numbers && !list.flows.empty())
        name_numbers(list);
}

void parse_element(const nlohmann::json &element, flow_line &line)
{
    if (!element.is_object())
        return line.fail("not an object");
    line.queue_pair = element.contains("lqpn");
    for (const auto &[key, value] : element.items()) {
        const std::optional<column> where = column_of(key);
        if (!where || value.is_null())
            continue;
        if (value.is_string())
            set_text(line, *where, value.get_ref<const std::string &>());
        else if (value.is_number_unsigned())
            set_number(line, *where, value.get<std::uint64_t>());
        else
            line.fail(adp::format("{} is neither a number nor text", key));
    }
}

void parse_json(std::string_view text, flow_list &list)
{
    collector flows(list);
    try {
        const nlohmann::json all = nlohmann::json::parse(text);
        if (!all.is_array()) {
            flows.fail(1, text, "JSON, but not an array");
            return;
        }
        list.elements = true;
        for (const nlohmann::json &element : all) {
            list.lines++;
            flow_line line;
            line.record.line = static_cast<std::uint32_t>(list.lines);
            parse_element(element, line);
            const std::size_t errors = list.errors.size();
            flows.add(line, {});
            if (list.errors.size() != errors)
                list.errors.back().text =
                    element.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
                        .substr(0, shown_text);
        }
    } catch (const nlohmann::json::parse_error &e) {
        const std::size_t at = std::min<std::size_t>(e.byte, text.size());
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        flows.fail(static_cast<std::uint64_t>(line), text, "not well-formed JSON");
    } catch (const nlohmann::json::exception &e) {
        flows.fail(0, text, e.what());
    }
}

// "[fd00::1]:49152" begins a line, "[{" and "[]" an array.
bool looks_like_json(std::string_view text)
{
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blank);
    if (first == text.npos || text[first] != '[')
        return first != text.npos && text[first] == '{';
    const std::size_t second = text.find_first_not_of(blank, first + 1);
    return second != text.npos && (text[second] == '{' || text[second] == ']');
}

} // namespace

flow_list parse_flows(std::string_view text)
{
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    flow_list list;
    if (looks_like_json(text))
        parse_json(text, list);
    else
        parse_lines(text, list);
    return list;
}

} // namespace adp::flow
