// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/flow_line.h"

#include "flow/derivation.h"
#include "text/format.h"
#include "text/words.h"

#include <algorithm>
#include <charconv>

namespace adp::flow {

namespace {

struct word {
    std::string_view name;
    column where;
};

constexpr word words[] = {
    {"lqpn", column::lqpn},
    {"qpn", column::lqpn},
    {"rqpn", column::rqpn},
    {"dqpn", column::rqpn},
    {"sport", column::sport},
    {"udp_sport", column::sport},
    {"label", column::label},
    {"flow_label", column::label},
    {"fl", column::label},
    {"src", column::src},
    {"sip", column::src},
    {"saddr", column::src},
    {"src_addr", column::src},
    {"src-addr", column::src},
    {"dst", column::dst},
    {"dip", column::dst},
    {"daddr", column::dst},
    {"dst_addr", column::dst},
    {"dst-addr", column::dst},
    {"peer_addr", column::dst},
    {"local_addr", column::src},
    {"type", column::type},
    {"lag_tx_port_affinity", column::affinity},
    {"comm", column::other}, // whose value can be any of these words
};

// bnxt_re's general service pair; a port that is right although it is below the range.
constexpr std::uint16_t bnxt_re_qp1 = 0x8cd1;

bool connected_type(std::string_view type)
{
    return type == "RC" || type == "UC" || type.starts_with("XRC") || type == "rc" ||
           type == "uc" || type.starts_with("xrc");
}

} // namespace

std::optional<column> column_of(std::string_view word)
{
    const auto it = std::find_if(std::begin(words), std::end(words),
                                 [word](const struct word &w) { return w.name == word; });
    if (it == std::end(words))
        return std::nullopt;
    return it->where;
}

std::vector<std::string_view> line_words()
{
    std::vector<std::string_view> names;
    for (const word &w : words)
        names.push_back(w.name);
    return names;
}

bool absent(std::string_view value)
{
    return value == "-" || value == "null" || value == "?" || value == "unknown" || value == "none";
}

std::optional<std::uint64_t> parse_number(std::string_view text)
{
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex)
        text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, code] =
        std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (code != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

void set_number(flow_line &line, column where, std::uint64_t value)
{
    flow_record &r = line.record;
    switch (where) {
    case column::lqpn:
    case column::rqpn:
        if (value > qpn_mask)
            return line.fail(adp::format("QPN {:#x} is over 24 bits", value));
        (where == column::lqpn ? r.lqpn : r.rqpn) = static_cast<std::uint32_t>(value);
        (where == column::lqpn ? line.lqpn : line.rqpn) = true;
        if (line.lqpn && line.rqpn)
            r.has |= has_qpns;
        return;
    case column::label:
        if (value > label_mask)
            return line.fail(adp::format("flow label {:#x} is over 20 bits", value));
        r.label = static_cast<std::uint32_t>(value);
        r.has |= has_label;
        return;
    case column::sport:
        if (value == 0 || value > 0xffff)
            return line.fail(adp::format("{} is not a UDP port", value));
        if (line.typed && value < sport_min && value != bnxt_re_qp1)
            return line.fail(adp::format("port {} is below 49152, where no known derivation but "
                                         "bnxt_re's QP1 (36049) puts it",
                                         value));
        r.sport = static_cast<std::uint16_t>(value);
        r.has |= has_sport;
        return;
    case column::affinity:
        if (value > 0xf)
            return line.fail(adp::format("port affinity {} is over 4 bits", value));
        r.affinity = static_cast<std::uint8_t>(value);
        r.has |= has_affinity;
        return;
    case column::src:
    case column::dst: return line.fail(adp::format("{} is not an address", value));
    case column::type:
    case column::other: return;
    }
}

void set_text(flow_line &line, column where, std::string_view text)
{
    if (where == column::other || absent(text))
        return;
    if (where == column::type) {
        if (!connected_type(text))
            line.ignored = true; // its packets' ports are not the queue pair's
        return;
    }
    if (where == column::src || where == column::dst) {
        const std::optional<address> addr = parse_address(text);
        if (!addr)
            return line.fail(adp::format("{} is not an IP address", shown(text)));
        (where == column::src ? line.src : line.dst) = *addr;
        return;
    }
    const std::optional<std::uint64_t> n = parse_number(text);
    if (!n)
        return line.fail(adp::format("{} is not a number", shown(text)));
    set_number(line, where, *n);
}

bool finish(flow_line &line)
{
    flow_record &r = line.record;
    if (line.queue_pair && (r.has & has_sport) == 0 && r.rqpn == 0)
        line.ignored = true; // not connected
    if (line.ignored || !line.reason.empty())
        return false;
    if (line.queue_pair && line.src.has_value() != line.dst.has_value())
        line.src = line.dst = std::nullopt; // a listing that knows one end alone
    if (line.src.has_value() != line.dst.has_value())
        line.fail("one address: give both or none");
    else if (line.src && line.src->v6 != line.dst->v6)
        line.fail("one address is IPv4 and the other IPv6");
    else if ((r.has & has_sport) != 0)
        return true;
    else if ((r.has & has_label) != 0 && r.label != 0)
        r.sport = flow_label_to_udp_sport(r.label);
    else if ((r.has & has_qpns) != 0)
        r.sport = calc_udp_sport(0, r.lqpn, r.rqpn);
    else if ((r.has & has_label) != 0)
        line.fail("flow label 0 means none: give the QPNs or the port");
    else
        line.fail("neither a port nor both QPNs");
    return line.reason.empty();
}

} // namespace adp::flow
