// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mailbox.h"

#include "flow/derivation.h"
#include "register/field.h"
#include "register/fw_status.h"
#include "text/format.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace adp::mlx5 {

namespace {

std::string_view name_of(opcode op)
{
    switch (op) {
    case opcode::query_hca_cap: return "QUERY_HCA_CAP";
    case opcode::rts2rts_qp: return "RTS2RTS_QP";
    case opcode::query_qp: return "QUERY_QP";
    case opcode::alloc_q_counter: return "ALLOC_Q_COUNTER";
    case opcode::dealloc_q_counter: return "DEALLOC_Q_COUNTER";
    case opcode::query_q_counter: return "QUERY_Q_COUNTER";
    case opcode::access_reg: return "ACCESS_REG";
    case opcode::access_register_user: return "ACCESS_REGISTER_USER";
    }
    return "command";
}

// argument: of most commands the dword behind op_mod.
mailbox header(opcode op, std::uint16_t op_mod, std::uint32_t argument, std::size_t data)
{
    const std::array<std::uint32_t, 4> dwords{static_cast<std::uint32_t>(op) << 16, op_mod,
                                              argument, 0};
    mailbox box(header_bytes + data);
    reg::store(box, dwords);
    return box;
}

} // namespace

std::string describe(const command &c)
{
    std::string text{name_of(c.op)};
    if (c.register_id != 0)
        text += adp::format(" of register 0x{:04x}", c.register_id);
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

mailbox query_qp_mailbox(std::uint32_t qpn)
{
    return header(opcode::query_qp, 0, qpn & flow::qpn_mask, 0);
}

mailbox alloc_q_counter_mailbox()
{
    return header(opcode::alloc_q_counter, 0, 0, 0);
}

mailbox query_q_counter_mailbox(std::uint32_t set)
{
    mailbox box = header(opcode::query_q_counter, 0, 0, 16);
    box[0x1f] = static_cast<std::uint8_t>(set); // counter_set_id has 8 bits
    return box;
}

// What the kernel's mlx5_ib_qp_set_counter() sends (drivers/infiniband/hw/mlx5/qp.c): opt_param_mask
// MLX5_QP_OPTPAR_COUNTER_SET_ID and the one field of the context.
mailbox counter_set_mailbox(std::uint32_t qpn, std::uint32_t set)
{
    constexpr std::size_t context_at = 0x18, command_bytes = 0x110;
    mailbox box = header(opcode::rts2rts_qp, 0, qpn & flow::qpn_mask, command_bytes - header_bytes);
    box[0x10] = 1U << (25 - 24); // opt_param_mask, bit 25
    box[context_at + 0x0c] = static_cast<std::uint8_t>(set);
    return box;
}

error refusal(const command &c, std::uint8_t status, std::uint32_t syndrome)
{
    error e{EREMOTEIO, "firmware refused " + describe(c), "", {}};
    if (status == status_not_told)
        e.reason += "; its status was not passed on";
    else
        e.reason += adp::format(": status 0x{:02x} ({}), syndrome 0x{:08x}", status,
                                reg::status_text(status), syndrome);
    const reg::fw_status_info *known = reg::find_status(status);
    if (known != nullptr && (known->err == EBUSY || known->err == EAGAIN))
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
            adp::format("short reply to {}: {} of {} bytes", describe(c), reply.size(), expected),
            "",
            {}};
    return {};
}

} // namespace adp::mlx5
