// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mlx5.h"

#include "support.h"

#include <cerrno>

using namespace adp;
using mlx5_test::folder;
using mlx5_test::function;
using mlx5_test::variable;

TEST(provider, serves_mlx5_functions_alone)
{
    provider *mlx5 = mlx5::instance();
    ASSERT_NE(mlx5, nullptr);
    EXPECT_EQ(mlx5, mlx5::instance());
    function_ref fn = function();
    EXPECT_TRUE(mlx5->match(fn));
    for (const auto &[driver, served] :
         {std::pair{"mlx5_core.sf", true}, {"mlx4_core", false}, {"mlx5_ib", false}, {"", false}}) {
        fn.driver = driver;
        EXPECT_EQ(mlx5->match(fn), served) << driver;
    }
}

TEST(provider, names_its_paths_in_the_order_of_auto)
{
    EXPECT_EQ(mlx5::instance()->paths(function()),
              (std::vector<std::string>{"fwctl", "devx", "mstreg"}));
}

TEST(provider, each_path_says_why_it_cannot_be_opened)
{
    const folder tree;
    const folder bin;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    const variable path{"PATH", bin.path()};
    provider *mlx5 = mlx5::instance();
    for (const auto &[name, reason] : {std::pair{"fwctl", "no fwctl node"},
                                       {"devx", "no uverbs node"},
                                       {"mstreg", "neither mstreg nor mlxreg"},
                                       {"sim", "no access path \"sim\""},
                                       {"", "no access path \"\""}}) {
        const auto opened = mlx5->open(function(), name, {});
        ASSERT_FALSE(opened) << name;
        EXPECT_NE(opened.err().code, 0);
        EXPECT_NE(opened.err().reason.find(reason), std::string::npos) << opened.err().reason;
    }
}
