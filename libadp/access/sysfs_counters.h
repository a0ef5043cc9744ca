// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A folder of counters in sysfs, one file a counter: ports/N/hw_counters, hw_counters of a device,
// ports/N/counters. Each file stands for itself: one that cannot be read hides no other.
#pragma once

#include "counter/counter.h"
#include "result.h"
#include "unique_fd.h"

#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace adp {

// Reads a folder, once or again and again: from the second reading on its files stay open and cost
// one system call each.
class counter_folder {
  public:
    counter_folder(std::string path, counter::family family)
        : path_(std::move(path)), family_(family)
    {
    }

    // The names, in their order, without the folder's settings (lifespan). ENOENT: there is no such
    // folder (a driver without these counters, or a container).
    result<std::vector<std::string_view>> look();
    // The values of the names that look() found.
    std::vector<counter::value> read(std::string_view driver);

  private:
    struct file {
        std::string name;
        unique_fd fd;
        std::optional<counter::lookup> known; // once it was read
    };
    // What tells that the folder is the one that was listed before: a driver that was loaded again
    // has made another.
    struct identity {
        dev_t device = 0;
        ino_t inode = 0;
        timespec changed{};
        bool operator==(const identity &) const;
    };
    result<void> list();
    std::string path_of(const file &f) const { return path_ + "/" + f.name; }

    std::string path_;
    counter::family family_;
    std::vector<file> files_;
    identity listed_;
    bool settled_ = false; // the folder has not changed for longer than its clock is coarse
    bool again_ = false;
};

// The same, once.
result<std::vector<counter::value>>
read_counter_folder(const std::string &path, std::string_view driver, counter::family family);

// The text of one file; exported for its tests.
counter::value counter_of_text(const counter::lookup &known, const std::string &name,
                               std::string_view text);

} // namespace adp
