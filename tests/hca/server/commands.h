// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The commands of the command interface, as far as the kernel's drivers use them. A command that
// is not in the table is refused as firmware refuses one it does not know.
#pragma once

#include "bytes.h"
#include "command_status.h"

#include <string_view>

namespace adp::hca {

class hca_function;

struct call {
    hca_function &f;
    std::uint16_t opcode;
    std::uint16_t modifier; // op_mod
    std::uint16_t user;     // uid: 0 is the driver itself
    view in;
    room out;

    std::uint32_t number() const { return get32(in, 8) & number_mask; }
    // Aims at another function or vport: flag and number of most commands.
    bool other() const { return (get8(in, 8) & 0x80U) != 0; }
    std::uint16_t other_number() const { return get16(in, 10); }
    void answer(std::uint32_t number) const { put32(out, 8, number); }
};

struct command {
    std::uint16_t opcode;
    std::string_view name;
    std::size_t least_in;  // bytes
    std::size_t least_out; // bytes
    status (*run)(const call &);
};

// False: unknown; then the answer is bad_op.
bool run_command(hca_function &f, view in, room out, status &answer);
std::string_view command_name(std::uint16_t opcode);

// The families, each in a file of its own.
std::span<const command> device_commands();
std::span<const command> object_commands();
std::span<const command> queue_pair_commands();
std::span<const command> port_commands();
std::span<const command> counter_commands();
std::span<const command> switch_commands();

// For what a driver sets and nobody reads.
status taken(const call &);

} // namespace adp::hca
