// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The filter compiled by libpcap and run on packets made here.
#include "flow/filter.h"

#include <gtest/gtest.h>
#include <pcap/pcap.h>
#include <vector>

namespace {

using namespace adp::flow;
using bytes = std::vector<std::uint8_t>;

void put16(bytes &to, unsigned value)
{
    to.push_back(static_cast<std::uint8_t>(value >> 8));
    to.push_back(static_cast<std::uint8_t>(value));
}

bytes udp(unsigned sport, unsigned dport)
{
    bytes b;
    for (const unsigned value : {sport, dport, 8U, 0U})
        put16(b, value);
    return b;
}

bytes ipv4(const bytes &payload, std::uint8_t proto = 17, bool options = false)
{
    bytes b{static_cast<std::uint8_t>(options ? 0x46 : 0x45),
            0,
            0,
            60,
            0,
            0,
            0x40,
            0,
            64,
            proto,
            0,
            0,
            10,
            0,
            0,
            1,
            10,
            0,
            0,
            2};
    b.insert(b.end(), options ? 4 : 0, 1);
    b.insert(b.end(), payload.begin(), payload.end());
    b.resize(80);
    return b;
}

bytes ipv6(const bytes &payload)
{
    bytes b{0x60, 0, 0, 0, 0, 8, 17, 64};
    b.resize(40);
    b[23] = 1;
    b[39] = 2;
    b.insert(b.end(), payload.begin(), payload.end());
    b.resize(80);
    return b;
}

bytes frame(unsigned ethertype, const bytes &payload, const std::vector<unsigned> &tags)
{
    bytes b(12, 2);
    for (const unsigned tag : tags) {
        put16(b, tag);
        put16(b, 7);
    }
    put16(b, ethertype);
    b.insert(b.end(), payload.begin(), payload.end());
    return b;
}

class program {
  public:
    explicit program(const std::string &text, int link = DLT_EN10MB)
        : pcap_(pcap_open_dead(link, 65535)),
          good_(pcap_compile(pcap_, &code_, text.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0)
    {
    }
    program(const program &) = delete;
    program &operator=(const program &) = delete;
    ~program()
    {
        if (good_)
            pcap_freecode(&code_);
        pcap_close(pcap_);
    }
    bool good() const { return good_; }
    bool takes(const bytes &packet) const
    {
        pcap_pkthdr header{};
        header.caplen = header.len = static_cast<bpf_u_int32>(packet.size());
        return pcap_offline_filter(&code_, &header, packet.data()) != 0;
    }

  private:
    pcap_t *pcap_;
    bpf_program code_{};
    bool good_;
};

const std::vector<unsigned> tag_lists[] = {
    {}, {0x8100}, {0x88a8}, {0x8100, 0x8100}, {0x88a8, 0x8100}, {0x8100, 0x8100, 0x8100}};

TEST(filter_pcap, takes_all_and_nothing_else)
{
    for (std::uint32_t tags = 0; tags <= 4; tags++) {
        const program filter((*make_filter({tags, false, {}})).expression);
        ASSERT_TRUE(filter.good());
        for (const std::vector<unsigned> &list : tag_lists) {
            const bool inside = list.size() <= tags;
            for (const unsigned sport : {49152U, 65535U, 36049U, 1U, 4791U}) { // there and back
                EXPECT_EQ(filter.takes(frame(0x800, ipv4(udp(sport, 4791)), list)), inside);
                EXPECT_EQ(filter.takes(frame(0x86dd, ipv6(udp(sport, 4791)), list)), inside);
                EXPECT_EQ(filter.takes(frame(0x800, ipv4(udp(sport, 4791), 17, true), list)),
                          inside);
            }
            EXPECT_FALSE(filter.takes(frame(0x800, ipv4(udp(4791, 4792)), list)));
            EXPECT_FALSE(filter.takes(frame(0x86dd, ipv6(udp(4791, 53)), list)));
            EXPECT_FALSE(filter.takes(frame(0x800, ipv4(udp(49152, 4791), 6), list)));
            EXPECT_FALSE(filter.takes(frame(0x8915, bytes(60), list)));
        }
    }
}

// The filter that people write: it loses bnxt_re's general service pair.
TEST(filter_pcap, a_port_range_misses_packets)
{
    const program range("udp src portrange 49152-65535 and dst port 4791");
    ASSERT_TRUE(range.good());
    EXPECT_FALSE(range.takes(frame(0x800, ipv4(udp(36049, 4791)), {})));
    EXPECT_FALSE(range.takes(frame(0x800, ipv4(udp(49152, 4791)), {0x8100})));
}

TEST(filter_pcap, options)
{
    const program host((*make_filter({2, false, parse_address("10.0.0.2")})).expression);
    const program other((*make_filter({2, false, parse_address("10.0.0.3")})).expression);
    const program v1((*make_filter({2, true, parse_address("10.0.0.3")})).expression);
    ASSERT_TRUE(host.good() && other.good() && v1.good());
    for (const std::vector<unsigned> &list : tag_lists) {
        const bytes packet = frame(0x800, ipv4(udp(49152, 4791)), list);
        EXPECT_EQ(host.takes(packet), list.size() <= 2);
        EXPECT_FALSE(other.takes(packet));
        EXPECT_FALSE(v1.takes(packet));
        EXPECT_EQ(v1.takes(frame(0x8915, bytes(60), list)), list.size() <= 2);
    }
}

// Where libpcap knows no VLAN tags ("any" and the like), the form without them works.
TEST(filter_pcap, other_link_types)
{
    for (const int link : {DLT_LINUX_SLL, DLT_RAW})
        EXPECT_TRUE(program((*make_filter({0, false, {}})).expression, link).good());
}

} // namespace
