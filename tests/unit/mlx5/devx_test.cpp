// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The devx path where there is no device: the reasons. With one: the emulated kernel.
#include "devx.h"

#include "support.h"

#include <cerrno>

using namespace adp;
using namespace adp::mlx5;
using mlx5_test::folder;
using mlx5_test::function;
using mlx5_test::variable;

TEST(devx, no_uverbs_node)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    auto opened = open_devx(function());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, ENOENT);
    EXPECT_EQ(opened.err().reason, "no uverbs node for mlx5_0");
    EXPECT_NE(opened.err().remedy.find("ib_uverbs"), std::string::npos);

    function_ref fn = function();
    fn.ibdev.clear(); // a function whose RDMA driver is not loaded
    opened = open_devx(fn);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, ENOENT);
}

TEST(devx, a_foreign_tree_opens_nothing)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    tree.write("class/infiniband_verbs/uverbs7/ibdev", "mlx5_0\n");
    const auto opened = open_devx(function());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, EOPNOTSUPP);
    EXPECT_NE(opened.err().reason.find("/dev/infiniband/uverbs7"), std::string::npos);
    EXPECT_NE(opened.err().reason.find("ADP_SYSFS_ROOT"), std::string::npos);
}
