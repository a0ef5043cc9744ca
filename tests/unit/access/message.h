// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Netlink attributes as the kernel lays them out, for tests: made without the library under test.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace adp::test {

class payload {
  public:
    payload &raw(std::uint16_t type, const void *data, std::size_t size)
    {
        const std::size_t at = bytes_.size();
        const auto length = static_cast<std::uint16_t>(4 + size);
        bytes_.resize(at + ((length + 3U) & ~3U));
        std::memcpy(bytes_.data() + at, &length, 2);
        std::memcpy(bytes_.data() + at + 2, &type, 2);
        if (size != 0)
            std::memcpy(bytes_.data() + at + 4, data, size);
        return *this;
    }
    payload &u8(std::uint16_t type, std::uint8_t v) { return raw(type, &v, sizeof v); }
    payload &u32(std::uint16_t type, std::uint32_t v) { return raw(type, &v, sizeof v); }
    payload &u64(std::uint16_t type, std::uint64_t v) { return raw(type, &v, sizeof v); }
    payload &text(std::uint16_t type, const std::string &v)
    {
        return raw(type, v.c_str(), v.size() + 1);
    }
    payload &nest(std::uint16_t type, const payload &inner)
    {
        return raw(type, inner.bytes_.data(), inner.bytes_.size());
    }
    const std::vector<std::uint8_t> &bytes() const { return bytes_; }

  private:
    std::vector<std::uint8_t> bytes_;
};

// Reads a message that is cut at each of its bytes: EPROTO, or something that each(answer, n) judges. How
// often that was.
template <typename Parse, typename Each>
std::size_t cut_everywhere(const std::vector<std::uint8_t> &whole, Parse parse, Each each)
{
    std::size_t accepted = 0;
    for (std::size_t n = 0; n < whole.size(); n++) {
        const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<long>(n));
        const auto got = parse(cut);
        if (!got) {
            EXPECT_EQ(got.err().code, EPROTO);
            continue;
        }
        accepted++;
        each(*got, n);
    }
    return accepted;
}

} // namespace adp::test
