// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// emukernel-register STATEFILE PCI [REGISTER]
// Prints a register of a simulated device as the firmware model answers it, without any driver in
// between and without disturbing injected faults, in the raw table form that mlxreg prints. What a
// test compares other readers with.
#include "firmware.h"
#include "store.h"

#include "register/roce_accl.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr std::size_t header_bytes = 16;
constexpr std::size_t register_bytes = 64;

// ACCESS_REG, op_mod 1: a query.
std::vector<std::uint8_t> query(unsigned id)
{
    std::vector<std::uint8_t> in(header_bytes + register_bytes);
    in[0] = 0x08;
    in[1] = 0x05;
    in[7] = 1;
    in[10] = static_cast<std::uint8_t>(id >> 8U);
    in[11] = static_cast<std::uint8_t>(id);
    return in;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        std::fprintf(stderr, "usage: emukernel-register STATEFILE PCI [REGISTER]\n");
        return 1;
    }
    const unsigned long id = argc == 4 ? std::strtoul(argv[3], nullptr, 0) : adp::reg::roce_accl_id;
    const auto opened = adp::sim::store::open(argv[1]);
    if (!opened) {
        std::fprintf(stderr, "emukernel-register: %s\n", opened.err().reason.c_str());
        return 2;
    }
    auto devices = (*opened)->devices();
    if (!devices) {
        std::fprintf(stderr, "emukernel-register: %s\n", devices.err().reason.c_str());
        return 2;
    }
    for (adp::sim::model &m : *devices) { // a copy: nothing is written back
        if (m.pci != argv[2])
            continue;
        m.faults.clear();
        const auto in = query(static_cast<unsigned>(id));
        std::vector<std::uint8_t> out(in.size());
        const adp::sim::outcome done = adp::sim::execute(m, in, out);
        if (done.err != 0 || out[0] != 0) {
            std::fprintf(stderr, "emukernel-register: errno %d status 0x%x\n", done.err, out[0]);
            return 2;
        }
        std::puts("Address\t| Data\n=======================");
        for (std::size_t at = 0; at < register_bytes; at += 4)
            std::printf("0x%08zx | 0x%02x%02x%02x%02x\n", at, out[header_bytes + at],
                        out[header_bytes + at + 1], out[header_bytes + at + 2],
                        out[header_bytes + at + 3]);
        std::puts("=======================");
        return 0;
    }
    std::fprintf(stderr, "emukernel-register: no device %s\n", argv[2]);
    return 2;
}
