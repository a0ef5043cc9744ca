// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/histogram.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

using enum access;

constexpr std::string_view v4_34{"mstflint 4.34"};

constexpr field nic_cap_fields[] = {
    {"adp_retx_histogram", 0x00, 17, 1, ro, -1, v4_34,
     "the registers ADP_RETX_HISTOGRAM_CONFIG and ADP_RETX_HISTOGRAM exist"},
};

// Each row with the member of adp_histogram that it is, and the bit of ADP_HISTOGRAM_SET_* that
// changes it (0: read only).
constexpr field config_fields[] = {
    {"time_unit_cap", 0x00, 20, 4, ro, -1, v4_34,
     "values of time_unit that the device knows, a bit each"},
    {"bin_width_mode", 0x00, 24, 2, rw, -1, v4_34,
     "width of the bins after bin 0: 0 all as bin 1, 1 each twice the one before"},
    {"time_unit", 0x00, 26, 2, rw, -1, v4_34, "unit of the widths: 0 ns, 1 us, 2 100 us, 3 ms"},
    {"vhca_id_valid", 0x00, 29, 1, rw, -1, v4_34,
     "1: count for the function vhca_id; 0: for this function and those that belong to it"},
    {"clear_on_read", 0x00, 30, 1, rw, -1, v4_34, "reading the bins clears them"},
    {"count_enable", 0x00, 31, 1, rw, -1, v4_34,
     "events are counted; changing this clears nothing"},
    {"vhca_id", 0x04, 0, 16, rw, -1, v4_34, "the function to count for, when vhca_id_valid is 1"},
    {"bin_num_max", 0x04, 16, 8, ro, -1, v4_34, "the most bins"},
    {"bin_num", 0x04, 24, 8, rw, -1, v4_34, "how many bins, at least 1"},
    {"bin1_width", 0x08, 0, 16, rw, -1, v4_34, "width of bin 1 in time_unit, not 0"},
    {"bin0_width", 0x08, 16, 16, rw, -1, v4_34, "width of bin 0 in time_unit, not 0"},
};

struct link {
    std::uint32_t adp_histogram::*member;
    std::uint32_t set;
};
constexpr link config_links[] = {
    {&adp_histogram::time_unit_cap, 0},
    {&adp_histogram::bin_width_mode, ADP_HISTOGRAM_SET_BIN_WIDTH},
    {&adp_histogram::time_unit, ADP_HISTOGRAM_SET_TIME_UNIT},
    {&adp_histogram::vhca_id_valid, ADP_HISTOGRAM_SET_VHCA_ID},
    {&adp_histogram::clear_on_read, ADP_HISTOGRAM_SET_CLEAR_ON_READ},
    {&adp_histogram::count_enable, ADP_HISTOGRAM_SET_COUNT_ENABLE},
    {&adp_histogram::vhca_id, ADP_HISTOGRAM_SET_VHCA_ID},
    {&adp_histogram::bin_num_max, 0},
    {&adp_histogram::bin_num, ADP_HISTOGRAM_SET_BIN_NUM},
    {&adp_histogram::bin1_width, ADP_HISTOGRAM_SET_BIN_WIDTH},
    {&adp_histogram::bin0_width, ADP_HISTOGRAM_SET_BIN_WIDTH},
};
static_assert(std::size(config_links) == std::size(config_fields));

constexpr field bins_fields[] = {
    {"bin_num", 0x00, 24, 8, ro, -1, v4_34, "how many bins follow"},
};

constexpr std::size_t first_bin = histogram_bins_offset / 4; // dword

std::uint32_t bins_in(std::span<const std::uint32_t> dwords)
{
    return dwords.size() <= first_bin
               ? 0
               : static_cast<std::uint32_t>(std::min<std::size_t>((dwords.size() - first_bin) / 2,
                                                                  ADP_HISTOGRAM_MAX_BINS));
}

} // namespace

const layout nic_cap{"NIC_CAP_REG", nic_cap_id, 0x80, nic_cap_fields};
const layout histogram_config{"ADP_RETX_HISTOGRAM_CONFIG", histogram_config_id, 0x80,
                              config_fields};
const layout histogram{"ADP_RETX_HISTOGRAM", histogram_id,
                       static_cast<std::uint16_t>(histogram_bytes(ADP_HISTOGRAM_MAX_BINS)),
                       bins_fields};

