// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/hash.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace adp::flow;

flow_key key(const char *src, const char *dst, std::uint16_t sport)
{
    flow_key k;
    k.src = *parse_address(src);
    k.dst = *parse_address(dst);
    k.sport = sport;
    return k;
}

std::uint32_t hashed(hash_kind kind, const flow_key &k, std::uint32_t seed = 0,
                     std::uint8_t fields = five_tuple, std::uint8_t offset = 0)
{
    return hash_flow({kind, fields, offset, seed}, k);
}

using enum hash_kind;

// The expected values are of Python's zlib.crc32 and binascii.crc_hqx, and of a bitwise CRC-16 whose
// check value of "123456789" is 0xbb3d.
TEST(hash, ipv4_key)
{
    const flow_key k = key("10.0.0.1", "10.0.0.2", 49152);
    EXPECT_EQ(hashed(crc16_ccitt, k), 0x0d8fU);
    EXPECT_EQ(hashed(crc16_ccitt, k, 0xffff), 0x2583U); // initial value 0
    EXPECT_EQ(hashed(crc16_arc, k), 0x58baU);
    EXPECT_EQ(hashed(crc16_arc, k, 0x1234), 0x14cdU);
    EXPECT_EQ(hashed(crc32, k), 0x043366c7U);
    EXPECT_EQ(hashed(crc32, k, 0xdeadbeef), 0x6b348ef4U);
    EXPECT_EQ(hashed(crc32_lo, k), 0x66c7U);
    EXPECT_EQ(hashed(crc32_hi, k), 0x0433U);
    EXPECT_EQ(hashed(xor16, k), 0xd2a5U);
    EXPECT_EQ(hashed(xor8, k), 0x77U);
    EXPECT_EQ(hashed(xor4, k), 0x0U);
    EXPECT_EQ(hashed(crc_xor, k), 0x5877U);
    EXPECT_EQ(hashed(mod, k), 49152U);
    EXPECT_EQ(hashed(hash_kind::unknown, k), 0U);
    EXPECT_EQ(hashed(jenkins, k), 0U);
}

TEST(hash, ipv6_key)
{
    const flow_key k = key("fd00::1", "fd00::2", 55555);
    EXPECT_EQ(hashed(crc16_ccitt, k), 0x98fcU);
    EXPECT_EQ(hashed(crc16_arc, k), 0xdee3U);
    EXPECT_EQ(hashed(crc32, k), 0x8534e7d8U);
    EXPECT_EQ(hashed(xor16, k), 0xcba6U);
    EXPECT_EQ(hashed(xor8, k), 0x6dU);
    EXPECT_EQ(hashed(xor4, k), 0xbU);
}

TEST(hash, any_13_bytes)
{
    flow_key k; // "1234567890123"
    k.src.byte = {'1', '2', '3', '4'};
    k.dst.byte = {'5', '6', '7', '8'};
    k.proto = '9';
    k.sport = '0' << 8 | '1';
    k.dport = '2' << 8 | '3';
    EXPECT_EQ(hashed(crc16_ccitt, k), 0xb64dU);
    EXPECT_EQ(hashed(crc16_arc, k), 0x3376U);
    EXPECT_EQ(hashed(crc32, k), 0x74e38c01U);
}

TEST(hash, qpn_is_appended)
{
    flow_key k = key("10.0.0.1", "10.0.0.2", 49152);
    k.qpn = 0x123456;
    EXPECT_EQ(hashed(crc16_ccitt, k), 0x0d8fU); // not a field
    constexpr std::uint8_t with = five_tuple | field_qpn;
    EXPECT_EQ(hashed(crc16_ccitt, k, 0, with), 0x9796U);
    EXPECT_EQ(hashed(crc16_arc, k, 0, with), 0xde2cU);
    EXPECT_EQ(hashed(crc32, k, 0, with), 0xc15684ccU);
    EXPECT_EQ(hashed(xor8, k, 0, with), 0x07U);
    EXPECT_EQ(hashed(xor16, k, 0, with), 0xd2a5U ^ 0x12 ^ 0x3456);
}

