// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The hash functions themselves, over the bytes of a key. Private to this folder.
#pragma once

#include "flow/hash.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace adp::flow {

// The key in network order, fields that are left out as zeros.
class hash_key {
  public:
    hash_key(const flow_key &key, std::uint8_t fields);

    std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }
    std::span<const std::uint8_t> addresses() const { return {bytes_.data(), addresses_}; }
    std::uint8_t proto() const { return bytes_[addresses_]; }
    std::span<const std::uint8_t> ports() const { return {bytes_.data() + addresses_ + 1, 4}; }
    std::span<const std::uint8_t> qpn() const { return bytes().subspan(addresses_ + 5); }

  private:
    std::array<std::uint8_t, 16 + 16 + 1 + 4 + 3> bytes_{};
    std::size_t addresses_ = 0;
    std::size_t size_ = 0;
};

// Before offset; within the width of the kind. Not for mod or what is not modelled.
std::uint32_t hash_value(hash_kind kind, const hash_key &key, std::uint32_t seed);

} // namespace adp::flow