bool announces_histogram(std::span<const std::uint32_t> nic_cap_dwords)
{
    return get(nic_cap_dwords, nic_cap_fields[0]) != 0;
}

void decode_histogram_config(std::span<const std::uint32_t> dwords, adp_histogram &to)
{
    for (std::size_t i = 0; i < std::size(config_fields); i++)
        to.*config_links[i].member = get(dwords, config_fields[i]);
}

void encode_histogram_config(const adp_histogram &from, std::uint32_t mask,
                             std::span<std::uint32_t> dwords)
{
    for (std::size_t i = 0; i < std::size(config_fields); i++)
        if ((config_links[i].set & mask) != 0)
            put(dwords, config_fields[i], from.*config_links[i].member);
}

std::uint32_t histogram_settable()
{
    std::uint32_t all = 0;
    for (const link &l : config_links)
        all |= l.set;
    return all;
}

std::string histogram_faults(const adp_histogram &wanted, std::uint32_t mask)
{
    for (std::size_t i = 0; i < std::size(config_fields); i++) {
        const field &f = config_fields[i];
        const std::uint32_t value = wanted.*config_links[i].member;
        if ((config_links[i].set & mask) != 0 && value > f.max())
            return over_width(f, value);
    }
    if ((mask & ADP_HISTOGRAM_SET_BIN_WIDTH) == 0)
        return {};
    if (wanted.bin_width_mode > 1)
        return adp::format("bin_width_mode {}: 0 or 1", wanted.bin_width_mode);
    if (wanted.bin0_width == 0 || wanted.bin1_width == 0)
        return "a bin's width is not 0";
    return {};
}

std::string histogram_differences(const adp_histogram &asked, const adp_histogram &shown,
                                  std::uint32_t mask)
{
    std::string text;
    for (std::size_t i = 0; i < std::size(config_fields); i++) {
        const link &l = config_links[i];
        if ((l.set & mask) != 0 && asked.*l.member != shown.*l.member)
            text += (text.empty() ? "" : "; ") +
                    asked_and_shown(config_fields[i], asked.*l.member, shown.*l.member);
    }
    return text;
}

void decode_histogram(std::span<const std::uint32_t> dwords, adp_histogram &to)
{
    to.bins_read = std::min(get(dwords, bins_fields[0]), bins_in(dwords));
    for (std::uint32_t i = 0; i < ADP_HISTOGRAM_MAX_BINS; i++) {
        const std::size_t at = first_bin + std::size_t{2} * i;
        to.bin[i] = i < to.bins_read ? std::uint64_t{dwords[at]} << 32 | dwords[at + 1] : 0;
    }
}

void encode_histogram(const adp_histogram &from, std::span<std::uint32_t> dwords)
{
    put(dwords, bins_fields[0], from.bin_num);
    const std::uint32_t bins = std::min(from.bin_num, bins_in(dwords));
    for (std::uint32_t i = 0; i < bins; i++) {
        const std::size_t at = first_bin + std::size_t{2} * i;
        dwords[at] = static_cast<std::uint32_t>(from.bin[i] >> 32);
        dwords[at + 1] = static_cast<std::uint32_t>(from.bin[i]);
    }
}

std::vector<bin_bounds> histogram_bounds(const adp_histogram &h)
{
    std::vector<bin_bounds> all;
    std::uint64_t low = 0;
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(h.bins_read, ADP_HISTOGRAM_MAX_BINS);
         i++) {
        std::uint64_t width = i == 0 ? h.bin0_width : h.bin1_width;
        // Mode 1: from bin 2 on each is twice as wide as the one before.
        if (h.bin_width_mode != 0 && i > 1)
            width = i - 1 < 47 ? width << (i - 1) : UINT64_MAX >> 1;
        const std::uint64_t high = low > UINT64_MAX - width ? UINT64_MAX : low + width;
        all.push_back({low, high});
        low = high;
    }
    return all;
}

std::uint64_t histogram_unit_ns(std::uint32_t time_unit)
{
    constexpr std::uint64_t units[] = {1, 1000, 100'000, 1'000'000};
    return units[time_unit & 3U];
}

} // namespace adp::reg
