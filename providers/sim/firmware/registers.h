// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the registers of the model do when they are read and written. Private to the model.
#pragma once

#include "model.h"
#include "rules.h"

#include <cstdint>
#include <span>

namespace adp::sim {

// One access. in and out are the register's data in wire order, out all zeros and at least as long
// as the register's least length, as is in.
struct register_call {
    model &m;
    bool write;
    std::span<const std::uint8_t> in;
    std::span<std::uint8_t> out;
};

struct register_handler {
    std::uint16_t id;
    std::size_t least_bytes;
    bool (*exists)(const model &);
    rule (*call)(const register_call &);
};

// nullptr: this firmware has no such register.
const register_handler *find_register(const model &m, std::uint16_t id);

rule access_roce_accl(const register_call &call);        // accl.cpp
rule access_histogram_config(const register_call &call); // histogram_registers.cpp
rule access_histogram(const register_call &call);        // histogram_registers.cpp

} // namespace adp::sim
