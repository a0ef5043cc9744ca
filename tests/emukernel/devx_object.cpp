// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// DEVX objects: counter sets alone. The gates are those of the kernel's
// drivers/infiniband/hw/mlx5/devx.c: an object is asked for itself only, and the kernel remembers how
// it is destroyed.
#include "uverbs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <rdma/mlx5_user_ioctl_cmds.h>

namespace adp::emukernel {

namespace {

constexpr std::size_t at_id = 0x0b;       // counter_set_id in ALLOC's answer and in DEALLOC
constexpr std::size_t at_query_id = 0x1f; // ... in QUERY_Q_COUNTER
constexpr std::size_t at_clear = 0x18;

// The sets of a program begin well above those of the kernel.
std::uint8_t free_id(const uverbs_file &file)
{
    std::uint8_t id = 0x40;
    const auto taken = [&] {
        return std::any_of(file.objects.begin(), file.objects.end(), [&](const auto &one) {
            return one.second.kind == object_kind::counter_set && one.second.counters.id == id;
        });
    };
    while (taken())
        id++;
    return id;
}

void put(std::span<std::uint8_t> out, std::size_t at, std::uint32_t value)
{
    for (std::size_t i = 0; i < 4 && at + i < out.size(); i++)
        out[at + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

unsigned opcode_in(uverbs_command &c, unsigned attribute)
{
    bytes in;
    return c.input(attribute, in) && in.size() >= 2 ? opcode_of(in) : 0;
}

} // namespace

long uverbs::devx_create(uverbs_file &file, uverbs_command &c, call_record &record)
{
    if (opcode_in(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN) != opcode::alloc_q_counter)
        return -EINVAL;
    bool made = false;
    const std::uint8_t id = free_id(file);
    const long answer = devx_command(file, c, record, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN,
                                     MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, [&](auto, auto out) {
                                         out[at_id] = id;
                                         made = true;
                                     });
    if (answer != 0 || !made)
        return answer;
    const std::uint32_t handle = add(file, object_kind::counter_set);
    file.objects[handle].counters.id = id;
    c.set_handle(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, handle);
    return 0;
}

long uverbs::devx_query(uverbs_file &file, uverbs_command &c, call_record &record,
                        const own_counters &set)
{
    bytes in;
    if (!c.input(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, in) || in.size() <= at_query_id ||
        opcode_of(in) != opcode::query_q_counter || in[at_query_id] != set.id)
        return -EINVAL;
    // Nothing that libadp does may clear a counter: a test must not pass when it does.
    if ((in[at_clear] & 0x80U) != 0)
        return -EINVAL;
    return devx_command(file, c, record, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
                        MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, [&](auto, auto out) {
                            put(out, 0x60, 2 * set.queue_pairs); // local_ack_timeout_err
                            put(out, 0x48, set.queue_pairs);     // rnr_nak_retry_err
                        });
}

long uverbs::devx_destroy(uverbs_file &file, uverbs_command &c, call_record &record)
{
    const auto found = file.objects.find(c.handle(MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE));
    if (found == file.objects.end() || found->second.kind != object_kind::counter_set)
        return -ENOENT;
    std::array<std::uint8_t, 16> in{}, out{};
    in[0] = opcode::dealloc_q_counter >> 8U;
    in[1] = opcode::dealloc_q_counter & 0xffU;
    in[3] = 1; // uid
    in[at_id] = found->second.counters.id;
    describe_mailbox(in, record);
    const firmware_gate::reply reply =
        firmware_->execute(file.device->pci.front(), in, out, c.process(), record);
    if (reply.error != 0)
        return -reply.error;
    if (out[0] != 0)
        return -EREMOTEIO;
    file.objects.erase(found);
    return 0;
}

} // namespace adp::emukernel
