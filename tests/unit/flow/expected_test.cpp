// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/expected.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using adp::flow::expect_random;

// Facts 3.1, from a simulation: mean fullest path, share of idle paths, no collision at all.
TEST(expected, simulated_table)
{
    constexpr struct {
        unsigned flows, paths;
        double max, idle, none;
    } rows[] = {{4, 4, 2.12, .315, .09}, {8, 8, 2.59, .343, .002}, {16, 8, 4.20, .118, 0},
                {64, 8, 12.2, 0, 0},     {16, 16, 3.08, .356, 0},  {128, 16, 13.3, 0, 0},
                {64, 64, 3.95, .365, 0}, {256, 64, 9.36, -1, 0}};
    for (const auto &row : rows) {
        const auto r = expect_random(row.flows, row.paths);
        EXPECT_NEAR(r.max_load, row.max, row.max * 0.01) << row.flows << '/' << row.paths;
        if (row.idle >= 0) {
            EXPECT_NEAR(r.idle_share, row.idle, 0.003) << row.flows << '/' << row.paths;
        }
        EXPECT_NEAR(r.no_collision, row.none, 0.005) << row.flows << '/' << row.paths;
    }
}

// All outcomes of 5 flows on 3 paths, counted one by one.
TEST(expected, small_case_exactly)
{
    double sum = 0;
    for (int outcome = 0; outcome < 243; outcome++) {
        int load[3] = {0, 0, 0};
        for (int flow = 0, rest = outcome; flow < 5; flow++, rest /= 3)
            load[rest % 3]++;
        sum += *std::max_element(load, load + 3);
    }
    EXPECT_NEAR(expect_random(5, 3).max_load, sum / 243, 1e-6);
}

TEST(expected, large_cases_against_simulation)
{
    std::mt19937 random(5);
    constexpr struct {
        unsigned flows, paths;
    } rows[] = {{300, 16}, {257, 64}, {2000, 3}, {10000, 100}};
    for (const auto &row : rows) {
        double sum = 0;
        constexpr int runs = 400;
        for (int run = 0; run < runs; run++) {
            std::vector<unsigned> load(row.paths, 0);
            for (unsigned i = 0; i < row.flows; i++)
                load[random() % row.paths]++;
            sum += *std::max_element(load.begin(), load.end());
        }
        EXPECT_NEAR(expect_random(row.flows, row.paths).max_load, sum / runs, sum / runs * 0.02)
            << row.flows << '/' << row.paths;
    }
}

TEST(expected, edges)
{
    EXPECT_EQ(expect_random(0, 8).max_load, 0);
    EXPECT_EQ(expect_random(0, 8).idle_share, 1);
    EXPECT_EQ(expect_random(7, 1).max_load, 7);
    EXPECT_EQ(expect_random(5, 0).max_load, 0);
    EXPECT_NEAR(expect_random(1, 1000000).max_load, 1, 1e-6);
    EXPECT_EQ(expect_random(9, 8).no_collision, 0);
    // Each ends, whatever a processor makes of the last digits: the fullest of 3 paths is above the mean by
    // about 0.846 standard deviations (order statistics of three normal variables).
    for (const std::uint64_t flows : {30000U, 3000000U, 300000000U, 2000000001U}) {
        const double mean = static_cast<double>(flows) / 3;
        EXPECT_NEAR((expect_random(flows, 3).max_load - mean) / std::sqrt(mean), 0.846, 0.01)
            << flows;
    }
    const double huge = expect_random(2000000000, 3).max_load;
    EXPECT_GT(huge, 2e9 / 3);
    EXPECT_LT(huge, 2e9 / 3 * 1.0001);
}

} // namespace
