// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// DEVX: raw firmware commands through the verbs device. The gates are those of the kernel's
// drivers/infiniband/hw/mlx5/devx.c.
#include "uverbs.h"

#include <cerrno>
#include <rdma/mlx5_user_ioctl_cmds.h>

namespace adp::emukernel {

namespace {

constexpr std::size_t header_bytes = 16;

// DEVX.OTHER lets through the range of general commands and a list of queries. ACCESS_REG 0x805 is
// not among them.
bool is_general(unsigned op)
{
    if (op >= 0xb00 && op < 0xd00)
        return true;
    switch (op) {
    case opcode::query_hca_cap:
    case 0x101: // QUERY_ADAPTER
    case 0x10a: // QUERY_ISSI
    case 0x740: // QUERY_ESW_FUNCTIONS
    case 0x750: // QUERY_VPORT_STATE
    case 0x752: // QUERY_ESW_VPORT_CONTEXT
    case 0x754: // QUERY_NIC_VPORT_CONTEXT
    case 0x760: // QUERY_ROCE_ADDRESS
    case 0x762: // QUERY_HCA_VPORT_CONTEXT
    case 0x76f: // QUERY_VNIC_ENV
    case 0x770: // QUERY_VPORT_COUNTER
    case 0x80d: // NOP
    case 0x822: // QUERY_CONG_STATUS
    case 0x824: // QUERY_CONG_PARAMS
    case 0x826: // QUERY_CONG_STATISTICS
    case 0x842: // QUERY_LAG
        return true;
    default: return false;
    }
}

// Commands that a context without DEVX may send: libmlx5 asks for capabilities in every context.
bool needs_no_uid(unsigned op)
{
    return op == opcode::query_hca_cap || op == 0x740 || op == 0x752 || op == 0x762;
}

// How kernels before mlx5_cmd_do() turned a status into an errno (cmd_status_to_err).
int legacy_errno(unsigned status)
{
    switch (status) {
    case 0x01:
    case 0x04:
    case 0x50:
    case 0x51: return EIO;
    case 0x06: return EBUSY;
    case 0x08: return ENOMEM;
    case 0x0f: return EAGAIN;
    case 0x02:
    case 0x03:
    case 0x05:
    case 0x09:
    case 0x0a:
    case 0x10:
    case 0x30:
    case 0x40: return EINVAL;
    default: return EIO;
    }
}

} // namespace

long uverbs::devx_method(uverbs_file &file, uverbs_command &c, call_record &record)
{
    if (c.object() == MLX5_IB_OBJECT_DEVX && c.method() == MLX5_IB_METHOD_DEVX_OTHER)
        return devx_command(file, c, record, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
                            MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
    if (c.object() == MLX5_IB_OBJECT_DEVX && c.method() == MLX5_IB_METHOD_DEVX_QUERY_EQN) {
        const std::uint32_t eqn = 7;
        return c.output(MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, eqn) ? 0 : -EFAULT;
    }
    if (c.object() != MLX5_IB_OBJECT_DEVX_OBJ)
        return -EPROTONOSUPPORT;
    unsigned handle = 0, in = 0, out = 0;
    if (c.method() == MLX5_IB_METHOD_DEVX_OBJ_CREATE)
        return devx_create(file, c, record);
    if (c.method() == MLX5_IB_METHOD_DEVX_OBJ_DESTROY)
        return devx_destroy(file, c, record);
    if (c.method() == MLX5_IB_METHOD_DEVX_OBJ_MODIFY) {
        handle = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE;
        in = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN;
        out = MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT;
    } else if (c.method() == MLX5_IB_METHOD_DEVX_OBJ_QUERY) {
        handle = MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE;
        in = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN;
        out = MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT;
    } else {
        return -EPROTONOSUPPORT;
    }
    const auto found = file.objects.find(c.handle(handle));
    if (found == file.objects.end())
        return -ENOENT;
    if (found->second.kind == object_kind::counter_set)
        return c.method() == MLX5_IB_METHOD_DEVX_OBJ_QUERY
                   ? devx_query(file, c, record, found->second.counters)
                   : -EINVAL;
    if (found->second.kind != object_kind::qp)
        return devx_command(file, c, record, in, out);
    queue_pair &qp = found->second.qp;
    return devx_command(file, c, record, in, out, [&](auto command, auto answer) {
        constexpr std::uint8_t bad_state = 0x10;
        const std::uint8_t set_before = qp.counter_set;
        if (opcode_of(command) == opcode::query_qp)
            qp.answer(answer);
        else if (is_queue_pair_command(opcode_of(command)) && !qp.apply(command))
            answer[0] = bad_state;
        for (auto &[number, object] : file.objects)
            if (object.kind == object_kind::counter_set && qp.counter_set != set_before &&
                object.counters.id == qp.counter_set)
                object.counters.queue_pairs++;
        list_.keep(file.device->name, qp);
    });
}

long uverbs::devx_command(uverbs_file &file, uverbs_command &c, call_record &record, unsigned in_id,
                          unsigned out_id, const devx_effect &then)
{
    bytes in;
    const ib_uverbs_attr *out_attribute = c.find(out_id);
    if (out_attribute == nullptr || !c.input(in_id, in) || in.size() < header_bytes ||
        out_attribute->len < header_bytes)
        return -EINVAL;
    const unsigned op = opcode_of(in);
    record.call = "devx";
    record.in = in.size();
    record.out = out_attribute->len;
    describe_mailbox(in, record);
    const bool general = c.object() == MLX5_IB_OBJECT_DEVX;
    if ((!file.devx && !needs_no_uid(op)) || (general && !is_general(op)))
        return -EINVAL;
    in[2] = 0; // the kernel puts the context's uid in
    in[3] = file.devx ? 1 : 0;
    bytes out(record.out);
    const firmware_gate::reply reply =
        firmware_->execute(file.device->pci.front(), in, out, c.process(), record);
    if (reply.error != 0)
        return -reply.error;
    if (then && out[0] == 0)
        then(in, out);
    const unsigned status = out[0];
    // Kernels with mlx5_cmd_do() hand the refusal over together with EREMOTEIO, older ones do not.
    if (status != 0 && settings_->legacy_status)
        return -legacy_errno(status);
    if (!c.output(out_id, out.data(), std::min(out.size(), reply.copy)))
        return -EFAULT;
    return status != 0 ? -EREMOTEIO : 0;
}

} // namespace adp::emukernel
