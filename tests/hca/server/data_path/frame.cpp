// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/frame.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t ethernet_bytes = 14;
constexpr std::size_t ipv4_bytes = 20;
constexpr std::size_t ipv6_bytes = 40;
constexpr std::size_t udp_bytes = 8;
constexpr std::size_t bth_bytes = 12;
constexpr std::size_t reth_bytes = 16;
constexpr std::size_t aeth_bytes = 4;
constexpr std::size_t immediate_bytes = 4;
constexpr std::size_t atomic_eth_bytes = 28;
constexpr std::size_t atomic_ack_bytes = 8;
constexpr std::size_t deth_bytes = 8;
constexpr std::size_t greatest_payload = 4096;
constexpr std::size_t crc_bytes = 4;

constexpr std::uint16_t ethertype_ipv4 = 0x0800;
constexpr std::uint16_t ethertype_ipv6 = 0x86dd;
constexpr std::uint8_t protocol_udp = 17;
constexpr std::uint8_t protocol_transport = 0x1b; // of a GRH: BTH follows
constexpr std::uint16_t roce_port = 4791;
constexpr std::uint16_t default_partition = 0xffff;
constexpr std::uint8_t hop_limit = 64;
constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_ipv4(const path_end &end)
{
    return std::equal(mapped.begin(), mapped.end(), end.gid.begin());
}

bool is_atomic_request(packet_opcode op)
{
    return op == packet_opcode::compare_swap || op == packet_opcode::fetch_add;
}

// Appends numbers in network order.
class writer {
  public:
    void number(std::size_t length, std::uint64_t value)
    {
        data.resize(data.size() + length);
        put_number(data, data.size() - length, length, value);
    }
    void append(view part) { data.insert(data.end(), part.begin(), part.end()); }

    bytes data;
};

// Takes numbers off; after the end everything is 0 and it is said.
class reader {
  public:
    explicit reader(view all) : rest(all) {}
    std::uint64_t number(std::size_t length)
    {
        if (rest.size() < length) {
            whole = false;
            rest = {};
            return 0;
        }
        const std::uint64_t value = get_number(rest, 0, length);
        rest = rest.subspan(length);
        return value;
    }

    view rest;
    bool whole = true;
};

std::uint16_t checksum(view header)
{
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < header.size(); at += 2)
        sum += get16(header, at);
    while (sum >> 16U != 0)
        sum = (sum & 0xffffU) + (sum >> 16U);
    return static_cast<std::uint16_t>(~sum);
}

// Locally administered, of the last bytes of the address.
void ethernet_address(writer &to, const path_end &end)
{
    to.number(2, 0x0200);
    to.append(view{end.gid}.last(4));
}

void internet_header(writer &to, const packet &p, std::size_t udp_length)
{
    if (is_ipv4(p.to)) {
        const std::size_t at = to.data.size();
        to.number(4, 0x45000000U | (ipv4_bytes + udp_length));
        to.number(4, 0x4000); // do not fragment
        to.number(4, std::uint32_t{hop_limit} << 24U | std::uint32_t{protocol_udp} << 16U);
        to.append(view{p.from.gid}.last(4));
        to.append(view{p.to.gid}.last(4));
        put16(to.data, at + 10, checksum(view{to.data}.subspan(at, ipv4_bytes)));
        return;
    }
    to.number(4, 0x60000000);
    const std::uint8_t next =
        header_kind(p) == network_header::grh ? protocol_transport : protocol_udp;
    to.number(4, std::uint64_t{udp_length} << 16U | std::uint32_t{next} << 8U | hop_limit);
    to.append(p.from.gid);
    to.append(p.to.gid);
}

void transport_headers(writer &to, const packet &p, const opcode_facts &facts, std::size_t pad)
{
    to.number(1, static_cast<std::uint8_t>(p.op));
    to.number(1, (p.solicited ? 0x80U : 0U) | 0x40U | pad << 4U); // migrated, version 0
    to.number(2, default_partition);
    to.number(4, p.queue_pair & number_mask);
    to.number(4, (p.ack_request ? 1ULL << 31U : 0U) | (p.psn & psn_bits));
    if (facts.family == packet_family::datagram) {
        to.number(4, p.q_key);
        to.number(4, p.source_pair & number_mask);
    }
    if (facts.reth) {
        to.number(8, p.address);
        to.number(4, p.key);
        to.number(4, p.length);
    }
    if (is_atomic_request(p.op)) {
        to.number(8, p.address);
        to.number(4, p.key);
        to.number(8, p.swap_or_add);
        to.number(8, p.compare);
    }
    if (facts.aeth)
        to.number(4, std::uint32_t{p.syndrome} << 24U | (p.message_number & psn_bits));
    if (p.op == packet_opcode::atomic_acknowledge)
        to.number(8, p.swap_or_add);
    if (facts.immediate)
        to.number(4, p.immediate);
}

