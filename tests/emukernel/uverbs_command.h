// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One RDMA_VERBS_IOCTL: a header with an array of attributes behind it, as uapi
// rdma/rdma_user_ioctl_cmds.h lays it out.
#pragma once

#include "caller.h"

#include <algorithm>
#include <cstring>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <vector>

namespace adp::emukernel {

using bytes = std::vector<std::uint8_t>;

class uverbs_command {
  public:
    explicit uverbs_command(caller &process) : process_{&process} {}

    // Fetches header and attributes; 0 or -errno.
    long fetch(std::uint64_t address);
    // Gives the attribute array, with handles and flags in it, back to the caller.
    long give_back();

    unsigned object() const { return header_.object_id; }
    unsigned method() const { return header_.method_id; }
    std::size_t count() const { return attributes_.size(); }
    caller &process() const { return *process_; }

    ib_uverbs_attr *find(unsigned id);
    // Input: up to 8 bytes stand in the attribute itself, more at the address in it.
    bool input(unsigned id, bytes &value);
    std::uint64_t number(unsigned id);
    std::uint32_t handle(unsigned id);

    // Output: the shorter of the two lengths is copied and the attribute marked. An attribute that
    // the caller did not pass is no error. False: EFAULT.
    bool output(unsigned id, const void *value, std::size_t size);
    template <typename T> bool output(unsigned id, const T &value)
    {
        return output(id, &value, sizeof value);
    }
    void set_handle(unsigned id, std::uint64_t value);

  private:
    // ib_uverbs_ioctl_hdr without its flexible array.
    struct header {
        std::uint16_t length, object_id, method_id, num_attrs;
        std::uint64_t reserved1;
        std::uint32_t driver_id, reserved2;
    };
    static_assert(sizeof(header) == sizeof(ib_uverbs_ioctl_hdr));

    caller *process_;
    std::uint64_t address_ = 0;
    header header_{};
    std::vector<ib_uverbs_attr> attributes_;
};

template <typename T> bytes bytes_of(const T &value)
{
    bytes b(sizeof value);
    std::memcpy(b.data(), &value, sizeof value);
    return b;
}

// As much of value as fits.
template <typename T> void fill(bytes &to, const T &value)
{
    std::memcpy(to.data(), &value, std::min(to.size(), sizeof value));
}

} // namespace adp::emukernel