// Source: Microsoft, "Verifying the RSS Hash Calculation" (with TCP ports).
TEST(hash, toeplitz_verification_suite)
{
    struct vector {
        const char *dst;
        std::uint16_t dport;
        const char *src;
        std::uint16_t sport;
        std::uint32_t hash;
    };
    constexpr vector vectors[] = {
        {"161.142.100.80", 1766, "66.9.149.187", 2794, 0x51ccc178},
        {"65.69.140.83", 4739, "199.92.111.2", 14230, 0xc626b0ea},
        {"12.22.207.184", 38024, "24.19.198.95", 12898, 0x5c2b394a},
        {"209.142.163.6", 2217, "38.27.205.30", 48228, 0xafc7327f},
        {"202.188.127.2", 1303, "153.39.163.191", 44251, 0x10e828a2},
        {"3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x40207d3d},
        {"ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0xdde51bbf},
        {"fe80::200:f8ff:fe21:67cf", 38024, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251,
         0x02d1feef},
    };
    for (const vector &v : vectors) {
        flow_key k = key(v.src, v.dst, v.sport);
        k.dport = v.dport;
        EXPECT_EQ(hashed(toeplitz, k), v.hash) << v.src;
    }
}

// Facts 3.1: what flipping port bits 0, 1 and 2 does.
TEST(hash, published_differences)
{
    constexpr struct {
        hash_kind kind;
        std::uint32_t delta[3];
    } rows[] = {{crc16_ccitt, {0x3730, 0x6e60, 0xdcc0}},
                {crc16_arc, {0xc051, 0xc0a1, 0xc141}},
                {crc32, {0x01c26a37, 0x0384d46e, 0x0709a8dc}},
                {mod, {1, 2, 4}},
                {xor16, {1, 2, 4}}};
    for (const auto &row : rows)
        for (unsigned bit = 0; bit < 3; bit++)
            for (const bool v6 : {false, true})
                EXPECT_EQ(sport_delta({row.kind, five_tuple, 0, 0},
                                      static_cast<std::uint16_t>(1U << bit), v6),
                          row.delta[bit])
                    << info(row.kind).name;
}

TEST(hash, linear_whatever_the_rest_of_the_key)
{
    std::mt19937 random(3);
    for (const hash_info &h : hashes()) {
        if (h.width == 0)
            continue;
        for (int i = 0; i < 200; i++) {
            const bool v6 = i % 2 != 0;
            flow_key k = key(v6 ? "fd00::1" : "10.0.0.1", v6 ? "fd00::2" : "10.0.0.2", 0);
            for (std::size_t b = 0; b < (v6 ? 16U : 4U); b++) {
                k.src.byte[b] = static_cast<std::uint8_t>(random());
                k.dst.byte[b] = static_cast<std::uint8_t>(random());
            }
            k.sport = static_cast<std::uint16_t>(random());
            hash_model model{h.kind, five_tuple, 0, 0};
            if (h.kind != mod) {
                model.offset = static_cast<std::uint8_t>(random() % h.width);
                model.seed =
                    static_cast<std::uint32_t>(random() & ((std::uint64_t{1} << h.width) - 1));
            }
            ASSERT_TRUE(check(model));
            const auto delta = static_cast<std::uint16_t>(random());
            const std::uint32_t before = hash_flow(model, k);
            ASSERT_LT(before, std::uint64_t{1} << h.width);
            const sport_hash many(model, k);
            ASSERT_EQ(many(k.sport), before) << h.name;
            k.sport ^= delta;
            ASSERT_EQ(before ^ hash_flow(model, k), sport_delta(model, delta, v6)) << h.name;
            ASSERT_EQ(many(k.sport), hash_flow(model, k)) << h.name;
        }
    }
}

TEST(hash, many_ports_at_once)
{
    const flow_key k = key("10.0.0.1", "10.0.0.2", 0);
    const hash_model model{crc32, five_tuple, 0, 0};
    const std::vector<std::uint16_t> sports{49152, 49153, 1};
    std::vector<std::uint32_t> out(4, 7);
    sport_hash(model, k)(sports, out);
    EXPECT_EQ(out[0], 0x043366c7U);
    EXPECT_EQ(out[1], 0x043366c7U ^ 0x01c26a37U);
    EXPECT_EQ(out[3], 7U);
}

TEST(hash, fields_left_out_are_zeros)
{
    const flow_key k = key("10.0.0.1", "10.0.0.2", 49152);
    flow_key other = k;
    other.sport = 50000;
    constexpr auto addresses = static_cast<std::uint8_t>(field_src | field_dst);
    EXPECT_EQ(hashed(crc32, k, 0, addresses), hashed(crc32, other, 0, addresses));
    EXPECT_FALSE(sees_sport({crc32, addresses, 0, 0}));
    EXPECT_TRUE(sees_addresses({crc32, addresses, 0, 0}));
    EXPECT_EQ(hashed(xor16, k, 0, field_sport), 49152U);
    EXPECT_FALSE(sees_addresses({xor16, field_sport, 0, 0}));
    EXPECT_FALSE(sees_addresses({mod, five_tuple, 0, 0}));
}

TEST(hash, offset_turns_the_result)
{
    const flow_key k = key("10.0.0.1", "10.0.0.2", 49152);
    EXPECT_EQ(hashed(crc16_ccitt, k, 0, five_tuple, 4), 0xf0d8U);
    EXPECT_EQ(hashed(crc32, k, 0, five_tuple, 8), 0xc7043366U);
}

TEST(hash, names)
{
    std::set<std::string> names;
    for (const hash_info &h : hashes()) {
        EXPECT_TRUE(names.insert(std::string(h.name)).second);
        EXPECT_EQ(find_hash(h.name), &h);
        EXPECT_EQ(&info(h.kind), &h);
        for (const std::string_view alias : h.alias)
            if (!alias.empty()) {
                EXPECT_TRUE(names.insert(std::string(alias)).second) << alias;
                EXPECT_EQ(find_hash(alias), &h);
            }
    }
    ASSERT_NE(find_hash("CRC16-CCITT"), nullptr);
    EXPECT_EQ(find_hash("CRC_CCITT")->kind, crc16_ccitt);
    EXPECT_EQ(find_hash("JENKINS_HASH_LO")->kind, jenkins);
    EXPECT_FALSE(modelled({jenkins, five_tuple, 0, 0}));
    EXPECT_FALSE(linear({jenkins, five_tuple, 0, 0}));
    EXPECT_EQ(find_hash("crc64"), nullptr);
    EXPECT_EQ(find_hash(""), nullptr);
}

TEST(hash, what_does_not_fit_is_refused)
{
    EXPECT_TRUE(check({crc16_arc, five_tuple, 15, 0xffff}));
    EXPECT_TRUE(check({crc32, five_tuple, 31, 0xffffffff}));
    const hash_model wrong[] = {{crc16_arc, five_tuple, 0, 0x10000},
                                {crc16_arc, five_tuple, 16, 0},
                                {xor8, five_tuple, 0, 0x100},
                                {crc32, five_tuple, 32, 0},
                                {mod, five_tuple, 1, 0},
                                {mod, five_tuple, 0, 1},
                                {hash_kind::unknown, five_tuple, 0, 1},
                                {toeplitz, five_tuple | field_qpn, 0, 0}};
    for (const hash_model &model : wrong) {
        const adp::result<void> r = check(model);
        ASSERT_FALSE(r) << info(model.kind).name;
        EXPECT_EQ(r.err().code, EINVAL);
        EXPECT_FALSE(r.err().reason.empty());
    }
}

TEST(address, forms)
{
    EXPECT_EQ(to_string(*parse_address("10.0.0.1")), "10.0.0.1");
    EXPECT_EQ(to_string(*parse_address("fd00:0:0::1")), "fd00::1");
    EXPECT_EQ(to_string(*parse_address("fe80::1%eth0")), "fe80::1");
    EXPECT_EQ(*parse_address("::ffff:10.0.0.1"), *parse_address("10.0.0.1"));
    EXPECT_EQ(*parse_address("0000:0000:0000:0000:0000:ffff:0a00:0001"),
              *parse_address("10.0.0.1"));
    for (const char *bad : {"", "10.0.0", "10.0.0.256", "10.0.0.1.2", "host", "49152", "fd00::1::2",
                            "%eth0", "fd00:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001"})
        EXPECT_FALSE(parse_address(bad)) << bad;
}

} // namespace
