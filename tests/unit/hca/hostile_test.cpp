// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Scripts of random bytes; the fuzz target data_path looks for worse ones. What is asked for is that
// the process lives and stays within its memory, which the sanitizers see.
#include "hostile_guest.h"

#include "guest.h"

namespace adp::hca {

namespace {

TEST(HostileGuest, RandomScripts)
{
    std::uint64_t delivered = 0, off_wire = 0, damaged = 0;
    std::size_t actions = 0;
    for (std::uint32_t seed = 1; seed <= 60; seed++) {
        testing::numbers chance{seed};
        bytes script(4000);
        for (std::uint8_t &byte : script)
            byte = static_cast<std::uint8_t>(chance.next() >> 8U);
        hostile_guest guest;
        guest.run(script);
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

TEST(HostileGuest, NothingAtAll)
{
    hostile_guest guest;
    guest.run({});
    EXPECT_EQ(guest.actions(), 0U);
}

} // namespace

} // namespace adp::hca
