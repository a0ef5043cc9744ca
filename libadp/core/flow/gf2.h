// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Linear algebra over the field of two elements, as far as planning needs it: what a change of port
// bits can do to the path bits of a linear hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adp::flow {

// Number of independent vectors among these.
std::size_t rank(std::span<const std::uint64_t> vectors);

// The map x -> exclusive or of columns[j] over the set bits j of x (at most 32 columns).
class gf2_map {
  public:
    explicit gf2_map(std::span<const std::uint64_t> columns);

    std::size_t rank() const { return image_.size(); }
    std::size_t nullity() const { return kernel_.size(); }

    // The value number i of the 2^rank that occur. Where all do, value i is i. The low bits of values
    // follow from the low bits of i: those of i that belong to them come first.
    std::uint64_t value(std::uint64_t i) const;
    // The x number turn (modulo 2^nullity) of those that give value i.
    std::uint32_t solution(std::uint64_t i, std::uint64_t turn) const;

  private:
    struct vector {
        std::uint64_t value;
        std::uint32_t x;
    };
    std::vector<vector> image_;         // reduced by lowest set bits, in their order
    std::vector<std::uint32_t> kernel_; // of those x that give 0
};

} // namespace adp::flow
