// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The text of the filter; what it catches is tested with libpcap in filter_pcap_test.cpp.
#include "flow/filter.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace {

using namespace adp::flow;

TEST(filter, text)
{
    EXPECT_EQ((*make_filter({0, false, {}})).expression, "udp dst port 4791");
    EXPECT_EQ((*make_filter({1, false, {}})).expression,
              "udp dst port 4791 or (vlan and udp dst port 4791)");
    // nothing about source ports: bnxt_re's 36049 has to pass
    const auto filter = make_filter();
    EXPECT_EQ(filter->expression.find("src port"), std::string::npos);
    EXPECT_EQ(filter->expression.find("portrange"), std::string::npos);
    bool told = false;
    for (const std::string &note : filter->notes)
        told = told || note.find("36049") != std::string::npos;
    EXPECT_TRUE(told);
}

TEST(filter, host)
{
    const auto filter = make_filter({0, false, parse_address("fd00:0::1")});
    ASSERT_TRUE(filter);
    EXPECT_NE(filter->expression.find("host fd00::1"), std::string::npos);
}

TEST(filter, too_many_tags)
{
    EXPECT_TRUE(make_filter({4, false, {}}));
    const auto filter = make_filter({5, false, {}});
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.err().code, EINVAL);
}

} // namespace
