// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// ROCE_ACCL (0x402c): the one description of the register, and the codec between its dwords and
// the public structures.
//
// Source of the layout: the vendor's document "Adaptive Retransmission: Parameters Control" and
// mstflint's register table (node roce_accl_reg_ext); they agree on every ADP field.
#pragma once

#include "register/field.h"

#include <adp/adp.h>

#include <array>

namespace adp::reg {

inline constexpr std::uint16_t roce_accl_id = 0x402c;
inline constexpr std::size_t roce_accl_dwords = 16;
inline constexpr std::uint32_t select_adp_retrans = 1U << 0;
inline constexpr std::uint32_t select_adp_profile = 1U << 28;

using accl_image = std::array<std::uint32_t, roce_accl_dwords>;

extern const layout roce_accl;

// The description of one of the public field numbers (ADP_FIELD_*).
const field &accl_field(std::uint32_t number);

// Each range has so many fields, the same in each, from ADP_FIELD_RANGE_SIZE_0 on.
inline constexpr std::uint32_t fields_of_a_range = 5;

// A field of a range; numbers may follow theirs.
constexpr bool of_a_range(std::uint32_t number)
{
    return number >= ADP_FIELD_RANGE_SIZE_0 &&
           number < ADP_FIELD_RANGE_SIZE_0 + fields_of_a_range * std::uint32_t{ADP_MAX_RANGES};
}

// The public number of a field of the layout, or -1 for a select bit.
int accl_number(const field &f);

// Where a field's value stands in the public structure.
std::uint32_t &member(adp_accl &accl, std::uint32_t number);
std::uint32_t member(const adp_accl &accl, std::uint32_t number);

// The same for fields that adp_profile holds; nullptr for the others.
std::uint32_t *member(adp_profile &profile, std::uint32_t number);

// All fields (ADP_FIELD_BIT) that belong to the profile block or to its index, that is to what
// select bit 28 applies.
std::uint64_t profile_block_fields();
// ... and those plus roce_adp_retrans_en: what an adp_profile holds.
std::uint64_t profile_fields();
// Fields that a write may change on some firmware.
std::uint64_t writable_fields();

// Fields that a firmware which shows these select bits lets a write change.
std::uint64_t supported_fields(std::uint32_t select_dword);

// The select bits that a write of these fields needs.
std::uint32_t select_bits(std::uint64_t fields);

adp_accl decode(const accl_image &image);
// Puts the members named in fields into the image and leaves every other bit as it is.
void encode(const adp_accl &accl, std::uint64_t fields, accl_image &image);

} // namespace adp::reg
