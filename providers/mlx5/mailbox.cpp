// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mailbox.h"

#include "register/field.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>

namespace adp::mlx5 {

namespace {

// Values and names: include/linux/mlx5/device.h of the kernel; errno: its cmd_status_to_err().
// 0x07 is in newer kernels only.
constexpr command_status table[] = {
    {0x00, "OK", "ok", 0},
    {0x01, "INT_ERR", "internal error", EIO},
    {0x02, "BAD_OP_ERR", "bad operation", EINVAL},
    {0x03, "BAD_PARAM_ERR", "bad parameter", EINVAL},
    {0x04, "BAD_SYS_STATE_ERR", "bad system state", EIO},
    {0x05, "BAD_RES_ERR", "bad resource", EINVAL},
    {0x06, "RES_BUSY", "resource busy", EBUSY},
    {0x07, "NOT_READY", "firmware not ready", EAGAIN},
    {0x08, "LIM_ERR", "limits exceeded", ENOMEM},
    {0x09, "BAD_RES_STATE_ERR", "bad resource state", EINVAL},
    {0x0a, "IX_ERR", "bad index", EINVAL},
    {0x0f, "NO_RES_ERR", "no resources", EAGAIN},
    {0x10, "BAD_QP_STATE_ERR", "bad QP state", EINVAL},
    {0x30, "BAD_PKT_ERR", "bad packet", EINVAL},
    {0x40, "BAD_SIZE_OUTS_CQES_ERR", "too many outstanding CQEs", EINVAL},
    {0x50, "BAD_INP_LEN_ERR", "bad input length", EIO},
    {0x51, "BAD_OUTP_LEN_ERR", "bad output length", EIO},
};

std::string_view name_of(opcode op)
{
    switch (op) {
    case opcode::query_hca_cap: return "QUERY_HCA_CAP";
    case opcode::access_reg: return "ACCESS_REG";
    case opcode::access_register_user: return "ACCESS_REGISTER_USER";
    }
    return "command";
}

mailbox header(opcode op, std::uint16_t op_mod, std::uint16_t register_id, std::size_t data)
{
    const std::array<std::uint32_t, 4> dwords{static_cast<std::uint32_t>(op) << 16, op_mod,
                                              register_id, 0};
    mailbox box(header_bytes + data);
    reg::store(box, dwords);
    return box;
}

} // namespace

std::string describe(const command &c)
{
    std::string text{name_of(c.op)};
    if (c.register_id != 0)
        text += fmt::format(" of register 0x{:04x}", c.register_id);
    return text;
}

mailbox register_mailbox(const command &c, reg_method method, std::span<const std::uint8_t> data)
{
    const std::uint16_t op_mod = method == reg_method::write ? 0 : 1;
    mailbox box = header(c.op, op_mod, c.register_id, data.size());
    std::copy(data.begin(), data.end(), box.begin() + header_bytes);
    return box;
}

mailbox capability_mailbox(std::uint16_t type)
{
    constexpr std::uint16_t current = 1; // 0: the maximum
    return header(opcode::query_hca_cap, static_cast<std::uint16_t>(type << 1 | current), 0, 0);
}

command_status find_status(std::uint8_t value)
{
    for (const command_status &s : table)
        if (s.value == value)
            return s;
    return {value, "", "unknown status", EIO};
}

error refusal(const command &c, std::uint8_t status, std::uint32_t syndrome)
{
    error e{EREMOTEIO, "firmware refused " + describe(c), "", {}};
    if (status == status_not_told)
        e.reason += "; its status was not passed on";
    else
        e.reason += fmt::format(": status 0x{:02x} ({}), syndrome 0x{:08x}", status,
                                find_status(status).text, syndrome);
    const int err = find_status(status).err;
    if (err == EBUSY || err == EAGAIN)
        e.remedy = "try again";
    e.fw = {static_cast<std::uint16_t>(c.op), status, syndrome, c.register_id};
    return e;
}

result<void> check_reply(const command &c, std::span<const std::uint8_t> reply,
                         std::size_t expected)
{
    std::array<std::uint32_t, 2> head{};
    if (reply.size() >= 4 * head.size()) {
        reg::load(head, reply);
        if (head[0] >> 24 != 0)
            return refusal(c, static_cast<std::uint8_t>(head[0] >> 24), head[1]);
    }
    if (reply.size() < expected)
        return error{
            EPROTO,
            fmt::format("short reply to {}: {} of {} bytes", describe(c), reply.size(), expected),
            "",
            {}};
    return {};
}

} // namespace adp::mlx5
