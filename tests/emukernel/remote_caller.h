// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The process whose system call the supervisor answers.
#pragma once

#include "caller.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace adp::emukernel {

// A line of /proc/PID/status, "Tgid:" or "CapEff:" for example.
inline std::string process_status(::pid_t pid, const std::string &key)
{
    std::ifstream file{"/proc/" + std::to_string(pid) + "/status"};
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, key.size(), key) == 0)
            return line.substr(key.size());
    return {};
}

class remote_caller final : public caller {
  public:
    remote_caller(int listener, const seccomp_notif &call) : listener_{listener}, call_{&call} {}

    bool read(std::uint64_t address, void *to, std::size_t size) override
    {
        const ::iovec here{to, size};
        const ::iovec there{reinterpret_cast<void *>(address), size};
        return size == 0 ||
               ::process_vm_readv(pid(), &here, 1, &there, 1, 0) == static_cast<::ssize_t>(size);
    }
    bool write(std::uint64_t address, const void *from, std::size_t size) override
    {
        const ::iovec here{const_cast<void *>(from), size};
        const ::iovec there{reinterpret_cast<void *>(address), size};
        return size == 0 ||
               ::process_vm_writev(pid(), &here, 1, &there, 1, 0) == static_cast<::ssize_t>(size);
    }
    int event_fd() override
    {
        const int fd = ::eventfd(0, EFD_CLOEXEC);
        seccomp_notif_addfd add{};
        add.id = call_->id;
        add.srcfd = static_cast<std::uint32_t>(fd);
        add.newfd_flags = O_CLOEXEC;
        const int there = ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
        ::close(fd);
        return there;
    }
    void raise_signal(int number) override { ::kill(pid(), number); }
    bool may_raw_io() override
    {
        const unsigned long long effective =
            std::strtoull(process_status(pid(), "CapEff:").c_str(), nullptr, 16);
        return (effective >> CAP_SYS_RAWIO & 1U) != 0;
    }

  private:
    ::pid_t pid() const { return static_cast<::pid_t>(call_->pid); }
    int listener_;
    const seccomp_notif *call_;
};

} // namespace adp::emukernel
