// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The registers of the ADP retransmission histogram, and the capability bit that announces them.
// It counts timeout events by the value of the timeout: the only public view of what a profile
// really does.
//
// Source of the layouts: mstflint's register table (nodes nic_cap_reg_ext,
// adp_retx_histogram_config_reg_ext, adp_retx_histogram_reg_ext), mstflint 4.34. Not verified on
// hardware.
#pragma once

#include "register/field.h"

#include <adp/adp.h>

#include <string>
#include <vector>

namespace adp::reg {

inline constexpr std::uint16_t nic_cap_id = 0xc00d;
inline constexpr std::uint16_t histogram_config_id = 0xc01d;
inline constexpr std::uint16_t histogram_id = 0xc01e;

extern const layout nic_cap; // only the field that libadp needs
extern const layout
    histogram_config;          // 0x80 bytes, as in mstflint's table; the last 0x74 are unused
extern const layout histogram; // size: with all bins that bin_num can count

// The bins stand behind the fields of histogram, a big-endian 64-bit number each.
inline constexpr std::size_t histogram_bins_offset = 0x10;
constexpr std::size_t histogram_bytes(std::uint32_t bins)
{
    return histogram_bins_offset + std::size_t{8} * bins;
}

// What NIC_CAP_REG says about the two other registers.
bool announces_histogram(std::span<const std::uint32_t> nic_cap_dwords);

// Fills the members that the configuration register holds and leaves the others as they are.
void decode_histogram_config(std::span<const std::uint32_t> dwords, adp_histogram &to);

// Puts the members in mask (ADP_HISTOGRAM_SET_*) into the register and leaves every other bit.
void encode_histogram_config(const adp_histogram &from, std::uint32_t mask,
                             std::span<std::uint32_t> dwords);

// Every ADP_HISTOGRAM_SET_* bit that there is.
std::uint32_t histogram_settable();

// What is wrong with the members in mask, whatever the device; empty when nothing is.
std::string histogram_faults(const adp_histogram &wanted, std::uint32_t mask);

// The members in mask that differ: "bin_num: asked 8, the device shows 4; ..."; empty when none does.
std::string histogram_differences(const adp_histogram &asked, const adp_histogram &shown,
                                  std::uint32_t mask);

// Fills bin[] and bins_read: bin_num of the register, less where the reply is shorter.
void decode_histogram(std::span<const std::uint32_t> dwords, adp_histogram &to);

// The inverse, for models of the firmware: bin_num and the bins that fit.
void encode_histogram(const adp_histogram &from, std::span<std::uint32_t> dwords);

// What bin i counts: [low, high), in the histogram's time unit; high UINT64_MAX where it is beyond
// 64 bits.
struct bin_bounds {
    std::uint64_t low;
    std::uint64_t high;
};
std::vector<bin_bounds> histogram_bounds(const adp_histogram &h);

// The time unit in ns.
std::uint64_t histogram_unit_ns(std::uint32_t time_unit);

} // namespace adp::reg
