// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/gf2.h"

#include <algorithm>

namespace adp::flow {

namespace {

std::uint64_t lowest(std::uint64_t v)
{
    return v & (~v + 1);
}

} // namespace

gf2_map::gf2_map(std::span<const std::uint64_t> columns)
{
    for (std::size_t j = 0; j < columns.size() && j < 32; j++) {
        vector v{columns[j], std::uint32_t{1} << j};
        for (const vector &b : image_)
            if ((v.value & lowest(b.value)) != 0) {
                v.value ^= b.value;
                v.x ^= b.x;
            }
        if (v.value == 0) {
            kernel_.push_back(v.x);
            continue;
        }
        for (vector &b : image_)
            if ((b.value & lowest(v.value)) != 0) {
                b.value ^= v.value;
                b.x ^= v.x;
            }
        image_.push_back(v);
    }
    std::sort(image_.begin(), image_.end(),
              [](const vector &a, const vector &b) { return lowest(a.value) < lowest(b.value); });
}

std::uint64_t gf2_map::value(std::uint64_t i) const
{
    std::uint64_t v = 0;
    for (std::size_t j = 0; j < image_.size(); j++)
        if ((i >> j & 1) != 0)
            v ^= image_[j].value;
    return v;
}

std::uint32_t gf2_map::solution(std::uint64_t i, std::uint64_t turn) const
{
    std::uint32_t x = 0;
    for (std::size_t j = 0; j < image_.size(); j++)
        if ((i >> j & 1) != 0)
            x ^= image_[j].x;
    for (std::size_t j = 0; j < kernel_.size(); j++)
        if ((turn >> j & 1) != 0)
            x ^= kernel_[j];
    return x;
}

std::size_t rank(std::span<const std::uint64_t> vectors)
{
    std::vector<std::uint64_t> basis;
    for (std::uint64_t v : vectors) {
        for (const std::uint64_t b : basis)
            v = std::min(v, v ^ b);
        if (v != 0)
            basis.push_back(v);
    }
    return basis.size();
}

} // namespace adp::flow
