// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Methods of the device object: contexts, ports, and the older commands that come by ioctl.
#include "device_answers.h"
#include "uverbs.h"

#include <cerrno>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

namespace adp::emukernel {

long uverbs::device_method(uverbs_file &file, uverbs_command &c)
{
    switch (c.method()) {
    case UVERBS_METHOD_INVOKE_WRITE: return invoke_write(file, c);
    case UVERBS_METHOD_GET_CONTEXT: return get_context(file, c);
    case UVERBS_METHOD_QUERY_PORT: return query_port(file, c);
    default: return -EPROTONOSUPPORT; // the GID table and others: the library reads sysfs
    }
}

long uverbs::invoke_write(uverbs_file &file, uverbs_command &c)
{
    if (settings_->write_abi)
        return -EPROTONOSUPPORT;
    write_command w;
    w.number = static_cast<std::uint32_t>(c.number(UVERBS_ATTR_WRITE_CMD));
    c.input(UVERBS_ATTR_CORE_IN, w.core_in);
    c.input(UVERBS_ATTR_UHW_IN, w.driver_in);
    if (const ib_uverbs_attr *a = c.find(UVERBS_ATTR_CORE_OUT))
        w.core_out.resize(a->len);
    if (const ib_uverbs_attr *a = c.find(UVERBS_ATTR_UHW_OUT))
        w.driver_out.resize(a->len);
    if (const long answer = execute_write(file, c.process(), w); answer < 0)
        return answer;
    return c.output(UVERBS_ATTR_CORE_OUT, w.core_out.data(), w.core_out.size()) &&
                   c.output(UVERBS_ATTR_UHW_OUT, w.driver_out.data(), w.driver_out.size())
               ? 0
               : -EFAULT;
}

long uverbs::get_context(uverbs_file &file, uverbs_command &c)
{
    if (file.has_context)
        return -EINVAL;
    bytes driver_in;
    c.input(UVERBS_ATTR_UHW_IN, driver_in);
    mlx5_ib_alloc_ucontext_req_v2 request{};
    std::memcpy(&request, driver_in.data(), std::min(driver_in.size(), sizeof request));
    const bool devx = (request.flags & MLX5_IB_ALLOC_UCTX_DEVX) != 0;
    if (devx && settings_->devx_errno != 0)
        return -settings_->devx_errno;
    file.has_context = true;
    file.devx = devx;
    const std::uint32_t vectors = 8;
    const std::uint64_t core = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
    return c.output(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, vectors) &&
                   c.output(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, core) &&
                   c.output(UVERBS_ATTR_UHW_OUT, context_answer(*file.device))
               ? 0
               : -EFAULT;
}

long uverbs::query_port(const uverbs_file &file, uverbs_command &c)
{
    const std::uint64_t number = c.number(UVERBS_ATTR_QUERY_PORT_PORT_NUM);
    if (number < 1 || number > file.device->ports.size())
        return -EINVAL;
    ib_uverbs_query_port_resp_ex answer{};
    answer.legacy_resp = port_answer(file.device->ports[number - 1]);
    return c.output(UVERBS_ATTR_QUERY_PORT_RESP, answer) ? 0 : -EFAULT;
}

} // namespace adp::emukernel
