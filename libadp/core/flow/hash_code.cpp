// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/hash_code.h"

namespace adp::flow {

namespace {

using byte_table = std::array<std::uint32_t, 256>;

constexpr byte_table reflected_table(std::uint32_t polynomial)
{
    byte_table t{};
    for (std::uint32_t i = 0; i < 256; i++) {
        std::uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = (c & 1) != 0 ? c >> 1 ^ polynomial : c >> 1;
        t[i] = c;
    }
    return t;
}

constexpr byte_table ccitt_table()
{
    byte_table t{};
    for (std::uint32_t i = 0; i < 256; i++) {
        std::uint32_t c = i << 8;
        for (int bit = 0; bit < 8; bit++)
            c = ((c & 0x8000) != 0 ? c << 1 ^ 0x1021 : c << 1) & 0xffff;
        t[i] = c;
    }
    return t;
}

constexpr byte_table arc = reflected_table(0xa001);
constexpr byte_table ethernet = reflected_table(0xedb88320);
constexpr byte_table ccitt = ccitt_table();

std::uint32_t crc_reflected(const byte_table &t, std::span<const std::uint8_t> data,
                            std::uint32_t c)
{
    for (const std::uint8_t b : data)
        c = c >> 8 ^ t[(c ^ b) & 0xff];
    return c;
}

std::uint32_t crc_ccitt(std::span<const std::uint8_t> data, std::uint32_t c)
{
    for (const std::uint8_t b : data)
        c = (c << 8 & 0xffff) ^ ccitt[(c >> 8 ^ b) & 0xff];
    return c;
}

std::uint32_t words(std::span<const std::uint8_t> data)
{
    std::uint32_t x = 0;
    for (std::size_t i = 0; i + 1 < data.size(); i += 2)
        x ^= std::uint32_t{data[i]} << 8 | data[i + 1];
    return x;
}

// By fields, not by the key's bytes: the protocol's single byte would otherwise shift the ports by
// half a word.
std::uint32_t xor_words(const hash_key &key)
{
    std::uint32_t x = words(key.addresses()) ^ key.proto() ^ words(key.ports());
    if (!key.qpn().empty())
        x ^= key.qpn()[0] ^ words(key.qpn().subspan(1));
    return x;
}

std::uint32_t xor_bytes(const hash_key &key)
{
    std::uint32_t x = 0;
    for (const std::uint8_t b : key.bytes())
        x ^= b;
    return x;
}

// Source: Microsoft, "Verifying the RSS Hash Calculation".
constexpr std::array<std::uint8_t, 40> rss_key{
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

// The exclusive or of the key's 32-bit windows that begin at the set bits of the data.
class toeplitz {
  public:
    void add(std::span<const std::uint8_t> data)
    {
        for (const std::uint8_t b : data) {
            const std::uint64_t window = std::uint64_t{window_} << 8 | next();
            for (unsigned bit = 0; bit < 8; bit++)
                if ((b << bit & 0x80) != 0)
                    value_ ^= static_cast<std::uint32_t>(window >> (8 - bit));
            window_ = static_cast<std::uint32_t>(window);
        }
    }
    std::uint32_t value() const { return value_; }

  private:
    std::uint8_t next() { return at_ < rss_key.size() ? rss_key[at_++] : std::uint8_t{0}; }

    std::uint32_t window_ = std::uint32_t{rss_key[0]} << 24 | std::uint32_t{rss_key[1]} << 16 |
                            std::uint32_t{rss_key[2]} << 8 | rss_key[3];
    std::size_t at_ = 4;
    std::uint32_t value_ = 0;
};

std::uint32_t ethernet_crc(const hash_key &key, std::uint32_t seed)
{
    return ~crc_reflected(ethernet, key.bytes(), 0xffffffffU ^ seed);
}

} // namespace

hash_key::hash_key(const flow_key &key, std::uint8_t fields)
{
    const bool v6 = key.src.v6 || key.dst.v6;
    const auto put = [this](std::uint32_t value, unsigned count, bool wanted) {
        for (unsigned i = count; i-- > 0;)
            bytes_[size_++] = wanted ? static_cast<std::uint8_t>(value >> 8 * i) : std::uint8_t{0};
    };
    for (const auto &[addr, bit] : {std::pair{&key.src, field_src}, std::pair{&key.dst, field_dst}})
        for (std::size_t i = 0; i < (v6 ? 16U : 4U); i++)
            put(addr->byte[i], 1, (fields & bit) != 0);
    addresses_ = size_;
    put(key.proto, 1, (fields & field_proto) != 0);
    put(key.sport, 2, (fields & field_sport) != 0);
    put(key.dport, 2, (fields & field_dport) != 0);
    if ((fields & field_qpn) != 0)
        put(key.qpn, 3, true);
}

std::uint32_t hash_value(hash_kind kind, const hash_key &key, std::uint32_t seed)
{
    switch (kind) {
    case hash_kind::xor16: return xor_words(key) ^ seed;
    case hash_kind::xor8: return xor_bytes(key) ^ seed;
    case hash_kind::xor4: {
        const std::uint32_t x = xor_bytes(key);
        return ((x >> 4 ^ x) & 0xf) ^ seed;
    }
    case hash_kind::crc16_ccitt: return crc_ccitt(key.bytes(), 0xffff ^ seed);
    case hash_kind::crc16_arc: return crc_reflected(arc, key.bytes(), seed);
    case hash_kind::crc_xor:
        return (crc_reflected(arc, key.bytes(), seed) & 0xff00) | xor_bytes(key);
    case hash_kind::crc32: return ethernet_crc(key, seed);
    // seed is of 16 bits there, and taken as the low half of the initial value
    case hash_kind::crc32_lo: return ethernet_crc(key, seed) & 0xffff;
    case hash_kind::crc32_hi: return ethernet_crc(key, seed) >> 16;
    case hash_kind::toeplitz: {
        toeplitz hash;
        hash.add(key.addresses());
        hash.add(key.ports());
        return hash.value() ^ seed;
    }
    case hash_kind::mod:
    case hash_kind::jenkins:
    case hash_kind::unknown: break;
    }
    return 0;
}

} // namespace adp::flow
