// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Answers of devlink: shapes as devlink_nl_port_fill() makes them, and everything that cannot be right.
// Attribute numbers are those of include/uapi/linux/devlink.h, written down again.
#include "devlink.h"

#include "message.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using adp::test::cut_everywhere;
using adp::test::payload;

namespace {

constexpr std::uint16_t bus = 1, device = 2, port_index = 3, port_type = 4, ifindex = 6,
                        netdev_name = 7, flavour = 77, port_number = 78, pf = 127, vf = 128,
                        function = 145, external = 149, controller = 150, sf = 164;
constexpr std::uint16_t hw_addr = 1, fn_state = 2, fn_opstate = 3;
constexpr std::uint16_t family_id = 1, family_name = 2;
constexpr std::uint16_t nested = 0x8000, net_order = 0x4000;
constexpr std::uint8_t port_new = 7, new_family = 1;

// With the header of generic netlink: command, version, nothing.
std::vector<std::uint8_t> message(const payload &p, std::uint8_t command = port_new)
{
    std::vector<std::uint8_t> all{command, 1, 0, 0};
    all.insert(all.end(), p.bytes().begin(), p.bytes().end());
    return all;
}

payload u16(payload p, std::uint16_t type, std::uint16_t value)
{
    return p.raw(type, &value, sizeof value);
}

payload begun()
{
    return payload{}.text(bus, "pci").text(device, "0000:01:00.0").u32(port_index, 65537);
}

payload whole()
{
    payload p = begun();
    p = u16(p, port_type, 2);
    p.u32(ifindex, 12).text(netdev_name, "eth3");
    p = u16(p, flavour, 7);
    p.u32(controller, 1);
    p = u16(p, pf, 0);
    p.u32(sf, 88).u8(external, 1);
    return p.nest(
        function | nested,
        payload{}.raw(hw_addr, "\x0e\x42\xa1\xa1\x00\x02", 6).u8(fn_state, 1).u8(fn_opstate, 0));
}

} // namespace

TEST(Devlink, AsTheKernelSendsIt)
{
    const auto got = adp::nl::parse_devlink_port(message(whole()));
    ASSERT_TRUE(got) << got.err().reason;
    EXPECT_EQ(got->name, "pci/0000:01:00.0/65537");
    EXPECT_EQ(got->netdev_index, 12U);
    EXPECT_EQ(got->netdev, "eth3");
    EXPECT_EQ(adp::nl::flavour_name(got->flavour.value()), "pcisf");
    EXPECT_EQ(got->controller, 1U);
    EXPECT_EQ(got->pf, 0U);
    EXPECT_FALSE(got->vf);
    EXPECT_EQ(got->sf, 88U);
    EXPECT_EQ(got->external, true);
    EXPECT_EQ(got->hw_addr, "0e:42:a1:a1:00:02");
    EXPECT_EQ(adp::nl::state_name(got->state.value()), "active");
    EXPECT_EQ(adp::nl::operational_name(got->operational.value()), "detached");
}

TEST(Devlink, AnyOrderFlagsAndUnknownAttributes)
{
    payload p;
    p.u32(9999, 1).u32(port_number, 0).u8(external | nested, 0);
    p = u16(p, vf | net_order, 1);
    p.nest(function, payload{}.u32(77, 1));
    p = u16(p, flavour, 4);
    p.raw(0, nullptr, 0).u32(port_index, 2).text(device, "mlx5_core.eth.0").text(bus, "auxiliary");
    p = u16(p, pf, 0);
    const auto got = adp::nl::parse_devlink_port(message(p));
    ASSERT_TRUE(got) << got.err().reason;
    EXPECT_EQ(got->name, "auxiliary/mlx5_core.eth.0/2");
    EXPECT_EQ(got->netdev_index, 0U);
    EXPECT_EQ(got->vf, 1U);
    EXPECT_EQ(got->external, false);
    EXPECT_FALSE(got->controller);
    EXPECT_TRUE(got->hw_addr.empty());
    EXPECT_FALSE(got->state);
}

TEST(Devlink, WordsThatAreNotKnownAreNumbers)
{
    EXPECT_EQ(adp::nl::flavour_name(0), "physical");
    EXPECT_EQ(adp::nl::flavour_name(8), "8");
    EXPECT_EQ(adp::nl::state_name(2), "2");
    EXPECT_EQ(adp::nl::operational_name(4294967295U), "4294967295");
}