std::size_t header_bytes(packet_opcode op, const opcode_facts &facts)
{
    return bth_bytes + (facts.family == packet_family::datagram ? deth_bytes : 0) +
           (facts.reth ? reth_bytes : 0) + (is_atomic_request(op) ? atomic_eth_bytes : 0) +
           (facts.aeth ? aeth_bytes : 0) +
           (op == packet_opcode::atomic_acknowledge ? atomic_ack_bytes : 0) +
           (facts.immediate ? immediate_bytes : 0);
}

std::size_t pad_of(const packet &p)
{
    return (4 - p.payload.size() % 4) % 4;
}

// Of all behind the UDP header.
std::size_t transport_bytes(const packet &p)
{
    return header_bytes(p.op, *facts_of(p.op)) + p.payload.size() + pad_of(p) + crc_bytes;
}

// Addresses and the length of what follows; false: not UDP over IP without options.
bool read_internet_header(reader &in, std::uint16_t ethertype, packet &p)
{
    p.from.global = p.to.global = true;
    if (ethertype == ethertype_ipv4) {
        if (in.number(1) != 0x45)
            return false;
        in.number(8);
        const bool udp = in.number(1) == protocol_udp;
        in.number(2);
        for (path_end *end : {&p.from, &p.to}) {
            std::copy(mapped.begin(), mapped.end(), end->gid.begin());
            put32(end->gid, mapped.size(), in.number(4));
        }
        return udp && in.whole;
    }
    if (ethertype != ethertype_ipv6 || in.number(4) >> 28U != 6)
        return false;
    in.number(2);
    const bool udp = in.number(1) == protocol_udp;
    in.number(1);
    for (path_end *end : {&p.from, &p.to})
        for (std::size_t at = 0; at < end->gid.size(); at += 8)
            put64(end->gid, at, in.number(8));
    return udp && in.whole;
}

void read_extensions(reader &in, packet &p, const opcode_facts &facts)
{
    if (facts.family == packet_family::datagram) {
        p.q_key = static_cast<std::uint32_t>(in.number(4));
        p.source_pair = static_cast<std::uint32_t>(in.number(4)) & number_mask;
    }
    if (facts.reth) {
        p.address = in.number(8);
        p.key = static_cast<std::uint32_t>(in.number(4));
        p.length = static_cast<std::uint32_t>(in.number(4));
    }
    if (is_atomic_request(p.op)) {
        p.address = in.number(8);
        p.key = static_cast<std::uint32_t>(in.number(4));
        p.swap_or_add = in.number(8);
        p.compare = in.number(8);
    }
    if (facts.aeth) {
        const auto word = static_cast<std::uint32_t>(in.number(4));
        p.syndrome = static_cast<std::uint8_t>(word >> 24U);
        p.message_number = word & psn_bits;
    }
    if (p.op == packet_opcode::atomic_acknowledge)
        p.swap_or_add = in.number(8);
    if (facts.immediate)
        p.immediate = static_cast<std::uint32_t>(in.number(4));
}

std::uint32_t crc32(std::uint32_t state, view data)
{
    for (const std::uint8_t byte : data) {
        state ^= byte;
        for (int bit = 0; bit < 8; bit++)
            state = state >> 1U ^ (0xedb88320U & (0U - (state & 1U)));
    }
    return state;
}

} // namespace

