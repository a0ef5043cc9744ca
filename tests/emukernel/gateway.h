// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The PCI configuration space of a function, with the register window in it (tests/gateway). The
// window's state is shared by all processes of a root: it lies
// in a mapped file.
#pragma once

#include "firmware_gate.h"
#include "register_window.h"

#include <string>

namespace adp::emukernel {

class gateway {
  public:
    gateway(const config &settings, const pci_function &function, firmware_gate &firmware,
            const journal &log);
    ~gateway();
    gateway(const gateway &) = delete;
    gateway &operator=(const gateway &) = delete;

    // Both return the number of bytes, or -errno.
    long read(caller &process, std::uint64_t buffer, std::size_t size, std::uint64_t offset);
    long write(caller &process, std::uint64_t buffer, std::size_t size, std::uint64_t offset);

  private:
    adp::register_window window(caller &process);

    pci_function function_;
    std::string lock_file_;
    bool locked_down_;
    firmware_gate *firmware_;
    const journal *log_;
    adp::window_state *state_; // mapped
};

} // namespace adp::emukernel
