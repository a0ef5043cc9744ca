// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The capabilities that the model answers to QUERY_HCA_CAP, by name.
#pragma once

#include "register/hca_cap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace adp::sim {

// Capability pages (QUERY_HCA_CAP op_mod >> 1).
inline constexpr std::uint16_t cap_page_general = 0x00;
inline constexpr std::uint16_t cap_page_roce = 0x04;
inline constexpr std::uint16_t cap_page_general_2 = 0x20;

struct capability {
    std::uint16_t page;
    reg::cap_field place;
    std::uint32_t usual; // value in a model that says nothing else

    constexpr std::uint32_t max() const
    {
        return place.width >= 32 ? 0xffffffffU : (std::uint32_t{1} << place.width) - 1;
    }
};

inline constexpr std::size_t capability_count = 31;
using capability_values = std::array<std::uint32_t, capability_count>;

// Their descriptions, in the order of capability_values.
std::span<const capability, capability_count> capabilities();

capability_values usual_capabilities();

// The value of this name, or nullptr.
std::uint32_t *find_capability(capability_values &values, std::string_view name);
std::uint32_t capability_of(const capability_values &values, const reg::cap_field &field);

// Puts the values of one page into a reply, as far as it is long enough.
void store_capabilities(std::uint16_t page, const capability_values &values,
                        std::span<std::uint8_t> reply);

} // namespace adp::sim
