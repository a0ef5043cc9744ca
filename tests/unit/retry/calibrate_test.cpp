// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "common.h"

#include "retry/calibrate.h"

#include <algorithm>
#include <cerrno>

namespace adp::retry::test {
namespace {

// Bins of 1 ms each from 0 on, the last one open, filled with these waits.
std::vector<histogram_bin> fill(const std::vector<std::uint64_t> &waits, std::size_t n = 400)
{
    std::vector<histogram_bin> bins(n);
    for (std::size_t i = 0; i < n; i++)
        bins[i] = {i * ns_per_ms, i + 1 == n ? never : (i + 1) * ns_per_ms, 0};
    for (const std::uint64_t w : waits)
        bins[static_cast<std::size_t>(std::min<std::uint64_t>(w / ns_per_ms, n - 1))].count++;
    return bins;
}

std::vector<std::uint64_t> waits_of(const schedule &s, std::uint64_t factor)
{
    std::vector<std::uint64_t> out;
    for (const schedule_row &row : s.rows)
        out.insert(out.end(), static_cast<std::size_t>(row.count), row.wait_ns * factor);
    return out;
}

schedule two_ranges_schedule()
{
    const adp_profile p = two_ranges();
    return make_schedule(config_of(model_id::profile, qp(14, 7), &p), 10);
}

TEST(calibrate, finds_the_factor)
{
    const schedule s = two_ranges_schedule();
    for (const std::uint64_t factor : {1U, 2U, 3U, 4U}) {
        const result<calibration> c = calibrate(fill(waits_of(s, factor)), s.rows);
        ASSERT_TRUE(c) << c.err().reason;
        EXPECT_TRUE(c->constant);
        EXPECT_LE(c->low_milli, 1000 * factor);
        EXPECT_GE(c->high_milli, 1000 * factor);
        // One bin of 1 ms on the longest wait of 67 ms.
        EXPECT_LT(c->high_milli - c->low_milli, 25U);
        EXPECT_TRUE(c->as_documented);
        EXPECT_EQ(c->counted, 68U);
        EXPECT_EQ(c->expected, 68U);
    }
}

TEST(calibrate, many_runs_of_the_device)
{
    const schedule s = two_ranges_schedule();
    std::vector<std::uint64_t> waits;
    for (unsigned i = 0; i < 10; i++)
        for (const std::uint64_t w : waits_of(s, 2))
            waits.push_back(w);
    const calibration c = *calibrate(fill(waits), s.rows);
    EXPECT_TRUE(c.constant);
    EXPECT_LE(c.low_milli, 2000U);
    EXPECT_GE(c.high_milli, 2000U);
    EXPECT_EQ(c.counted, 680U);
}

TEST(calibrate, a_factor_that_is_none)
{
    // Short waits as they are, the long ones three times as long.
    const schedule s = two_ranges_schedule();
    std::vector<std::uint64_t> waits = waits_of(s, 1);
    for (std::uint64_t &w : waits)
        if (w > 30 * ns_per_ms)
            w *= 3;
    const calibration c = *calibrate(fill(waits), s.rows);
    EXPECT_FALSE(c.constant);
    EXPECT_LE(c.low_milli, 1000U);
    EXPECT_GE(c.high_milli, 3000U);
    // Ten times as long is not what the vendor says.
    EXPECT_FALSE(calibrate(fill(waits_of(s, 10), 1000), s.rows)->as_documented);
}

TEST(calibrate, bad_input)
{
    const schedule s = two_ranges_schedule();
    const auto code = [&](const std::vector<histogram_bin> &bins,
                          const std::vector<schedule_row> &rows) {
        const result<calibration> c = calibrate(bins, rows);
        return c ? 0 : c.err().code;
    };
    EXPECT_EQ(code({}, s.rows), EINVAL);
    EXPECT_EQ(code(fill({}), s.rows), EINVAL);
    EXPECT_EQ(code(fill({5}), {}), EINVAL);
    EXPECT_EQ(code({{5, 5, 1}}, s.rows), EINVAL);
    EXPECT_EQ(code({{5, 9, 1}, {8, 12, 1}}, s.rows), EINVAL);
    EXPECT_EQ(code({{0, never, UINT64_MAX / 2}}, s.rows), EINVAL);
    schedule_row endless;
    endless.wait_ns = 5;
    endless.count = never;
    EXPECT_EQ(code(fill({5}), {endless}), EINVAL);
    // One open bin says nothing, which is no error.
    const calibration open = *calibrate(std::vector<histogram_bin>{{0, never, 3}}, s.rows);
    EXPECT_EQ(open.low_milli, 0U);
    EXPECT_EQ(open.high_milli, never);
}

} // namespace
} // namespace adp::retry::test
