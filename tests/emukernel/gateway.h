// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The PCI configuration space of a function, with the vendor-specific capability through which
// register tools reach the firmware where the kernel offers no better way: a window of address,
// data and semaphore, an ICMD mailbox behind it, and a register access message in that. As much as
// mstreg 4.33 needs; learnt from its behaviour and mstflint's public sources.
//
// The hardware's state is shared by all processes of a root: it lies in a mapped file.
#pragma once

#include "firmware_gate.h"

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
    struct hardware;
    std::uint32_t read_window(unsigned offset);
    void write_window(unsigned offset, std::uint32_t value, caller &process);
    std::uint32_t read_space(std::uint32_t address) const;
    void write_space(std::uint32_t address, std::uint32_t value, caller &process);
    void execute_icmd(caller &process);
    unsigned access_register(caller &process);

    pci_function function_;
    std::string lock_file_;
    bool locked_down_;
    firmware_gate *firmware_;
    const journal *log_;
    hardware *hardware_; // mapped
};

} // namespace adp::emukernel
