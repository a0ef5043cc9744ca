// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "query_device_flags.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/rdma_user_ioctl.h>
#include <sys/ioctl.h>

namespace adp::mlx5 {

namespace {

constexpr std::size_t attributes = 4;
constexpr std::size_t header_bytes = sizeof(ib_uverbs_ioctl_hdr);

ib_uverbs_attr attribute(unsigned id, std::size_t length, std::uint64_t data, bool mandatory)
{
    ib_uverbs_attr a{};
    a.attr_id = static_cast<std::uint16_t>(id);
    a.len = static_cast<std::uint16_t>(length);
    a.flags = mandatory ? UVERBS_ATTR_F_MANDATORY : 0;
    a.data = data;
    return a;
}

std::uint64_t address(void *p)
{
    return reinterpret_cast<std::uintptr_t>(p);
}

} // namespace

std::optional<std::uint32_t> query_device_flags(ibv_context *context)
{
    ib_uverbs_ex_query_device_resp core{};
    mlx5_ib_query_device_resp driver{};
    constexpr std::uint32_t extended = IB_USER_VERBS_CMD_FLAG_EXTENDED;
    constexpr std::uint64_t command = extended | std::uint32_t{IB_USER_VERBS_EX_CMD_QUERY_DEVICE};
    // Inputs of up to 8 bytes stand in the attribute; struct ib_uverbs_ex_query_device is 8 zeros.
    const std::array<ib_uverbs_attr, attributes> list{
        attribute(UVERBS_ATTR_CORE_IN, sizeof(ib_uverbs_ex_query_device), 0, true),
        attribute(UVERBS_ATTR_CORE_OUT, sizeof core, address(&core), true),
        attribute(UVERBS_ATTR_WRITE_CMD, sizeof command, command, true),
        attribute(UVERBS_ATTR_UHW_OUT, sizeof driver, address(&driver), false)};
    ib_uverbs_ioctl_hdr header; // no {}: it ends in an array without elements
    std::memset(&header, 0, sizeof header);
    header.length = header_bytes + sizeof list;
    header.object_id = UVERBS_OBJECT_DEVICE;
    header.method_id = UVERBS_METHOD_INVOKE_WRITE;
    header.num_attrs = attributes;
    header.driver_id = RDMA_DRIVER_MLX5;
    alignas(ib_uverbs_attr) std::array<std::byte, header_bytes + sizeof list> request;
    std::memcpy(request.data(), &header, header_bytes);
    std::memcpy(request.data() + header_bytes, list.data(), sizeof list);
    if (::ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, request.data()) != 0)
        return std::nullopt;
    if (driver.response_length < offsetof(mlx5_ib_query_device_resp, flags) + sizeof driver.flags)
        return std::nullopt;
    return driver.flags;
}

} // namespace adp::mlx5