std::uint32_t invariant_crc(view frame, std::size_t at_ip)
{
    // What changes on the way counts as ones; so does the local routing header that is not there.
    bytes masked(frame.begin() + static_cast<std::ptrdiff_t>(at_ip), frame.end());
    const bool v6 = !masked.empty() && masked[0] >> 4U == 6;
    const std::size_t at_udp = v6 ? ipv6_bytes : ipv4_bytes;
    const auto hide = [&](std::size_t at, std::size_t length) {
        for (std::size_t i = at; i < at + length && i < masked.size(); i++)
            masked[i] = 0xff;
    };
    if (v6) {
        if (masked.size() > 0)
            masked[0] |= 0x0f; // traffic class and flow label
        hide(1, 3);
        hide(7, 1); // hop limit
    } else {
        hide(1, 1);  // type of service
        hide(8, 1);  // time to live
        hide(10, 2); // checksum
    }
    hide(at_udp + 6, 2);             // checksum
    hide(at_udp + udp_bytes + 4, 1); // reserved, with the congestion bits
    constexpr std::array<std::uint8_t, 8> ones{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    return ~crc32(crc32(0xffffffffU, ones), masked);
}

network_header header_kind(const packet &p)
{
    if (is_ipv4(p.to))
        return network_header::ipv4;
    return p.udp_sport != 0 ? network_header::ipv6 : network_header::grh;
}

std::array<std::uint8_t, global_header_bytes> global_header(const packet &p)
{
    std::array<std::uint8_t, global_header_bytes> all{};
    if (!p.to.global)
        return all;
    writer to;
    const bool udp = header_kind(p) != network_header::grh;
    const std::size_t length = transport_bytes(p) + (udp ? udp_bytes : 0);
    internet_header(to, p, length);
    std::copy(to.data.begin(), to.data.end(),
              all.end() - static_cast<std::ptrdiff_t>(to.data.size()));
    return all;
}

bytes encode_frame(const packet &p)
{
    const opcode_facts &facts = *facts_of(p.op);
    const std::size_t pad = pad_of(p);
    const std::size_t udp_length = udp_bytes + transport_bytes(p);
    writer to;
    to.data.reserve(ethernet_bytes + ipv6_bytes + udp_length);
    ethernet_address(to, p.to);
    ethernet_address(to, p.from);
    to.number(2, is_ipv4(p.to) ? ethertype_ipv4 : ethertype_ipv6);
    internet_header(to, p, udp_length);
    to.number(2, p.udp_sport);
    to.number(2, roce_port);
    to.number(2, udp_length);
    to.number(2, 0); // RoCE v2 leaves the checksum out
    transport_headers(to, p, facts, pad);
    to.append(p.payload);
    to.number(pad, 0);
    // Its lowest byte first, as on Ethernet.
    const std::uint32_t crc = invariant_crc(to.data, ethernet_bytes);
    for (unsigned i = 0; i < crc_bytes; i++)
        to.number(1, crc >> 8U * i & 0xffU);
    return std::move(to.data);
}

std::optional<packet> decode_frame(view frame)
{
    packet p;
    reader in{frame};
    in.number(12);
    const auto ethertype = static_cast<std::uint16_t>(in.number(2));
    if (!read_internet_header(in, ethertype, p))
        return std::nullopt;
    const std::size_t at_udp = frame.size() - in.rest.size();
    p.udp_sport = static_cast<std::uint16_t>(in.number(2));
    const bool to_roce = in.number(2) == roce_port;
    const std::size_t length = in.number(2);
    in.number(2);
    if (!to_roce || !in.whole || length < udp_bytes + bth_bytes + crc_bytes ||
        length > frame.size() - at_udp)
        return std::nullopt;
    // Ethernet may have padded it.
    const view whole = frame.first(at_udp + length);
    std::uint32_t crc = 0;
    for (unsigned i = 0; i < crc_bytes; i++)
        crc |= std::uint32_t{whole[whole.size() - crc_bytes + i]} << 8U * i;
    if (crc != invariant_crc(whole.first(whole.size() - crc_bytes), ethernet_bytes))
        return std::nullopt;

    in.rest = whole.subspan(at_udp + udp_bytes, length - udp_bytes - crc_bytes);
    p.op = static_cast<packet_opcode>(in.number(1));
    const opcode_facts *facts = facts_of(p.op);
    const auto flags = static_cast<std::uint8_t>(in.number(1));
    in.number(2);
    p.queue_pair = static_cast<std::uint32_t>(in.number(4)) & number_mask;
    const auto last = static_cast<std::uint32_t>(in.number(4));
    p.solicited = (flags & 0x80U) != 0;
    p.ack_request = last >> 31U != 0;
    p.psn = last & psn_bits;
    if (facts == nullptr)
        return std::nullopt;
    read_extensions(in, p, *facts);
    const std::size_t pad = flags >> 4U & 3U;
    if (!in.whole || in.rest.size() < pad || in.rest.size() - pad > greatest_payload)
        return std::nullopt;
    p.payload.assign(in.rest.begin(), in.rest.end() - static_cast<std::ptrdiff_t>(pad));
    return p;
}

} // namespace adp::hca
