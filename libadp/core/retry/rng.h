// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The one source of chance: eight bytes of state, the same numbers on every machine. (The mixer is
// the public domain splitmix64.)
#pragma once

#include <cstdint>

namespace adp::retry {

class rng {
  public:
    constexpr explicit rng(std::uint64_t seed = 0) : state_(seed) {}

    constexpr std::uint64_t next()
    {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

    // As if next() had been called that often.
    constexpr void skip(std::uint64_t times) { state_ += times * 0x9e3779b97f4a7c15U; }

    // 0 .. n - 1; 0 for n = 0. The bias of the remainder is below 2^-20 for every n used here.
    constexpr std::uint64_t below(std::uint64_t n) { return n < 2 ? 0 : next() % n; }

    // The stream of number i under a seed; streams do not depend on each other.
    static constexpr rng stream(std::uint64_t seed, std::uint64_t i)
    {
        rng r(seed);
        const std::uint64_t a = r.next();
        rng s(a ^ (i * 0xd1342543de82ef95U));
        s.next();
        return s;
    }

  private:
    std::uint64_t state_;
};

} // namespace adp::retry
