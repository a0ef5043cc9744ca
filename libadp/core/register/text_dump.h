// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A register image taken apart for printing.
#pragma once

#include "register/roce_accl.h"

#include <string>
#include <string_view>
#include <vector>

namespace adp::reg {

enum class support : std::uint8_t { no, yes, not_told };

struct dump_row {
    const field *f = nullptr;
    std::uint32_t value = 0;
    support supported = support::not_told; // by the select bit that guards the field
    std::string meaning; // of the value, where the number does not say it: "8 KB"; or empty
};

struct unknown_bits {
    std::uint16_t offset = 0; // of the dword
    std::uint32_t bits = 0;   // that are set and that no field names
};

struct register_dump {
    std::vector<dump_row> rows; // every field of the layout, in its order
    std::vector<unknown_bits> unknown;
};

// Any layout; fields beyond the image read 0.
register_dump dump(const layout &l, std::span<const std::uint32_t> image);

// A value of a ROCE_ACCL field whose values have names, and this one has none.
bool without_a_meaning(const field &f, std::uint32_t value);

// "RW", "RO", "INDEX", "SELECT"
std::string_view access_name(access a);

// What a write of some fields does to the register, as far as is known: before as read, written with
// the needed select bits only, after as expected (select bits as they were).
struct write_preview {
    accl_image before{};
    accl_image written{};
    accl_image after{};
    std::uint64_t changed = 0; // fields that differ between before and after
    std::string command;       // the same by mstreg
};
write_preview preview(const accl_image &before, const adp_accl &to, std::uint64_t fields,
                      std::string_view dev);

// The mstreg command for an image that is to be written: the fields that its select bits apply.
std::string command_for(const accl_image &written, std::string_view dev);

} // namespace adp::reg
