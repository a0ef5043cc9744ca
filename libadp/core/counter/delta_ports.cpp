// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/delta.h"

#include <algorithm>
#include <cerrno>
#include <unordered_map>

namespace adp::counter {

namespace {

bool differ(const std::string &a, const std::string &b)
{
    return !a.empty() && !b.empty() && a != b;
}

template <typename T> bool differ(const std::optional<T> &a, const std::optional<T> &b)
{
    return a && b && *a != *b;
}

// Why the two are not the same counter, or "".
std::string other_identity(const port_counters &a, const port_counters &b)
{
    if (differ(a.node_guid, b.node_guid))
        return "another device: node GUID " + a.node_guid + ", then " + b.node_guid;
    if (differ(a.pci, b.pci))
        return "another device: " + a.pci + ", then " + b.pci;
    if (differ(a.driver, b.driver) && !a.driver_guessed && !b.driver_guessed)
        return "another driver: " + a.driver + ", then " + b.driver;
    if (differ(a.dev_index, b.dev_index))
        return "the driver was loaded again in between (device index " +
               std::to_string(*a.dev_index) + ", then " + std::to_string(*b.dev_index) + ")";
    if (differ(a.function, b.function))
        return "another function behind the port: " + a.function + ", then " + b.function;
    if (differ(a.netdev_index, b.netdev_index))
        return "the port has another netdev (" + a.netdev + ", then " + b.netdev + ")";
    if (!a.netdev.empty() != !b.netdev.empty() &&
        a.netdev_index.has_value() != b.netdev_index.has_value())
        return a.netdev.empty() ? "the port has got the netdev " + b.netdev
                                : "the port has lost its netdev " + a.netdev;
    if (differ(a.set, b.set))
        return "another counter set";
    return {};
}

struct fall {
    std::size_t nonzero = 0; // counters that had counted
    std::size_t fell = 0;    // of these, went down
    std::size_t stayed = 0;  // of these, did not change
    bool impossible = false; // one went down that cannot wrap
    bool far_from_end =
        false; // one went down by less than half of 2^32: a wrap would be a huge step
};

void look(const value &before, const value &after, fall &f)
{
    if (!before.has_number() || !after.has_number() || before.number == 0 ||
        (before.about != nullptr && before.about->is == kind::gauge))
        return;
    f.nonzero++;
    if (after.number == before.number)
        f.stayed++;
    if (after.number >= before.number)
        return;
    f.fell++;
    const overflow end = before.about == nullptr ? overflow::unknown : before.about->at_end;
    const bool can_wrap = end == overflow::wrap || end == overflow::unknown;
    if (!can_wrap)
        f.impossible = true;
    else if (before.number - after.number < (std::uint64_t{1} << 31))
        f.far_from_end = true;
}

// A reset takes all counters of a port at once; a wrap takes one, from near its end. One that stands
// still above 0 was not reset with the others, unless it has come to the same number again.
restart judge(const fall &f)
{
    if (f.fell == 0)
        return restart::no;
    const bool no_wrap = f.impossible || f.far_from_end;
    if (f.stayed > 0)
        return f.fell > 1 && no_wrap ? restart::unclear : restart::no;
    if (f.impossible)
        return restart::yes;
    if (f.fell == f.nonzero && f.fell > 1)
        return f.far_from_end ? restart::yes : restart::unclear;
    return f.far_from_end ? restart::unclear : restart::no;
}

using index = std::unordered_map<std::string, std::size_t>;

index by_name(const std::vector<value> &values)
{
    index names;
    for (std::size_t i = 0; i < values.size(); i++)
        names[values[i].name] = i;
    return names;
}

void compare_values(const std::vector<value> &before, const std::vector<value> &after, family f,
                    restart anew, std::vector<counter_change> &out)
{
    const index old = by_name(before);
    const index now = by_name(after);
    for (const value &v : after) {
        counter_change c;
        c.after = v;
        c.from = f;
        const auto found = old.find(v.name);
        if (found == old.end()) {
            c.before = v;
            c.before.number = 0;
            c.before.is = state::not_exposed;
            c.before.reason = "not in the first";
            c.what.is = step::appeared;
            c.what.reason = "not in the first";
        } else {
            c.before = before[found->second];
            c.what = step_of(c.before, v, anew);
        }
        out.push_back(std::move(c));
    }
    for (const value &v : before) {
        if (now.count(v.name) != 0)
            continue;
        counter_change c;
        c.before = v;
        c.after = v;
        c.after.number = 0;
        c.after.is = state::not_exposed;
        c.after.reason = "not in the second";
        c.from = f;
        c.what.is = step::vanished;
        c.what.reason = "not in the second";
        out.push_back(std::move(c));
    }
}

restart judge_values(const std::vector<value> &before, const std::vector<value> &after)
{
    const index old = by_name(before);
    fall f;
    for (const value &v : after)
        if (const auto found = old.find(v.name); found != old.end())
            look(before[found->second], v, f);
    return judge(f);
}

port_counters identity(const port_counters &p)
{
    port_counters only = p;
    only.values.clear();
    only.pma.clear();
    return only;
}

} // namespace

bool port_change::moved() const
{
    return std::any_of(counters.begin(), counters.end(), [](const counter_change &c) {
        return c.what.moved() || c.what.is == step::reset || c.what.is == step::reset_or_wrap ||
               c.what.is == step::appeared || c.what.is == step::vanished ||
               (c.what.is == step::gauge && c.before.number != c.after.number) ||
               (c.what.is == step::no_number && c.before.is != c.after.is);
    });
}

port_change compare_ports(const port_counters &before, const port_counters &after, bool same_boot)
{
    port_change p;
    p.before = identity(before);
    p.after = identity(after);
    p.reason = same_boot ? other_identity(before, after)
                         : "another boot of the machine: the counters began anew";
    p.comparable = p.reason.empty();
    restart hw = restart::yes;
    restart pma = restart::yes;
    if (p.comparable) {
        hw = judge_values(before.values, after.values);
        pma = judge_values(before.pma, after.pma);
        if (hw == restart::yes)
            p.reason = "counters went down together: they began anew in between";
        else if (hw == restart::unclear)
            p.reason = "counters went down; whether they began anew is not certain";
    }
    p.anew = hw;
    compare_values(before.values, after.values, family::hw, hw, p.counters);
    compare_values(before.pma, after.pma, family::pma, pma, p.counters);
    return p;
}

} // namespace adp::counter
