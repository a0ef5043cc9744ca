// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Where simulated devices live: in a file that several processes share, or in memory.
#pragma once

#include "firmware.h"
#include "model.h"

#include "result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace adp::sim {

// Not thread safe; any number of stores, also in one process, may use the same file.
class store {
  public:
    // where: a state file (made with the default devices when there is none); "": the default
    // devices in memory; "preset:NAME": others in memory; "copy:FILE": those of a state file, or the
    // ones that it would be made with, in memory: no file is made or changed, a lock's neither. A
    // document with a "sim_state" in it, a report for example, is read only: its devices are taken
    // into memory.
    static result<std::unique_ptr<store>> open(const std::string &where);

    // Changes go to the file, not only to memory.
    bool lasting() const { return !path_.empty(); }
    // "copy:FILE": who asked for it knows that nothing is kept.
    bool is_copy() const { return copy_; }

    result<std::vector<model>> devices();

    // One firmware command. Under the lock: read the file, execute, replace the file where anything
    // changed; then, without the lock, the waiting that a fault asks for. ENODEV in the outcome when
    // no device has this PCI address.
    result<outcome> execute(const std::string &pci, std::span<const std::uint8_t> in,
                            std::span<std::uint8_t> out);

    // Changes the devices behind the firmware's back, for tests.
    result<void> change(const std::function<void(std::vector<model> &)> &edit);

  private:
    // Runs body on the current devices with the lock held, and saves what it changed.
    result<void> transact(const std::function<void(std::vector<model> &)> &body);
    result<void> refresh();
    result<void> save();

    std::string path_; // empty: in memory
    bool copy_ = false;
    std::string text_; // of the file when devices_ was read from it
    std::vector<model> devices_;
};

} // namespace adp::sim
