// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The list of registers, and those that only tell who the device is.
#include "registers.h"

#include "register/histogram.h"

#include <array>

namespace adp::sim {

namespace {

bool always(const model &)
{
    return true;
}

bool has_histogram(const model &m)
{
    return reg::announces_histogram({&m.nic_cap, 1});
}

rule access_nic_cap(const register_call &call)
{
    if (call.write)
        return rule::read_only_register;
    reg::store(call.out, {&call.m.nic_cap, 1});
    return rule::none;
}

// MGIR: mstreg and its relatives identify a device by it before anything else. Layout: mstflint's
// register table (mgir_hardware_info_ext, mgir_fw_info_ext).
constexpr std::uint16_t mgir_id = 0x9020;

rule access_mgir(const register_call &call)
{
    if (call.write)
        return rule::read_only_register;
    const fw_version v = version_of(call.m);
    std::array<std::uint32_t, 0x50 / 4> dwords{};
    dwords[0x00 / 4] = call.m.device_id;
    dwords[0x04 / 4] = capability_of(call.m.caps, reg::cap::num_ports) << 16;
    dwords[0x08 / 4] = call.m.hw_dev_id;
    dwords[0x20 / 4] = (v.major & 0xffU) << 16 | (v.minor & 0xffU) << 8 | (v.sub & 0xffU);
    dwords[0x44 / 4] = v.major;
    dwords[0x48 / 4] = v.minor;
    dwords[0x4c / 4] = v.sub;
    reg::store(call.out, dwords);
    return rule::none;
}

// Least lengths: ROCE_ACCL from the vendor's example (mstreg sends 0x40 by number and 0x80 by
// name); the others end with their last field. Model rule: less is refused.
constexpr std::array table{
    register_handler{reg::roce_accl_id, 0x40, always, access_roce_accl},
    register_handler{mgir_id, 0x10, always, access_mgir},
    register_handler{reg::nic_cap_id, 0x04, always, access_nic_cap},
    register_handler{reg::histogram_config_id, 0x0c, has_histogram, access_histogram_config},
    register_handler{reg::histogram_id, 0x10, has_histogram, access_histogram},
};

} // namespace

const register_handler *find_register(const model &m, std::uint16_t id)
{
    for (const register_handler &r : table)
        if (r.id == id)
            return r.exists(m) ? &r : nullptr;
    return nullptr;
}

} // namespace adp::sim
