// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Completion queues, queue pairs, doorbell pages: enough for a queue pair to reach RTS.
#include "uverbs.h"

#include <cerrno>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

namespace adp::emukernel {

std::uint32_t uverbs::add(uverbs_file &file, object_kind kind)
{
    const std::uint32_t handle = ids_->next();
    file.objects[handle].kind = kind;
    return handle;
}

long uverbs::destroy(uverbs_file &file, uverbs_command &c, object_kind kind, unsigned attribute)
{
    const auto found = file.objects.find(c.handle(attribute));
    if (found == file.objects.end() || found->second.kind != kind)
        return -ENOENT;
    if (kind == object_kind::qp)
        list_.forget(file.device->name, found->first);
    file.objects.erase(found);
    return 0;
}

long uverbs::create_cq(uverbs_file &file, uverbs_command &c)
{
    const auto entries = static_cast<std::uint32_t>(c.number(UVERBS_ATTR_CREATE_CQ_CQE));
    mlx5_ib_create_cq_resp driver{};
    driver.cqn = add(file, object_kind::cq);
    c.set_handle(UVERBS_ATTR_CREATE_CQ_HANDLE, driver.cqn);
    return c.output(UVERBS_ATTR_CREATE_CQ_RESP_CQE, entries) &&
                   c.output(UVERBS_ATTR_UHW_OUT, driver)
               ? 0
               : -EFAULT;
}

long uverbs::create_qp(uverbs_file &file, uverbs_command &c)
{
    const std::uint32_t handle = add(file, object_kind::qp);
    queue_pair &qp = file.objects[handle].qp;
    qp.number = handle;
    qp.type = static_cast<std::uint8_t>(c.number(UVERBS_ATTR_CREATE_QP_TYPE));
    list_.keep(file.device->name, qp);
    c.set_handle(UVERBS_ATTR_CREATE_QP_HANDLE, handle);
    bytes capabilities;
    c.input(UVERBS_ATTR_CREATE_QP_CAP, capabilities);
    return c.output(UVERBS_ATTR_CREATE_QP_RESP_CAP, capabilities.data(), capabilities.size()) &&
                   c.output(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, handle) &&
                   c.output(UVERBS_ATTR_UHW_OUT, mlx5_ib_create_qp_resp{})
               ? 0
               : -EFAULT;
}

long uverbs::create_uar(uverbs_file &file, uverbs_command &c)
{
    const std::uint32_t page = add(file, object_kind::uar);
    c.set_handle(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, page);
    const std::uint64_t offset = std::uint64_t{page} << 12;
    const std::uint32_t length = 4096;
    return c.output(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, offset) &&
                   c.output(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, length) &&
                   c.output(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, page)
               ? 0
               : -EFAULT;
}

long uverbs::object_method(uverbs_file &file, uverbs_command &c)
{
    const auto is = [&c](unsigned object, unsigned method) {
        return c.object() == object && c.method() == method;
    };
    if (is(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE))
        return create_cq(file, c);
    if (is(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE))
        return create_qp(file, c);
    if (is(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC))
        return create_uar(file, c);
    if (is(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY))
        return destroy(file, c, object_kind::pd, UVERBS_ATTR_DESTROY_PD_HANDLE);
    if (is(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY))
        return destroy(file, c, object_kind::mr, UVERBS_ATTR_DESTROY_MR_HANDLE);
    if (is(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY))
        return destroy(file, c, object_kind::uar, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE);
    if (is(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY)) {
        if (!c.output(UVERBS_ATTR_DESTROY_CQ_RESP, ib_uverbs_destroy_cq_resp{}))
            return -EFAULT;
        return destroy(file, c, object_kind::cq, UVERBS_ATTR_DESTROY_CQ_HANDLE);
    }
    if (is(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY)) {
        if (!c.output(UVERBS_ATTR_DESTROY_QP_RESP, ib_uverbs_destroy_qp_resp{}))
            return -EFAULT;
        return destroy(file, c, object_kind::qp, UVERBS_ATTR_DESTROY_QP_HANDLE);
    }
    return -EPROTONOSUPPORT;
}

} // namespace adp::emukernel
