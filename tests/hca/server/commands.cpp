// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "commands.h"

#include <array>

namespace adp::hca {

namespace {

const command *find(std::uint16_t opcode)
{
    for (const auto family : {device_commands(), object_commands(), queue_pair_commands(),
                              port_commands(), counter_commands(), switch_commands()})
        for (const command &one : family)
            if (one.opcode == opcode)
                return &one;
    return nullptr;
}

} // namespace

status taken(const call &)
{
    return status::ok;
}

bool run_command(hca_function &f, view in, room out, status &answer)
{
    const command *found = find(get16(in, 0));
    if (found == nullptr) {
        answer = status::bad_op;
        return false;
    }
    if (in.size() < found->least_in)
        answer = status::bad_input_length;
    else if (out.size() < found->least_out)
        answer = status::bad_output_length;
    else
        answer = found->run({f, found->opcode, get16(in, 6), get16(in, 2), in, out});
    return true;
}

std::string_view command_name(std::uint16_t opcode)
{
    constexpr std::uint16_t access_reg = 0x805;
    constexpr std::uint16_t access_register_user = 0xb0c;
    if (opcode == access_reg)
        return "ACCESS_REG";
    if (opcode == access_register_user)
        return "ACCESS_REGISTER_USER";
    const command *found = find(opcode);
    return found == nullptr ? "?" : found->name;
}

} // namespace adp::hca
