// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Our restatement of the kernel's interface against the numbers of the kernel's own.
#include <cstddef>
#include <fwctl/fwctl.h>
#include <fwctl/mlx5.h>
#include <gtest/gtest.h>

TEST(kernel_headers, fwctl)
{
    EXPECT_EQ(sizeof(fwctl_info), 24U);
    EXPECT_EQ(offsetof(fwctl_info, size), 0U);
    EXPECT_EQ(offsetof(fwctl_info, flags), 4U);
    EXPECT_EQ(offsetof(fwctl_info, out_device_type), 8U);
    EXPECT_EQ(offsetof(fwctl_info, device_data_len), 12U);
    EXPECT_EQ(offsetof(fwctl_info, out_device_data), 16U);
    EXPECT_EQ(sizeof(fwctl_rpc), 32U);
    EXPECT_EQ(offsetof(fwctl_rpc, size), 0U);
    EXPECT_EQ(offsetof(fwctl_rpc, scope), 4U);
    EXPECT_EQ(offsetof(fwctl_rpc, in_len), 8U);
    EXPECT_EQ(offsetof(fwctl_rpc, out_len), 12U);
    EXPECT_EQ(offsetof(fwctl_rpc, in), 16U);
    EXPECT_EQ(offsetof(fwctl_rpc, out), 24U);
    EXPECT_EQ(sizeof(fwctl_info_mlx5), 8U);
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
    EXPECT_EQ(FWCTL_INFO, 0x9a00U);
    EXPECT_EQ(FWCTL_RPC, 0x9a01U);
#endif
    EXPECT_EQ(FWCTL_DEVICE_TYPE_MLX5, 1);
    EXPECT_EQ(FWCTL_RPC_CONFIGURATION, 0);
    EXPECT_EQ(FWCTL_RPC_DEBUG_READ_ONLY, 1);
    EXPECT_EQ(FWCTL_RPC_DEBUG_WRITE, 2);
    EXPECT_EQ(FWCTL_RPC_DEBUG_WRITE_FULL, 3);
}
