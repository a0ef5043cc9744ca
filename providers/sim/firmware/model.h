// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Everything that a simulated PCI function remembers.
#pragma once

#include "capability.h"
#include "fault.h"

#include "register/roce_accl.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace adp::sim {

// The parameters of an ADP profile: dwords 4..15 of ROCE_ACCL.
inline constexpr std::size_t profile_first_dword = 4;
using profile_block = std::array<std::uint32_t, reg::roce_accl_dwords - profile_first_dword>;

// Profile numbers are a field of 3 bits.
inline constexpr std::uint32_t max_profile_id = 7;

struct histogram_state {
    std::array<std::uint32_t, 4> config{}; // ADP_RETX_HISTOGRAM_CONFIG as read
    std::vector<std::uint64_t> bins;       // what ADP_RETX_HISTOGRAM shows; missing ones are 0

    bool operator==(const histogram_state &) const = default;
};

struct model {
    // Who it is. The functions of one bond share the RDMA device.
    std::string ibdev;
    std::string pci;
    std::string fw_ver;
    std::string board_id = "SIM0000000001"; // in the manner of "MT_0000000359"
    std::string netdev;                     // "" where there is none
    std::uint16_t device_id = 0x1021;       // PCI device id ...
    std::uint16_t hw_dev_id = 0x218; // ... and hardware id, as mstflint's device table has them

    bool gone = false;            // it has disappeared: every command fails with ENODEV
    std::uint32_t active_qps = 0; // matters to firmware before xx.46.1006

    // ROCE_ACCL as a query that names no profile answers it: dword 0 says what can be set, the
    // profile shown is the active one. stored: parameters of the profiles that are not active.
    reg::accl_image accl{};
    std::map<std::uint8_t, profile_block> stored;

    std::uint32_t nic_cap = 0; // dword 0 of NIC_CAP_REG
    histogram_state histogram;

    capability_values caps = usual_capabilities();
    std::vector<fault> faults;

    bool operator==(const model &) const = default;
};

struct fw_version {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned sub = 0;
};

// "28.47.1026"; zeros where the text is not of this form.
fw_version version_of(const model &m);

// Whether the firmware is older than xx.MINOR.SUB; false where its version is not understood.
bool older_than(const model &m, unsigned minor, unsigned sub);

} // namespace adp::sim
