// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Words of people's input.
#include "text/pci_address.h"
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

TEST(PciAddress, AsTheKernelWritesIt)
{
    EXPECT_EQ(pci_address("1A:00.0"), "0000:1a:00.0");
    EXPECT_EQ(pci_address("0000:1a:00.7"), "0000:1a:00.7");
    EXPECT_EQ(pci_address("10000:E1:1f.0"), "10000:e1:1f.0") << "a domain of VMD";
    EXPECT_EQ(pci_address("ffffffff:1a:00.0"), "ffffffff:1a:00.0");
    for (const char *text :
         {"", "1a:00", "1a:00.8", "1a:00.x", "000:1a:00.0", "0:1a:00.0", "123456789:1a:00.0",
          "0000:1a.00.0", "0000-1a:00.0", "g000:1a:00.0", "mlx5_0", "0000:1a:00.0 ", "ens1f0np0"})
        EXPECT_EQ(pci_address(text), "") << text;
    EXPECT_TRUE(is_pci_address("0000:1a:00.0"));
    EXPECT_FALSE(is_pci_address("1a:00.0"));
    EXPECT_FALSE(is_pci_address("0000:1A:00.0"));
    EXPECT_FALSE(is_pci_address(""));
}

} // namespace
} // namespace adp
