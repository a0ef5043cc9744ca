// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Models of the hashes by which switches choose one of several equal paths.
//
// Key: source address, destination address, protocol 17, source port, destination port 4791, in
// network order: 13 bytes for IPv4, 37 for IPv6; with the "qpn" field also the destination QPN of
// the BTH, 3 bytes, at its end. A field that is left out reads as zeros. What a given switch does in
// detail (bit order, seed, where the result is cut) is rarely published: these are models, built
// from the names that vendors and SAI use.
#pragma once

#include "flow/address.h"
#include "flow/derivation.h"
#include "result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace adp::flow {

enum class hash_kind : std::uint8_t {
    mod,         // the source port itself
    xor16,       // exclusive or of the key's fields as 16-bit words
    xor8,        // ... of the key's bytes
    xor4,        // ... of its half bytes
    crc16_ccitt, // polynomial 0x1021, high bit first, initial value 0xffff
    crc16_arc,   // polynomial 0x8005 reflected, initial value 0
    crc_xor,     // high byte of crc16_arc, low byte of xor8
    crc32,       // polynomial 0x04c11db7 reflected, as Ethernet's
    crc32_lo,    // its low 16 bits
    crc32_hi,    // its high 16 bits
    toeplitz,    // as RSS: addresses and ports (no protocol), Microsoft's 40-byte key
    jenkins,     // not modelled
    unknown,
};

enum hash_field : std::uint8_t {
    field_src = 1,
    field_dst = 2,
    field_proto = 4,
    field_sport = 8,
    field_dport = 16,
    field_qpn = 32,
    five_tuple = 31,
};

struct hash_model {
    hash_kind kind = hash_kind::mod;
    std::uint8_t fields = five_tuple; // hash_field bits
    std::uint8_t offset = 0; // the result is rotated right by so many bits (SAI hash_offset)
    std::uint32_t seed = 0;  // crc: changes the initial value; others: the result, by exclusive or
};

struct hash_info {
    hash_kind kind;
    std::string_view name;                 // as on the command line
    std::array<std::string_view, 3> alias; // other people's words for it
    std::uint8_t width;                    // bits of the result; 0: not modelled
    std::string_view text;
    std::string_view source;
};

std::span<const hash_info> hashes();
const hash_info &info(hash_kind kind);
const hash_info *find_hash(std::string_view name); // any case, name or alias; nullptr: none

// Seed and offset within the width, fields that this hash can take.
result<void> check(const hash_model &model);

// The hash can be computed.
bool modelled(const hash_model &model);
// Changing a given set of port bits changes the result by the same bits whatever the rest of the
// key is. True of all that are modelled; what makes relative plans possible.
bool linear(const hash_model &model);
// The source port is looked at.
bool sees_sport(const hash_model &model);
// The addresses are looked at: without them the result is known up to a constant.
bool sees_addresses(const hash_model &model);

struct flow_key {
    address src;
    address dst;
    std::uint16_t sport = sport_min;
    std::uint16_t dport = roce_dport;
    std::uint32_t qpn = 0; // destination
    std::uint8_t proto = 17;
};

// 0 where the hash is not modelled.
std::uint32_t hash_flow(const hash_model &model, const flow_key &key);

// What changing these port bits does to the result: hash(port) ^ hash(port ^ delta), for any port
// and any addresses of that family (the family counts for toeplitz only).
std::uint32_t sport_delta(const hash_model &model, std::uint16_t delta, bool v6 = false);

// The hash of many ports between the same two addresses: two look-ups a port.
class sport_hash {
  public:
    sport_hash(const hash_model &model, const flow_key &key); // key.sport does not matter

    std::uint32_t operator()(std::uint16_t sport) const
    {
        return low_[sport & 0xff] ^ high_[sport >> 8];
    }
    void operator()(std::span<const std::uint16_t> sports, std::span<std::uint32_t> out) const;

  private:
    std::array<std::uint32_t, 256> low_;
    std::array<std::uint32_t, 256> high_;
};

} // namespace adp::flow