TEST(Devlink, StrangeSizesAreRefused)
{
    const auto refused = [](const payload &more) {
        payload p = begun();
        std::vector<std::uint8_t> all = message(p);
        all.insert(all.end(), more.bytes().begin(), more.bytes().end());
        const auto got = adp::nl::parse_devlink_port(all);
        return !got && got.err().code == EPROTO && !got.err().reason.empty();
    };
    EXPECT_FALSE(refused(payload{}));
    EXPECT_TRUE(refused(payload{}.u32(flavour, 4)));
    EXPECT_TRUE(refused(payload{}.u8(flavour, 4)));
    EXPECT_TRUE(refused(payload{}.u32(pf, 0)));
    EXPECT_TRUE(refused(payload{}.u32(vf, 0)));
    EXPECT_TRUE(refused(u16(payload{}, sf, 0)));
    EXPECT_TRUE(refused(u16(payload{}, controller, 0)));
    EXPECT_TRUE(refused(payload{}.u64(ifindex, 1)));
    EXPECT_TRUE(refused(payload{}.u32(external, 1)));
    EXPECT_TRUE(refused(payload{}.raw(external, nullptr, 0)));
    EXPECT_TRUE(refused(payload{}.raw(netdev_name, "eth", 3))); // not ended
    EXPECT_TRUE(refused(payload{}.nest(function, payload{}.u32(fn_state, 1))));
    EXPECT_TRUE(refused(payload{}.nest(function, payload{}.raw(hw_addr, nullptr, 0))));
    EXPECT_TRUE(
        refused(payload{}.nest(function, payload{}.raw(hw_addr, std::string(33, 'x').data(), 33))));
    EXPECT_FALSE(
        refused(payload{}.nest(function, payload{}.raw(hw_addr, std::string(32, 'x').data(), 32))));
    EXPECT_TRUE(refused(payload{}.raw(function, "\x05", 1)));
    EXPECT_TRUE(refused(payload{}.raw(function, "\xff\xff\x01\x00", 4)));
}

TEST(Devlink, APortHasADeviceAndANumber)
{
    EXPECT_FALSE(adp::nl::parse_devlink_port({}));
    EXPECT_FALSE(adp::nl::parse_devlink_port(message(payload{})));
    EXPECT_FALSE(
        adp::nl::parse_devlink_port(message(payload{}.text(bus, "pci").u32(port_index, 1))));
    EXPECT_FALSE(
        adp::nl::parse_devlink_port(message(payload{}.text(bus, "pci").text(device, "x"))));
    EXPECT_FALSE(adp::nl::parse_devlink_port(
        message(payload{}.text(bus, "").text(device, "x").u32(port_index, 1))));
}

// Cut anywhere: an error, or (between two attributes) a part of the truth.
TEST(Devlink, CutAtEachByte)
{
    const std::size_t accepted =
        cut_everywhere(message(whole()), adp::nl::parse_devlink_port,
                       [](const adp::nl::devlink_port &got, std::size_t n) {
                           EXPECT_EQ(got.name, "pci/0000:01:00.0/65537") << n;
                           EXPECT_TRUE(got.hw_addr.empty()) << n;
                       });
    EXPECT_GE(accepted, 1U);
    EXPECT_LE(accepted, 24U); // after each of the nine attributes behind the index, and paddings
}

TEST(Devlink, Garbage)
{
    std::mt19937 random{7};
    const auto all = message(whole());
    for (int i = 0; i < 20000; i++) {
        std::vector<std::uint8_t> spoilt = all;
        for (auto k = random() % 6 + 1; k > 0; k--)
            spoilt[random() % spoilt.size()] = static_cast<std::uint8_t>(random());
        spoilt.resize(random() % (spoilt.size() + 1));
        const auto got = adp::nl::parse_devlink_port(spoilt);
        if (got) {
            EXPECT_GE(got->name.size(), 5U); // "b/d/0"
            EXPECT_LE(got->hw_addr.size(), 32U * 3 - 1);
        }
        static_cast<void>(adp::nl::parse_family(spoilt));
    }
}

TEST(Devlink, TheNumberOfTheFamily)
{
    const payload named = payload{}.text(family_name, "devlink");
    const auto got = adp::nl::parse_family(message(u16(named, family_id, 31), new_family));
    ASSERT_TRUE(got) << got.err().reason;
    EXPECT_EQ(*got, 31U);
    EXPECT_FALSE(adp::nl::parse_family(message(named, new_family)));
    EXPECT_FALSE(adp::nl::parse_family({}));
    EXPECT_FALSE(adp::nl::parse_family(message(payload{}.u32(family_id, 31), new_family)));
    // Below are the messages of netlink itself.
    EXPECT_FALSE(adp::nl::parse_family(message(u16(named, family_id, 15), new_family)));
}
