// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Small files: sysfs attributes, state files.
#pragma once

#include "result.h"

#include <string>
#include <vector>

namespace adp::os {

// The error of a failed system call on path: "PATH: Permission denied", errno kept.
error failure(int code, const std::string &path);

// The whole file, at most max bytes (EFBIG beyond). Regular files and sysfs attributes only:
// EISDIR for a directory, EINVAL for a device or a pipe.
result<std::string> read_file(const std::string &path, std::size_t max = 1U << 20);

// The first line of a sysfs attribute without trailing blanks; empty when it cannot be read.
std::string read_line(const std::string &path);

// Replaces a file in one step: written beside it, synced, renamed over it.
result<void> replace_file(const std::string &path, const std::string &text, unsigned mode = 0644);

// Makes one directory, for its owner to write; that it is there already is fine.
void make_directory(const std::string &path);

// Names in a directory, sorted; empty when there is none.
std::vector<std::string> list_directory(const std::string &path);
// The same, and why it cannot be read. One that is not there is empty.
result<std::vector<std::string>> try_list_directory(const std::string &path);

// The last part of the path that a symbolic link leads to; empty when it is none.
std::string link_name(const std::string &path);

// An environment variable, unless the program has more privilege than its caller (AT_SECURE).
std::string environment(const char *name);

// "/sys", or the tree that ADP_SYSFS_ROOT names.
std::string sysfs_root();
// That such a tree is a folder; the reason names the variable. A machine without /sys is none's error.
result<void> check_sysfs_root();

} // namespace adp::os
