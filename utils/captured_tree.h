// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What sysfs shows of an RDMA device and its counters, as text: a part of adp report, which adp report
// unpack writes out again as a tree for ADP_SYSFS_ROOT.
#pragma once

#include "record.h"
#include "result.h"

#include <string>

namespace adp::cli {

struct captured_tree {
    json files = json::object();      // path below /sys: text
    json unreadable = json::object(); // path below /sys: reason
};

// Addresses, GUIDs, GIDs and the node's description are left out.
captured_tree capture_tree(const std::string &device);

// Writes the trees of a report's devices into a folder that is made for it, or is empty; the number of
// files. Nothing is written when a part of the report is not what a capture looks like (EINVAL), or
// the folder has something in it (EEXIST); EOPNOTSUPP: the report has no tree.
result<std::size_t> unpack_trees(const json &report, const std::string &folder, bool dry_run);

} // namespace adp::cli
