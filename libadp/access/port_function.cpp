// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "port_function.h"
#include "text/format.h"

#include <charconv>
#include <cstdint>
#include <linux/devlink.h>
#include <optional>
#include <system_error>

namespace adp {

namespace {

// What either of the two says. none: nothing; other: that it is no port of a function or the uplink.
struct statement {
    enum class kind : std::uint8_t { none, other, uplink, pf, vf, sf } what = kind::none;
    std::optional<std::uint32_t> controller;
    std::uint32_t pf = 0;
    std::uint32_t number = 0; // of the VF or SF
};

// Takes "WORD<number>" off the beginning.
std::optional<std::uint32_t> take(std::string_view &text, std::string_view word)
{
    if (!text.starts_with(word))
        return {};
    const std::string_view digits = text.substr(word.size());
    std::uint32_t number = 0;
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (wrong != std::errc{})
        return {};
    text = digits.substr(static_cast<std::size_t>(end - digits.data()));
    return number;
}

// The names that the kernel makes: "p0", "p0s1" and "l1p0" of a physical port, "pf0", "pf0vf1", "pf0sf88",
// with "c1" before it where the controller is external (__devlink_port_phys_port_name_get() of
// net/devlink/port.c).
statement said_by_name(std::string_view name)
{
    statement s;
    std::string_view rest = name;
    static_cast<void>(take(rest, "l"));
    if (take(rest, "p")) {
        static_cast<void>(take(rest, "s"));
        if (rest.empty())
            s.what = statement::kind::uplink;
        return s;
    }
    rest = name;
    s.controller = take(rest, "c");
    const auto pf = take(rest, "pf");
    if (!pf)
        return s;
    s.pf = *pf;
    statement::kind what = statement::kind::pf;
    for (const auto &[word, kind] :
         {std::pair{"vf", statement::kind::vf}, std::pair{"sf", statement::kind::sf}})
        if (const auto number = take(rest, word)) {
            s.number = *number;
            what = kind;
            break;
        }
    if (rest.empty())
        s.what = what;
    return s;
}

statement said_by_devlink(const nl::devlink_port &p)
{
    statement s;
    s.controller = p.controller;
    s.pf = p.pf.value_or(0);
    if (p.flavour == DEVLINK_PORT_FLAVOUR_PHYSICAL) {
        s.what = statement::kind::uplink;
    } else if (p.flavour == DEVLINK_PORT_FLAVOUR_PCI_PF && p.pf) {
        s.what = statement::kind::pf;
    } else if (p.flavour == DEVLINK_PORT_FLAVOUR_PCI_VF && p.pf && p.vf) {
        s.what = statement::kind::vf;
        s.number = *p.vf;
    } else if (p.flavour == DEVLINK_PORT_FLAVOUR_PCI_SF && p.pf && p.sf) {
        s.what = statement::kind::sf;
        s.number = *p.sf;
    } else if (p.flavour == DEVLINK_PORT_FLAVOUR_CPU || p.flavour == DEVLINK_PORT_FLAVOUR_DSA ||
               p.flavour == DEVLINK_PORT_FLAVOUR_VIRTUAL ||
               p.flavour == DEVLINK_PORT_FLAVOUR_UNUSED) {
        s.what = statement::kind::other;
    }
    return s;
}

// As the kernel names it: with the controller where that is external.
std::string name_of(const statement &s, bool external)
{
    using kind = statement::kind;
    if (s.what == kind::none)
        return {};
    if (s.what == kind::uplink)
        return "uplink";
    std::string text;
    if (external && s.controller)
        text = adp::format("c{}", *s.controller);
    text += adp::format("pf{}", s.pf);
    if (s.what == kind::vf || s.what == kind::sf)
        text += adp::format("{}{}", s.what == kind::vf ? "vf" : "sf", s.number);
    return text;
}

bool agree(const statement &name, const statement &devlink)
{
    if (name.what != devlink.what)
        return false;
    if (name.what == statement::kind::uplink)
        return true;
    return name.pf == devlink.pf && name.number == devlink.number &&
           (!name.controller || !devlink.controller || *name.controller == *devlink.controller);
}

} // namespace

port_function judge_function(std::string_view netdev, std::string_view phys_port_name,
                             const nl::devlink_port *listed)
{
    using kind = statement::kind;
    const statement by_name = said_by_name(phys_port_name);
    const statement by_devlink = listed == nullptr ? statement{} : said_by_devlink(*listed);
    const bool external = listed != nullptr && listed->external.value_or(false);
    const std::string devlink_word = by_devlink.what == kind::other
                                         ? nl::flavour_name(*listed->flavour)
                                         : name_of(by_devlink, external);
    port_function f;
    if (by_name.what != kind::none && by_devlink.what != kind::none &&
        !agree(by_name, by_devlink)) {
        f.may_be_uplink = by_name.what == kind::uplink || by_devlink.what == kind::uplink;
        f.reason = adp::format("phys_port_name of {} is {}, devlink says {}", netdev,
                               phys_port_name, devlink_word);
        return f;
    }
    f.uplink = by_name.what == kind::uplink || by_devlink.what == kind::uplink;
    if (by_devlink.what == kind::none || by_devlink.what == kind::other) {
        f.name = f.uplink ? std::string{"uplink"} : std::string{phys_port_name};
        if (by_devlink.what == kind::other)
            f.reason =
                adp::format("{} stands for no function: devlink says {}", netdev, devlink_word);
        else if (f.name.empty())
            f.reason = adp::format("{} has no phys_port_name", netdev);
        return f;
    }
    // A name without a controller may lack it: older drivers made theirs themselves.
    const bool whole = by_name.what == kind::uplink ||
                       (by_name.what != kind::none && (by_name.controller || !external));
    f.name = whole && !f.uplink ? std::string{phys_port_name} : devlink_word;
    if (!whole && !phys_port_name.empty())
        f.reason = adp::format("by devlink: phys_port_name of {} is {}", netdev, phys_port_name);
    return f;
}

} // namespace adp
