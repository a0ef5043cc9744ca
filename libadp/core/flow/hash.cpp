// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/hash.h"

#include "flow/hash_code.h"
#include "text/format.h"
#include "text/words.h"

#include <algorithm>
#include <bit>
#include <cerrno>

namespace adp::flow {

namespace {

constexpr std::string_view menus = "Dell/Broadcom hash menu, SAI and SONiC names";

constexpr hash_info table[] = {
    {hash_kind::mod,
     "mod",
     {"sport", "modulo", ""},
     16,
     "the source port itself, modulo the number of paths; no switch in particular, but shows "
     "clustering in the low bits",
     "model"},
    {hash_kind::xor16,
     "xor16",
     {"xor", "", ""},
     16,
     "exclusive or of the 16-bit words of addresses and ports and of the protocol",
     menus},
    {hash_kind::xor8, "xor8", {"", "", ""}, 8, "exclusive or of the key's bytes", menus},
    {hash_kind::xor4, "xor4", {"", "", ""}, 4, "exclusive or of the key's half bytes", menus},
    {hash_kind::crc16_ccitt,
     "crc16-ccitt",
     {"crc16cc", "crc_ccitt", "crc16_ccitt"},
     16,
     "CRC-16, polynomial 0x1021, high bit first, initial value 0xffff",
     menus},
    {hash_kind::crc16_arc,
     "crc16-arc",
     {"crc16", "bisync", "crc16-bisync"},
     16,
     "CRC-16, polynomial 0x8005 reflected, initial value 0 (BISYNC)",
     menus},
    {hash_kind::crc_xor,
     "crc-xor",
     {"crc_xor", "", ""},
     16,
     "high byte of crc16-arc, low byte of xor8; bit order inferred",
     menus},
    {hash_kind::crc32,
     "crc32",
     {"crc", "", ""},
     32,
     "CRC-32 of Ethernet, polynomial 0x04c11db7 reflected",
     menus},
    {hash_kind::crc32_lo,
     "crc32-lo",
     {"crc_32lo", "crc32lsb", "crc32lo"},
     16,
     "low 16 bits of crc32",
     menus},
    {hash_kind::crc32_hi,
     "crc32-hi",
     {"crc_32hi", "crc32msb", "crc32hi"},
     16,
     "high 16 bits of crc32",
     menus},
    {hash_kind::toeplitz,
     "toeplitz",
     {"rss", "", ""},
     32,
     "Toeplitz with Microsoft's RSS key over addresses and ports (no protocol)",
     "Microsoft RSS specification"},
    {hash_kind::jenkins,
     "jenkins",
     {"jenkins_hash_lo", "jenkins_hash_hi", "jenkins-lo"},
     0,
     "not linear, and how switches lay out its key is not published: not modelled, treated as "
     "unknown",
     menus},
    {hash_kind::unknown, "unknown", {"", "", ""}, 0, "not known how the switch chooses", ""},
};

} // namespace

std::span<const hash_info> hashes()
{
    return table;
}

const hash_info &info(hash_kind kind)
{
    const auto it = std::find_if(std::begin(table), std::end(table),
                                 [kind](const hash_info &h) { return h.kind == kind; });
    return it == std::end(table) ? *std::prev(std::end(table)) : *it;
}

const hash_info *find_hash(std::string_view name)
{
    for (const hash_info &h : table)
        if (!name.empty() && (same_word(h.name, name) || std::any_of(h.alias.begin(), h.alias.end(),
                                                                     [name](std::string_view a) {
                                                                         return same_word(a, name);
                                                                     })))
            return &h;
    return nullptr;
}

result<void> check(const hash_model &model)
{
    const hash_info &h = info(model.kind);
    if (h.width == 0) {
        if (model.seed != 0 || model.offset != 0)
            return error{EINVAL,
                         adp::format("hash {} is not modelled", h.name),
                         "leave out its seed and offset",
                         {}};
        return {};
    }
    if (model.kind == hash_kind::mod && (model.seed != 0 || model.offset != 0))
        return error{EINVAL, "hash mod is the port itself", "leave out its seed and offset", {}};
    if (h.width < 32 && model.seed >> h.width != 0)
        return error{
            EINVAL,
            adp::format("seed {:#x} is wider than the {} bits of {}", model.seed, h.width, h.name),
            "",
            {}};
    if (model.offset >= h.width)
        return error{
            EINVAL,
            adp::format("offset {} is beyond the {} bits of {}", model.offset, h.width, h.name),
            "",
            {}};
    if ((model.fields & field_qpn) != 0 && model.kind == hash_kind::toeplitz)
        return error{
            EINVAL, "the key of toeplitz is too short for a QPN", "leave out the qpn field", {}};
    return {};
}

bool modelled(const hash_model &model)
{
    return info(model.kind).width != 0;
}

bool linear(const hash_model &model)
{
    return modelled(model);
}

bool sees_sport(const hash_model &model)
{
    return modelled(model) && (model.kind == hash_kind::mod || (model.fields & field_sport) != 0);
}

bool sees_addresses(const hash_model &model)
{
    return model.kind != hash_kind::mod && (model.fields & (field_src | field_dst)) != 0;
}

std::uint32_t hash_flow(const hash_model &model, const flow_key &key)
{
    const hash_info &h = info(model.kind);
    if (h.width == 0)
        return 0;
    if (model.kind == hash_kind::mod)
        return key.sport;

    const hash_key bytes(key, model.fields);
    const std::uint32_t value = hash_value(model.kind, bytes, model.seed);
    if (h.width == 32)
        return std::rotr(value, model.offset);
    const std::uint32_t mask = (1U << h.width) - 1;
    const std::uint32_t turn = model.offset % h.width;
    return (value >> turn | value << (h.width - turn)) & mask;
}

std::uint32_t sport_delta(const hash_model &model, std::uint16_t delta, bool v6)
{
    flow_key key;
    key.src.v6 = key.dst.v6 = v6;
    key.sport = 0;
    const std::uint32_t zero = hash_flow(model, key);
    key.sport = delta;
    return zero ^ hash_flow(model, key);
}

sport_hash::sport_hash(const hash_model &model, const flow_key &key)
{
    flow_key base = key;
    base.sport = 0;
    const std::uint32_t zero = hash_flow(model, base);
    low_.fill(zero);
    high_.fill(0);
    for (unsigned bit = 0; bit < 16; bit++) {
        base.sport = static_cast<std::uint16_t>(1U << bit);
        const std::uint32_t column = zero ^ hash_flow(model, base);
        std::array<std::uint32_t, 256> &half = bit < 8 ? low_ : high_;
        for (std::size_t i = 0; i < half.size(); i++)
            if ((i >> (bit % 8) & 1) != 0)
                half[i] ^= column;
    }
}

void sport_hash::operator()(std::span<const std::uint16_t> sports,
                            std::span<std::uint32_t> out) const
{
    const std::size_t n = std::min(sports.size(), out.size());
    for (std::size_t i = 0; i < n; i++)
        out[i] = (*this)(sports[i]);
}

} // namespace adp::flow
