// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register_window.h"

#include "rules.h"

#include <vector>

namespace adp {

namespace {

// Dwords of the capability.
constexpr unsigned window_control = 0x04; // space, and in bit 29 whether there is such a space
constexpr unsigned window_ticket = 0x08;
constexpr unsigned window_semaphore = 0x0c;
constexpr unsigned window_address = 0x10; // bit 31: write; falls when done. Read: rises when done
constexpr unsigned window_data = 0x14;
constexpr std::uint32_t flag = 1U << 31U;
constexpr std::uint32_t address_mask = 0x3fffffff;

enum space : std::uint32_t { icmd_extended = 1, cr_space = 2, icmd = 3, semaphores = 10 };

constexpr std::uint32_t cr_hardware_id = 0xf0014;
constexpr std::uint32_t icmd_control = 0x0;
constexpr std::uint32_t icmd_size = 0x1000;
constexpr std::uint32_t icmd_mailbox = 0x100000;
constexpr unsigned icmd_access_register = 0x9001;

// Status of a register access message.
constexpr unsigned tlv_not_supported = 4;
constexpr unsigned tlv_bad_parameter = 7;

constexpr std::uint32_t op_access_reg = 0x805;
constexpr auto unknown_register = static_cast<std::uint32_t>(sim::rule::unknown_register);

std::uint32_t dword(std::span<const std::uint8_t> from, std::size_t at)
{
    return std::uint32_t{from[at]} << 24U | std::uint32_t{from[at + 1]} << 16U |
           std::uint32_t{from[at + 2]} << 8U | from[at + 3];
}

void put_dword(std::span<std::uint8_t> to, std::size_t at, std::uint32_t value)
{
    for (unsigned i = 0; i < 4; ++i)
        to[at + i] = static_cast<std::uint8_t>(value >> (24U - 8U * i));
}

} // namespace

std::uint32_t register_window::read(unsigned offset)
{
    switch (offset) {
    case window_control: {
        const bool known = (state_.control >= icmd_extended && state_.control <= icmd) ||
                           state_.control == semaphores;
        return state_.control | (known ? 1U << 29U : 0U);
    }
    case window_ticket: return ++state_.ticket;
    case window_semaphore: return state_.semaphore;
    case window_address: return state_.address;
    case window_data: return state_.data;
    default: return 0;
    }
}

void register_window::write(unsigned offset, std::uint32_t value)
{
    switch (offset) {
    case window_control: state_.control = value & 0xffffU; break;
    case window_semaphore: // the first who writes holds it, until 0 is written
        if (value == 0 || state_.semaphore == 0)
            state_.semaphore = value;
        break;
    case window_data: state_.data = value; break;
    case window_address:
        if ((value & flag) != 0) {
            write_space(value & address_mask, state_.data);
            state_.address = value & ~flag;
        } else {
            state_.data = read_space(value & address_mask);
            state_.address = value | flag;
        }
        break;
    default: break;
    }
}

std::uint32_t register_window::read_space(std::uint32_t address) const
{
    if (state_.control == cr_space)
        return address == cr_hardware_id ? hardware_id_ : 0;
    if (state_.control == semaphores)
        return state_.semaphore_space[address / 4 % 64];
    if (state_.control != icmd)
        return 0;
    if (address == icmd_control)
        return state_.icmd_control;
    if (address == icmd_size)
        return icmd_mailbox_bytes;
    if (address >= icmd_mailbox && address < icmd_mailbox + icmd_mailbox_bytes)
        return state_.mailbox[(address - icmd_mailbox) / 4];
    return 0;
}

void register_window::write_space(std::uint32_t address, std::uint32_t value)
{
    if (state_.control == semaphores) {
        std::uint32_t &held = state_.semaphore_space[address / 4 % 64];
        if (value == 0 || held == 0)
            held = value;
    } else if (state_.control == icmd) {
        if (address >= icmd_mailbox && address < icmd_mailbox + icmd_mailbox_bytes)
            state_.mailbox[(address - icmd_mailbox) / 4] = value;
        if (address == icmd_control) {
            state_.icmd_control = value;
            if ((value & 1U) != 0)
                execute_icmd();
        }
    }
}

void register_window::execute_icmd()
{
    const unsigned op = state_.icmd_control >> 16U;
    unsigned status = 1; // no such command
    if (op == icmd_access_register)
        status = access_register();
    // and no longer busy
    state_.icmd_control = (state_.icmd_control & 0xffff0000U) | status << 8U;
}

// The message: an operation TLV (status in dword 0, register and method in dword 1), then a register
// TLV (length in dwords, its header included) with the register.
unsigned register_window::access_register()
{
    std::uint32_t *message = state_.mailbox;
    const unsigned length = message[4] >> 16U & 0x7ffU;
    const unsigned method = message[1] >> 8U & 0x7fU; // 1 query, 2 write
    const std::size_t dwords = length > 0 ? length - 1 : 0;
    if (dwords == 0 || dwords > icmd_mailbox_bytes / 4 - 5 || (method != 1 && method != 2))
        return 1;
    std::vector<std::uint8_t> in(16 + dwords * 4), out(in.size());
    put_dword(in, 0, op_access_reg << 16U);
    put_dword(in, 4, method == 1 ? 1 : 0);
    put_dword(in, 8, message[1] >> 16U);
    for (std::size_t i = 0; i < dwords; ++i)
        put_dword(in, 16 + 4 * i, message[5 + i]);
    if (!execute_(in, out))
        return 2; // the command itself failed
    unsigned status = 0;
    if (out[0] != 0) // the model answers "bad parameter" also for a register that it does not have
        status = out[0] == 0x03 && dword(out, 4) == unknown_register ? tlv_not_supported
                                                                     : tlv_bad_parameter;
    message[0] = (message[0] & ~(0x7fU << 8U)) | status << 8U;
    message[1] |= 1U << 15U; // a response
    for (std::size_t i = 0; status == 0 && i < dwords; ++i)
        message[5 + i] = dword(out, 16 + 4 * i);
    return 0;
}

} // namespace adp
