// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The process that the interposer lives in.
#pragma once

#include "caller.h"

#include <csignal>
#include <cstring>
#include <linux/capability.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace adp::emukernel {

// An address that the program may not use ends it, where a kernel would say EFAULT; so do the
// libraries that are tested here never pass one. Null is told apart all the same.
class local_caller final : public caller {
  public:
    bool read(std::uint64_t address, void *to, std::size_t size) override
    {
        if (address == 0)
            return false;
        std::memcpy(to, reinterpret_cast<const void *>(address), size);
        return true;
    }
    bool write(std::uint64_t address, const void *from, std::size_t size) override
    {
        if (address == 0)
            return false;
        std::memcpy(reinterpret_cast<void *>(address), from, size);
        return true;
    }
    int event_fd() override { return ::eventfd(0, EFD_CLOEXEC); }
    void raise_signal(int number) override { ::raise(number); }
    bool may_raw_io() override
    {
        __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
        __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
        return ::syscall(SYS_capget, &header, data) == 0 &&
               (data[0].effective >> CAP_SYS_RAWIO & 1U) != 0;
    }
};

} // namespace adp::emukernel
