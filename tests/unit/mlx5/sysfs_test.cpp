// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sysfs.h"

#include "file.h"
#include "support.h"

using namespace adp;
using namespace adp::mlx5;
using mlx5_test::folder;
using mlx5_test::variable;

TEST(sysfs, this_machine_is_the_default)
{
    ::unsetenv("ADP_SYSFS_ROOT");
    EXPECT_EQ(os::sysfs_root(), "/sys");
    EXPECT_FALSE(foreign_sysfs());
    EXPECT_EQ(fwctl_node("ffff:ff:1f.7"), "");
    EXPECT_EQ(uverbs_node("no such device"), "");
}

TEST(sysfs, fwctl_node_below_the_function)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    EXPECT_TRUE(foreign_sysfs());
    EXPECT_EQ(fwctl_node("0000:1a:00.0"), "");
    tree.make_directory("bus/pci/devices/0000:1a:00.0/fwctl/fwctl3");
    EXPECT_EQ(fwctl_node("0000:1a:00.0"), "fwctl3");
    EXPECT_EQ(fwctl_node("0000:1a:00.1"), "");
    EXPECT_EQ(fwctl_node(""), "");
}

TEST(sysfs, fwctl_node_by_its_parent)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    tree.make_directory("devices/pci0000:00/0000:1a:00.0");
    tree.make_directory("devices/pci0000:00/0000:1a:00.1");
    tree.link("class/fwctl/fwctl0/device", "../../../devices/pci0000:00/0000:1a:00.1");
    tree.link("class/fwctl/fwctl12/device", "../../../devices/pci0000:00/0000:1a:00.0");
    tree.link("class/fwctl/other/device", "../../../devices/pci0000:00/0000:1a:00.2");
    EXPECT_EQ(fwctl_node("0000:1a:00.0"), "fwctl12");
    EXPECT_EQ(fwctl_node("0000:1a:00.1"), "fwctl0");
    EXPECT_EQ(fwctl_node("0000:1a:00.2"), "");
    EXPECT_EQ(fwctl_node("0000:1a:00"), "");
    EXPECT_EQ(fwctl_node("1a:00.0"), "");
}

TEST(sysfs, uverbs_node_by_its_device)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    tree.write("class/infiniband_verbs/abi_version", "6\n");
    tree.write("class/infiniband_verbs/uverbs0/ibdev", "mlx5_10\n");
    tree.write("class/infiniband_verbs/uverbs1/ibdev", "mlx5_1\n");
    EXPECT_EQ(uverbs_node("mlx5_1"), "uverbs1");
    EXPECT_EQ(uverbs_node("mlx5_10"), "uverbs0");
    EXPECT_EQ(uverbs_node("mlx5_"), "");
    EXPECT_EQ(uverbs_node(""), "");
}

TEST(sysfs, a_function_that_is_offered_to_fwctl)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    EXPECT_FALSE(offers_fwctl("0000:1a:00.0"));
    tree.make_directory("bus/pci/devices/0000:1a:00.0/mlx5_core.eth.0");
    EXPECT_FALSE(offers_fwctl("0000:1a:00.0"));
    tree.make_directory("bus/pci/devices/0000:1a:00.0/mlx5_core.fwctl.2");
    EXPECT_TRUE(offers_fwctl("0000:1a:00.0"));
}

TEST(sysfs, lockdown)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    EXPECT_EQ(lockdown(), "");
    const std::pair<const char *, const char *> cases[] = {
        {"none [integrity] confidentiality\n", "integrity"},
        {"none integrity [confidentiality]\n", "confidentiality"},
        {"[none] integrity confidentiality\n", ""},
        {"none integrity confidentiality\n", ""},
        {"]none[\n", ""},
        {"", ""},
    };
    for (const auto &[text, want] : cases) {
        tree.write("kernel/security/lockdown", text);
        EXPECT_EQ(lockdown(), want) << text;
    }
}

TEST(sysfs, subfunctions)
{
    function_ref fn = mlx5_test::function();
    EXPECT_FALSE(is_subfunction(fn));
    fn.driver = "mlx5_core.sf";
    EXPECT_TRUE(is_subfunction(fn));
}
