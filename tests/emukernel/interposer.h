// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The interposer: library functions that a program calls are met here first, by LD_PRELOAD or by
// linking these objects into the program. Paths of the emulated machine lead into the root, device
// nodes and RDMA netlink sockets to the emulated kernel.
//
// A node's descriptor is one of /dev/zero: a character device that can be mapped shared at any
// offset, as doorbell pages are. What is not seen: calls inside libc itself, raw system calls,
// programs without a dynamic loader; the supervisor serves those.
#pragma once

#include "kernel.h"

#include <dlfcn.h>
#include <memory>
#include <string>
#include <sys/types.h>

namespace adp::emukernel {

// The next definition of a function: libc's, or a sanitizer's before it.
template <typename Function> Function next_definition(const char *name)
{
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// The kernel of this process, made on first use; nullptr while we are inside our own code, whose
// calls must go to the real machine.
kernel *this_kernel();

// Marks our own code: calls made while one of these lives are not interposed.
class own_code {
  public:
    own_code();
    ~own_code();
    own_code(const own_code &) = delete;
    own_code &operator=(const own_code &) = delete;

  private:
    bool before_;
};

// A path as the program wrote it, and what it means.
class emulated_path {
  public:
    emulated_path(int directory, const char *path);
    emulated_path(const emulated_path &) = delete;
    emulated_path &operator=(const emulated_path &) = delete;
    const char *real() const { return real_; } // the path to use in its place
    node_kind kind() const { return kind_; }
    const std::string &name() const { return name_; } // of a node, in the emulated machine
    bool redirected() const { return real_ == held_.c_str(); }

  private:
    const char *real_;
    std::string held_;
    std::string name_;
    node_kind kind_ = node_kind::none;
};

// The root that every path of the emulated machine lies below, without symbolic links; "" when there
// is no kernel yet.
const std::string &emulated_root();

// Descriptors that stand for something of the emulated kernel.
struct descriptor {
    std::shared_ptr<open_node> node; // or
    int netlink_peer = -1;           // our end of a netlink socket
    int protocol = 0;                // of that
    node_kind kind = node_kind::none;
    std::string name;
};

// An empty one for any other descriptor.
descriptor find_descriptor(int fd);
bool is_ours(int fd); // quick
// fd, or -1 with errno when it cannot be kept.
int keep_descriptor(int fd, descriptor d);
void forget_descriptor(int fd);

// Opens a node of the emulated machine: a descriptor, or -1 and errno.
int open_emulated(const emulated_path &path, int flags);

// What a system call returns: -1 and errno for a negative answer.
long system_call_result(long answer);

} // namespace adp::emukernel
