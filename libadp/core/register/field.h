// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How a firmware register is described. A register is a row of big-endian dwords; in memory it is
// a span of dwords in host order, so that byte order is met in load() and store() only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace adp::reg {

enum class access : std::uint8_t {
    rw,
    ro,
    index,  // chooses what a query shows and what a write changes
    select, // in a query: the field it guards can be set; in a write: set it
};

struct field {
    std::string_view name; // the vendor's
    std::uint16_t offset;  // of its dword, in bytes
    std::uint8_t lsb;      // lowest bit within the dword
    std::uint8_t width;    // bits
    access acc;
    std::int8_t select;     // for rw and index: bit of dword 0 that guards it; -1: none
    std::string_view since; // the mstflint release that first names it, or "" where it always did
    std::string_view text;

    constexpr std::uint32_t max() const
    {
        return width >= 32 ? 0xffffffffU : (std::uint32_t{1} << width) - 1;
    }
    constexpr std::uint32_t mask() const { return max() << lsb; }
};

struct layout {
    std::string_view name;
    std::uint16_t id;
    std::uint16_t size; // bytes
    std::span<const field> fields;

    const field *find(std::string_view field_name) const; // any case; nullptr: none
    std::uint32_t known(std::size_t dword) const;         // bits that some field names
};

// Both refuse nothing: a field beyond the span reads 0 and is not written; put() masks the value.
std::uint32_t get(std::span<const std::uint32_t> dwords, const field &f);
void put(std::span<std::uint32_t> dwords, const field &f, std::uint32_t value);

// "vhca_id 70000: over its 16 bits (at most 65535)"
std::string over_width(const field &f, std::uint32_t value);
// "time_base: asked 8, the device shows 4"
std::string asked_and_shown(const field &f, std::uint32_t asked, std::uint32_t shown);

// Between the wire (big-endian bytes) and dwords; the shorter of the two decides.
void load(std::span<std::uint32_t> dwords, std::span<const std::uint8_t> bytes);
void store(std::span<std::uint8_t> bytes, std::span<const std::uint32_t> dwords);

} // namespace adp::reg
