// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "statistic_input.h"

#include "text/format.h"
#include "words.h"

namespace adp::cli {

counter::snapshot read_counters(const run &r, const std::string &file)
{
    auto s = counter::parse_snapshot(read_input(file, counter::max_snapshot_text));
    if (!s)
        throw failure{adp::format("{}: {}{}", file, s.err().reason,
                                  s.err().remedy.empty() ? "" : "\n  " + s.err().remedy)};
    for (const std::string &n : s->notes)
        r.note(one_line(adp::format("{}: {}", file, n)));
    return std::move(*s);
}

std::string port_heading(const counter::port_counters &p)
{
    std::string text = counter::place(p);
    if (text == "?")
        text = "port"; // the text did not name it
    std::string more = p.function.empty() ? p.netdev : p.function;
    if (p.at_device)
        more = "device level";
    return one_line(more.empty() ? text : adp::format("{} ({})", text, more));
}

std::string grouped(std::uint64_t n)
{
    std::string digits = std::to_string(n);
    for (std::size_t i = digits.size(); i > 3; i -= 3)
        digits.insert(i - 3, " ");
    return digits;
}

std::string delta_text(std::uint64_t delta, bool at_least, counter::unit u)
{
    return adp::format("{}+{}{}", at_least ? ">= " : "", grouped(delta),
                       u == counter::unit::unknown ? std::string{}
                                                   : adp::format(" {}", counter::to_string(u)));
}

std::string rate_text(double per_second)
{
    constexpr const char *steps[] = {"", "k", "M", "G", "T"};
    std::size_t i = 0;
    while (per_second >= 1000.0 && i + 1 < std::size(steps)) {
        per_second /= 1000.0;
        i++;
    }
    return adp::format("{:.3g} {}/s", per_second, steps[i]);
}

void add_description(record &item, const counter::description &d)
{
    item.data("concept", counter::to_string(d.what));
    item.data("side", counter::to_string(d.end));
    item.data("unit", counter::to_string(d.in));
    item.maybe("width_bits", d.width_bits == 0 ? json{} : json(d.width_bits),
               "no source tells its width");
}

} // namespace adp::cli
