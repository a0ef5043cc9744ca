// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "switch_port.h"
#include "text/format.h"

#include <cstdint>
#include <string_view>

namespace adp::cli {

switch_port switch_port_of(const adp_counters_info &info)
{
    switch_port p{info.devlink, {}, info.devlink_reason};
    const auto word = [&p](const char *key, std::string_view text) {
        if (!text.empty())
            p.words.emplace_back(key, text);
    };
    const auto number = [&p](const char *key, std::uint32_t value) {
        if (value != ADP_NOT_KNOWN)
            p.words.emplace_back(key, value);
    };
    word("flavour", info.flavour);
    number("controller", info.controller);
    number("pfnum", info.pfnum);
    number("vfnum", info.vfnum);
    number("sfnum", info.sfnum);
    if (info.external != ADP_UNKNOWN)
        p.words.emplace_back("external", info.external == ADP_YES ? 1 : 0);
    word("hw_addr", info.hw_addr);
    word("state", info.fn_state);
    word("opstate", info.fn_opstate);
    return p;
}

void identify_switch_port(record &element, const switch_port &p)
{
    if (p.name.empty()) {
        element.absent("devlink",
                       p.reason.empty() ? "asked for ports in switchdev mode alone" : p.reason);
        return;
    }
    record &port = element.object("devlink");
    port.data("port", p.name);
    for (const auto &[key, value] : p.words)
        port.data(key, value);
}

std::string switch_port_line(const switch_port &p)
{
    if (p.name.empty())
        return p.reason.empty() ? std::string{} : "devlink: " + p.reason;
    std::string text = adp::format("devlink {}:", p.name);
    for (const auto &[key, value] : p.words)
        text +=
            adp::format(" {} {}", key, value.is_string() ? value.get<std::string>() : value.dump());
    return text;
}

} // namespace adp::cli
