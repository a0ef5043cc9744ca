// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the tests of the simulation begin with.
#pragma once

#include "common.h"

#include "retry/simulate.h"

namespace adp::retry::test {

inline scenario base(const engine_config &c)
{
    scenario s;
    s.config = c;
    s.delay.rtt_ns = 10 * ns_per_us;
    s.traffic.gap_ns = ns_per_ms;
    s.traffic.packet_bytes = 1000;
    s.duration_ns = ns_per_s;
    return s;
}

inline tally run(const scenario &s)
{
    result<tally> t = simulate(s);
    EXPECT_TRUE(t) << (t ? "" : t.err().reason);
    return t ? *t : tally{};
}

} // namespace adp::retry::test
