// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Random commands: whatever is sent, what no command may change stays, and the state stays one
// that can be written and read again. The sanitizers watch the rest.
#include "mailbox.h"
#include "preset.h"
#include "state_format.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace sim_test;
using adp::sim::make_preset;
using adp::sim::model;

namespace {

// Mostly commands that get somewhere, with some bytes that are wrong.
bytes random_command(std::mt19937 &random)
{
    const auto below = [&random](std::uint32_t n) {
        return static_cast<std::uint32_t>(random() % n);
    };
    static constexpr std::uint32_t ops[] = {0x805, 0x805, 0x805, 0xb0c, 0x100, 0x801};
    static constexpr std::uint32_t registers[] = {0x402c, 0x402c, 0xc01d, 0xc01e, 0xc00d, 0x9020};
    dwords d(below(8) == 0 ? below(40) : 32);
    for (std::uint32_t &v : d)
        v = below(4) == 0 ? below(UINT32_MAX) : 0;
    if (d.size() >= 16 && below(2) == 0) {
        const dwords good = vendor_sample(below(2) == 0 ? 0x10000001 : 1U << below(32));
        std::copy(good.begin(), good.end(), d.begin());
        d[1 + below(8)] ^= 1U << below(32);
    }
    bytes in = register_command(ops[below(6)], below(2), registers[below(6)], d);
    if (below(16) == 0)
        in[below(static_cast<std::uint32_t>(in.size()))] = static_cast<std::uint8_t>(random());
    if (below(16) == 0)
        in.resize(below(0x60));
    return in;
}

} // namespace

TEST(hostile, no_command_changes_what_is_read_only)
{
    std::mt19937 random{20250701};
    unsigned accepted = 0;
    for (const char *preset : {"default", "full", "pre-46", "old-no-adp"}) {
        model m = make_preset(preset)->front();
        m.accl[0] |= 0x40000000;
        m.accl[3] = 0x12345678;
        const model start = m;
        for (int i = 0; i < 5000; i++) {
            const answer a = run(m, random_command(random), random() % 0x100);
            accepted += a.out.size() >= 0x10 && a.outcome.err == 0 && a.status() == 0;
            ASSERT_EQ(m.accl[0], start.accl[0]);
            ASSERT_EQ(m.accl[1] & 0x80ff0000, start.accl[1] & 0x80ff0000);
            ASSERT_EQ(m.accl[2] & 0xffcfffff, start.accl[2] & 0xffcfffff);
            ASSERT_EQ(m.accl[3], start.accl[3]);
            ASSERT_LE(m.accl[1] >> 28 & 7, m.accl[2] >> 24 & 7);
            for (std::size_t k = 10; k < 16; k++)
                ASSERT_EQ(m.accl[k], 0U);
            ASSERT_EQ(m.histogram.config[0] & 0x10f00000, start.histogram.config[0] & 0x10f00000);
            ASSERT_EQ(m.histogram.config[1] & 0x00ff0000, start.histogram.config[1] & 0x00ff0000);
            ASSERT_EQ(m.nic_cap, start.nic_cap);
            ASSERT_EQ(m.caps, start.caps);
            ASSERT_FALSE(m.gone);
        }
        const auto again = adp::sim::parse_state(adp::sim::format_state({m}), "x");
        ASSERT_TRUE(again) << again.err().reason;
        EXPECT_EQ(again->devices.at(0), m);
    }
    EXPECT_GT(accepted, 2000U) << "the commands should not all be nonsense";
}
