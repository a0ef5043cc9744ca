// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "uverbs.h"

#include <cerrno>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>

namespace adp::emukernel {

long uverbs::ioctl(uverbs_file &file, caller &process, unsigned long request,
                   std::uint64_t argument)
{
    if (request != RDMA_VERBS_IOCTL)
        return -ENOTTY;
    uverbs_command c{process};
    if (const long failed = c.fetch(argument))
        return failed;
    const std::lock_guard lock{file.busy};
    const std::string &pci = file.device->pci.front();
    call_record record;
    record.node = file.node;
    record.call = "ioctl";
    record.object = static_cast<int>(c.object());
    record.method = static_cast<int>(c.method());
    long answer = 0;
    if (firmware_->gone(pci))
        answer = -EIO; // what a uverbs file without its device says
    else if (const int fault = firmware_->method_fault(pci, c.object(), c.method()))
        answer = -fault;
    else
        answer = dispatch(file, c, record);
    record.error = answer < 0 ? static_cast<int>(-answer) : 0;
    log_->call(record);
    if (answer >= 0)
        if (const long failed = c.give_back())
            return failed;
    return answer;
}

// What the kernel does not know is EPROTONOSUPPORT, and the library falls back; ENOTTY would make
// it give up the ioctl interface altogether.
long uverbs::dispatch(uverbs_file &file, uverbs_command &c, call_record &record)
{
    switch (c.object()) {
    case UVERBS_OBJECT_DEVICE: return device_method(file, c);
    case UVERBS_OBJECT_ASYNC_EVENT:
        return c.method() == UVERBS_METHOD_ASYNC_EVENT_ALLOC ? async_event(c) : -EPROTONOSUPPORT;
    case MLX5_IB_OBJECT_DEVX:
    case MLX5_IB_OBJECT_DEVX_OBJ: return devx_method(file, c, record);
    default: return object_method(file, c);
    }
}

long uverbs::async_event(uverbs_command &c)
{
    const int fd = c.process().event_fd();
    if (fd < 0)
        return -EMFILE;
    c.set_handle(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, static_cast<std::uint64_t>(fd));
    return 0;
}

} // namespace adp::emukernel
