// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Words of people's input.
#include "text/words.h"

#include <gtest/gtest.h>

#include <array>

namespace adp {
namespace {

TEST(nearest, names)
{
    constexpr std::string_view names[] = {"time_base", "time_unit", "roce_tx_window_en"};
    EXPECT_EQ(nearest("time_bse", names), "time_base");
    EXPECT_EQ(nearest("Time-Unit", names), "time_unit");
    EXPECT_EQ(nearest("tx_window", names), "roce_tx_window_en");
    EXPECT_EQ(nearest("zzz", names), "");
    EXPECT_EQ(nearest("", names), "");
    EXPECT_EQ(nearest(std::string(100000, 'a'), names), "");
}

TEST(nearest, words)
{
    const std::array<std::string_view, 3> names = {"NCCL_IB_TIMEOUT", "UCX_RC_RETRY_COUNT",
                                                   "UCX_RC_RNR_RETRY_COUNT"};
    EXPECT_EQ(nearest("RETRY_COUNT", names), "UCX_RC_RETRY_COUNT");
    EXPECT_EQ(nearest("nccl_ib_timeout", names), "NCCL_IB_TIMEOUT");
    EXPECT_EQ(nearest("NCCL_IB_TIMOUT", names), "NCCL_IB_TIMEOUT");
    EXPECT_EQ(nearest("SOMETHING_ELSE_ALTOGETHER", names), "");
    EXPECT_EQ(nearest("", names), "");
    EXPECT_EQ(nearest(std::string(10000, 'A'), names), "");
}

} // namespace
} // namespace adp
