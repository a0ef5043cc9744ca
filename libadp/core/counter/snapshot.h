// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The counters of a moment: what a reader found, what a snapshot file holds, what somebody pasted.
// Everything here is text in, values out; nothing is asked for.
#pragma once

#include "counter/counter.h"
#include "result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp::counter {

// One folder or message of counters: a port, the device level, or a set bound to queue pairs.
struct port_counters {
    std::string dev;                   // "mlx5_0"; empty where a pasted text does not say
    std::optional<std::uint32_t> port; // none: the device level, or not said (see at_device)
    bool at_device = false;            // the device level
    std::string driver;                // of table_driver(); empty: not known
    bool driver_guessed = false;       // from names, not from the system

    // Who it is. A change of any of these between two snapshots is another counter, not a step.
    std::string pci;
    std::string node_guid;
    std::optional<std::uint32_t> dev_index; // of RDMA netlink: new when the driver is loaded again
    std::string netdev;                     // of the port; of a representor: the function behind
    std::optional<std::uint32_t> netdev_index;
    std::string function; // "pf0vf1", "uplink"; empty: not known
    std::string fw_ver;
    std::optional<std::uint64_t> speed_mbps; // of the link

    // A set bound to queue pairs (rdma statistic qp). Its events are in the port's values as well.
    std::optional<std::uint32_t> set;
    std::vector<std::uint32_t> lqpn;
    std::optional<std::uint32_t> pid;
    std::string comm;

    std::string source;        // "netlink", "sysfs", "rdma text", "node_exporter", ...
    std::vector<value> values; // hw_counters, in the order of the source
    std::vector<value> pma;    // counters
};

struct snapshot {
    std::optional<std::int64_t> time_ms;   // since 1970, of the machine's clock
    std::optional<std::int64_t> uptime_ms; // since its boot
    std::string boot_id;                   // of the kernel
    std::string host;
    std::string kernel;
    std::string form;      // "snapshot", "rdma text", "rdma json", "listing", "node_exporter"
    bool is_delta = false; // the numbers are differences ("name +5"), not totals
    std::vector<port_counters> ports;
    std::vector<std::string> notes; // what was not understood, what is doubtful
};

inline constexpr int snapshot_version = 1;

// A snapshot file: one JSON object, "adp_statistic_snapshot": 1. Compact: meanings are looked up anew.
std::string format_snapshot(const snapshot &s);

// Reads any form that people have:
//  - a snapshot file, or the output of "adp -j statistic show"
//  - "rdma statistic show" and "... qp show", text (one line a port, or one a counter) and JSON
//  - listings of hw_counters: "grep . *", "tail -n +1 *", "name value", ls and cat, with paths or without
//  - a scrape of node_exporter
// Unknown names are kept. What is no number is an unreadable value with the text as its reason. EINVAL
// when nothing was recognised or a snapshot file is damaged, EFBIG beyond the limits below.
result<snapshot> parse_snapshot(std::string_view text);

inline constexpr std::size_t max_snapshot_text = std::size_t{64} << 20;
inline constexpr std::size_t max_snapshot_values = 1U << 20;

// Ports that cannot be what they seem: several of one device in switchdev mode with the same numbers
// (maybe one shared set), all-zero counters beside traffic. Sentences.
std::vector<std::string> suspicions(const snapshot &s);

// All its counters are 0 while the port has traffic: they count for none of the queue pairs that cause
// it, or not for all. 0 is then no measurement of those.
bool counts_nobody(const port_counters &p);

// All its counters have vport_ names and are 0, and nothing says which function the port stands for: the
// uplink's zeros, and those of a port without a function, are no measurement.
bool may_be_unmeasured(const port_counters &p);
inline constexpr std::string_view why_unmeasured =
    "all vport_ counters are 0, and what the port stands for is not said: the uplink, and a port "
    "without a function, show zeros that nobody measured";

// "mlx5_0/1", "mlx5_0" for the device level, "?" for a text that did not say.
std::string place(const port_counters &p);

} // namespace adp::counter
