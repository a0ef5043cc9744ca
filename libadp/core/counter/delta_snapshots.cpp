// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/delta.h"

#include <algorithm>
#include <cerrno>

namespace adp::counter {

namespace {

bool same_place(const port_counters &a, const port_counters &b)
{
    return a.port == b.port && a.at_device == b.at_device && a.set == b.set;
}

// Where there is a GUID or a PCI address at both ends the name does not count: udev renames.
bool same_device(const port_counters &a, const port_counters &b)
{
    if (!a.node_guid.empty() && !b.node_guid.empty())
        return a.node_guid == b.node_guid;
    if (!a.pci.empty() && !b.pci.empty())
        return a.pci == b.pci;
    return a.dev == b.dev;
}

std::string places(const snapshot &s)
{
    std::string text;
    for (std::size_t i = 0; i < s.ports.size() && i < 8; i++)
        text += (i == 0 ? "" : ", ") + place(s.ports[i]);
    if (s.ports.size() > 8)
        text += " and " + std::to_string(s.ports.size() - 8) + " more";
    return text;
}

} // namespace

bool snapshot_change::moved() const
{
    return !only_before.empty() || !only_after.empty() ||
           std::any_of(ports.begin(), ports.end(), [](const port_change &p) { return p.moved(); });
}

std::size_t snapshot_change::comparable() const
{
    return static_cast<std::size_t>(std::count_if(
        ports.begin(), ports.end(), [](const port_change &p) { return p.comparable; }));
}

result<snapshot_change> compare_snapshots(const snapshot &before, const snapshot &after)
{
    snapshot_change all;
    if (before.is_delta || after.is_delta)
        return error{EINVAL,
                     "the numbers are differences already (\"name +5\")",
                     "give two listings of totals",
                     {}};
    const bool same_boot =
        before.boot_id.empty() || after.boot_id.empty() || before.boot_id == after.boot_id;
    if (!same_boot && !before.host.empty() && !after.host.empty() && before.host != after.host)
        return error{EINVAL,
                     "of two machines: " + before.host + " and " + after.host,
                     "two ends of a connection: adp statistic compare",
                     {}};
    if (before.boot_id.empty() != after.boot_id.empty() ||
        (before.boot_id.empty() && after.boot_id.empty()))
        all.notes.push_back("a restart of the machine in between cannot be seen in these texts");
    if (before.time_ms && after.time_ms) {
        all.interval_ms = *after.time_ms - *before.time_ms;
        // Within a boot its own clock is better: nobody sets it.
        if (same_boot && before.uptime_ms && after.uptime_ms && !before.boot_id.empty()) {
            const std::int64_t by_date = *all.interval_ms;
            all.interval_ms = *after.uptime_ms - *before.uptime_ms;
            // A date can be set, but not one clock backwards and the other on.
            if ((*all.interval_ms < 0) != (by_date < 0) && *all.interval_ms != 0 && by_date != 0)
                all.notes.push_back(
                    "the two clocks contradict each other: by the machine's own the "
                    "second is " +
                    std::to_string(*all.interval_ms) + " ms later, by date " +
                    std::to_string(by_date) + " ms: was one set, or a file edited?");
        }
        all.reordered = *all.interval_ms < 0;
        if (all.reordered)
            all.notes.push_back("the second snapshot is older than the first");
    }

    std::vector<bool> used(after.ports.size());
    const bool lone = before.ports.size() == 1 && after.ports.size() == 1 &&
                      (before.ports[0].dev.empty() || after.ports[0].dev.empty());
    for (const port_counters &p : before.ports) {
        std::size_t i = 0;
        while (i < after.ports.size() && (used[i] || (!lone && (!same_device(p, after.ports[i]) ||
                                                                !same_place(p, after.ports[i])))))
            i++;
        // A name that another device has now is a change of that name, and said so.
        if (i == after.ports.size()) {
            i = 0;
            while (i < after.ports.size() &&
                   (used[i] || p.dev != after.ports[i].dev || !same_place(p, after.ports[i])))
                i++;
        }
        if (i == after.ports.size()) {
            all.only_before.push_back(place(p));
            continue;
        }
        used[i] = true;
        all.ports.push_back(compare_ports(p, after.ports[i], same_boot));
        if (!lone && p.dev != after.ports[i].dev)
            all.notes.push_back(place(p) + " is called " + place(after.ports[i]) + " now");
    }
    for (std::size_t i = 0; i < after.ports.size(); i++)
        if (!used[i])
            all.only_after.push_back(place(after.ports[i]));
    if (all.ports.empty())
        return error{EINVAL,
                     "nothing belongs together: " + places(before) + " in the first, " +
                         places(after) + " in the second",
                     "",
                     {}};
    return all;
}

} // namespace adp::counter
