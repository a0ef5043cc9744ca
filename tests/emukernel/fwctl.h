// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The emulated /dev/fwctl/fwctlN: FWCTL_INFO and FWCTL_RPC with the rules of the kernel's
// drivers/fwctl/main.c and drivers/fwctl/mlx5/main.c.
#pragma once

#include "caller.h"
#include "firmware_gate.h"

#include <string>

namespace adp::emukernel {

struct fwctl_file {
    const fwctl_device *device = nullptr;
};

class fwctl {
  public:
    fwctl(firmware_gate &firmware, const journal &log) : firmware_{&firmware}, log_{&log} {}
    // >= 0 or -errno.
    long ioctl(const fwctl_file &file, caller &process, unsigned long request,
               std::uint64_t argument);

  private:
    long info(const fwctl_file &file, caller &process, std::uint64_t argument, std::uint32_t size);
    long rpc(const fwctl_file &file, caller &process, std::uint64_t argument, std::uint32_t size,
             call_record &record);

    firmware_gate *firmware_;
    const journal *log_;
};

} // namespace adp::emukernel
