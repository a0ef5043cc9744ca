// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How the emulated kernel reaches the process that called it: plain pointers inside the interposer,
// process_vm_readv and its like in the supervisor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace adp::emukernel {

class caller {
  public:
    virtual ~caller() = default;
    virtual bool read(std::uint64_t address, void *to, std::size_t size) = 0;
    virtual bool write(std::uint64_t address, const void *from, std::size_t size) = 0;
    virtual int event_fd() = 0; // a new descriptor in the process, or -1
    virtual void raise_signal(int number) = 0;
    virtual bool may_raw_io() = 0; // CAP_SYS_RAWIO
};

} // namespace adp::emukernel
