// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which function a port stands for: names as __devlink_port_phys_port_name_get() of the kernel makes
// them, written down by hand.
#include "port_function.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>

using adp::judge_function;
using adp::port_function;
using adp::nl::devlink_port;

namespace {

// enum devlink_port_flavour
constexpr std::uint32_t physical = 0, cpu = 1, pcipf = 3, pcivf = 4, is_virtual = 5, pcisf = 7,
                        of_a_newer_kernel = 99;

devlink_port port(std::uint32_t flavour, std::optional<std::uint32_t> pf = {},
                  std::optional<std::uint32_t> number = {})
{
    devlink_port p;
    p.name = "pci/0000:01:00.0/1";
    p.flavour = flavour;
    p.pf = pf;
    if (flavour == pcivf)
        p.vf = number;
    if (flavour == pcisf)
        p.sf = number;
    return p;
}

devlink_port of_host(devlink_port p, std::uint32_t controller)
{
    p.controller = controller;
    p.external = true;
    return p;
}

devlink_port of_this_machine(devlink_port p)
{
    p.controller = 0;
    p.external = false;
    return p;
}

std::string named(const char *name, const devlink_port &p)
{
    const port_function f = judge_function("eth1", name, &p);
    EXPECT_EQ(f.reason, "") << name;
    return f.name;
}

} // namespace

TEST(PortFunction, TheNameAlone)
{
    for (const char *uplink : {"p0", "p1", "p0s2", "l1p0"}) {
        const port_function f = judge_function("eth0", uplink, nullptr);
        EXPECT_EQ(f.name, "uplink") << uplink;
        EXPECT_TRUE(f.uplink);
        EXPECT_EQ(f.reason, "");
    }
    for (const char *name : {"pf0vf1", "c1pf0", "c2pf1vf127", "pf0sf88", "pf0", "1", "p", "px"}) {
        const port_function f = judge_function("eth0", name, nullptr);
        EXPECT_EQ(f.name, name);
        EXPECT_FALSE(f.uplink);
    }
    const port_function none = judge_function("eth0", "", nullptr);
    EXPECT_EQ(none.name, "");
    EXPECT_EQ(none.reason, "eth0 has no phys_port_name");
}

TEST(PortFunction, DevlinkAlone)
{
    EXPECT_EQ(named("", of_this_machine(port(pcivf, 0, 1))), "pf0vf1");
    EXPECT_EQ(named("", of_this_machine(port(pcisf, 1, 88))), "pf1sf88");
    EXPECT_EQ(named("", of_host(port(pcipf, 0), 1)), "c1pf0");
    EXPECT_EQ(named("", of_host(port(pcivf, 0, 3), 1)), "c1pf0vf3");
    EXPECT_EQ(named("", port(pcivf, 0, 1)), "pf0vf1"); // kernels before 5.10 know no controllers
    EXPECT_EQ(named("", port(physical)), "uplink");
    const devlink_port p = port(physical);
    EXPECT_TRUE(judge_function("eth0", "", &p).uplink);
}

TEST(PortFunction, BothSayTheSame)
{
    EXPECT_EQ(named("pf0vf1", of_this_machine(port(pcivf, 0, 1))), "pf0vf1");
    EXPECT_EQ(named("c1pf0", of_host(port(pcipf, 0), 1)), "c1pf0");
    EXPECT_EQ(named("pf0sf88", of_this_machine(port(pcisf, 0, 88))), "pf0sf88");
    EXPECT_EQ(named("c1pf0vf2", port(pcivf, 0, 2)), "c1pf0vf2");
    EXPECT_EQ(named("p0", port(physical)), "uplink");
    EXPECT_EQ(named("p0s1", port(physical)), "uplink");
}

// The name is one that says less, or nothing that is known: devlink's word, and what the name is.
TEST(PortFunction, TheNameSaysLess)
{
    const devlink_port host = of_host(port(pcivf, 0, 1), 1);
    const port_function f = judge_function("eth1", "pf0vf1", &host);
    EXPECT_EQ(f.name, "c1pf0vf1");
    EXPECT_EQ(f.reason, "by devlink: phys_port_name of eth1 is pf0vf1");
    const devlink_port own = of_this_machine(port(pcivf, 0, 1));
    for (const char *name : {"1", "pf0vf", "pf0vf1x", "vf1", "c1", "pf99999999999", "pf0vf1 "}) {
        const port_function odd = judge_function("eth1", name, &own);
        EXPECT_EQ(odd.name, "pf0vf1") << name;
        EXPECT_NE(odd.reason.find(name), std::string::npos);
    }
    const devlink_port out = port(physical);
    const port_function odd = judge_function("eth1", "0", &out);
    EXPECT_TRUE(odd.uplink);
    EXPECT_NE(odd.reason, "");
}

TEST(PortFunction, TheyDisagree)
{
    const struct {
        const char *name;
        devlink_port listed;
        const char *devlink_says;
        bool may_be_uplink;
    } cases[] = {
        {"pf0vf1", of_this_machine(port(pcivf, 0, 2)), "pf0vf2", false},
        {"pf0vf1", of_this_machine(port(pcivf, 1, 1)), "pf1vf1", false},
        {"pf0vf1", of_this_machine(port(pcisf, 0, 1)), "pf0sf1", false},
        {"pf0", of_this_machine(port(pcivf, 0, 0)), "pf0vf0", false},
        {"c2pf0", of_host(port(pcipf, 0), 1), "c1pf0", false},
        {"p0", of_this_machine(port(pcivf, 0, 1)), "pf0vf1", true},
        {"pf0vf1", port(physical), "uplink", true},
        {"pf0vf1", port(cpu), "cpu", false},
        {"p0", port(is_virtual), "virtual", true},
    };
    for (const auto &c : cases) {
        const port_function f = judge_function("eth1", c.name, &c.listed);
        EXPECT_EQ(f.name, "") << c.name;
        EXPECT_EQ(f.reason, std::string{"phys_port_name of eth1 is "} + c.name + ", devlink says " +
                                c.devlink_says);
        EXPECT_FALSE(f.uplink);
        EXPECT_EQ(f.may_be_uplink, c.may_be_uplink) << c.name;
    }
}

// What devlink says is no statement about a function: as if it had not been asked.
TEST(PortFunction, DevlinkSaysNothing)
{
    for (const devlink_port &p :
         {port(of_a_newer_kernel), port(pcivf, 0), port(pcisf), port(pcipf), devlink_port{}}) {
        EXPECT_EQ(judge_function("eth1", "pf0vf1", &p).name, "pf0vf1");
        EXPECT_TRUE(judge_function("eth1", "p0", &p).uplink);
        EXPECT_EQ(judge_function("eth1", "", &p).reason, "eth1 has no phys_port_name");
    }
    const devlink_port no = port(is_virtual);
    EXPECT_EQ(judge_function("eth1", "", &no).reason,
              "eth1 stands for no function: devlink says virtual");
}
