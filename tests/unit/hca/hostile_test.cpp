// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Scripts of random bytes; the fuzz targets data_path and vfio_user look for worse ones. What is
// asked for is that the process lives and stays within its memory, which the sanitizers see.
#include "hostile_client.h"
#include "hostile_guest.h"

#include "guest.h"

namespace adp::hca {

namespace {

bytes any_script(std::uint32_t seed)
{
    testing::numbers chance{seed};
    bytes text(4000);
    for (std::uint8_t &byte : text)
        byte = static_cast<std::uint8_t>(chance.next() >> 8U);
    return text;
}

TEST(HostileGuest, RandomScripts)
{
    std::uint64_t delivered = 0, off_wire = 0, damaged = 0;
    std::size_t actions = 0;
    for (std::uint32_t seed = 1; seed <= 60; seed++) {
        hostile_guest guest;
        guest.run(any_script(seed));
        delivered += guest.packets().delivered;
        off_wire += guest.packets().off_wire;
        damaged += guest.packets().damaged;
        actions += guest.actions();
    }
    EXPECT_GT(actions, 10000U);
    EXPECT_GT(delivered, 1000U) << "they reach what they are to try";
    EXPECT_GT(damaged, 100U);
    EXPECT_GT(off_wire - damaged, 500U);
}

TEST(HostileClient, RandomScripts)
{
    std::size_t answers = 0, sessions = 0, commands = 0;
    for (std::uint32_t seed = 1; seed <= 60; seed++) {
        hostile_client client;
        client.run(any_script(seed));
        answers += client.answers();
        sessions += client.sessions();
        commands += client.commands();
    }
    EXPECT_GT(answers, 5000U) << "they reach what they are to try";
    EXPECT_GT(sessions, 500U);
    EXPECT_GT(commands, 200U) << "different ones, of all scripts";
}

TEST(HostileGuest, NothingAtAll)
{
    hostile_guest guest;
    guest.run({});
    EXPECT_EQ(guest.actions(), 0U);
}

} // namespace

} // namespace adp::hca
