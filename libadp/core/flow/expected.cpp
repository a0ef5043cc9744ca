// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/expected.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace adp::flow {

namespace {

constexpr std::uint64_t exact_limit = 256;
constexpr double negligible = 1e-9;

using series = std::vector<double>; // probabilities of 0, 1, ... flows

series multiply(const series &a, const series &b, std::size_t limit)
{
    series product(std::min(a.size() + b.size() - 1, limit));
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t j = 0; j < b.size() && i + j < limit; j++)
            product[i + j] += a[i] * b[j];
    return product;
}

double poisson(double mean, double k)
{
    int sign = 0; // lgamma() has it in a global, which threads would share
    return std::exp(k * std::log(mean) - mean - ::lgamma_r(k + 1, &sign));
}

// That no path has more than k flows. Loads are independent Poisson variables under the condition
// that they add up to the number of flows.
double exact_below(std::uint64_t flows, std::uint64_t paths, std::size_t k)
{
    const double mean = static_cast<double>(flows) / static_cast<double>(paths);
    const std::size_t limit = static_cast<std::size_t>(flows) + 1;
    series one(std::min(k + 1, limit));
    for (std::size_t i = 0; i < one.size(); i++)
        one[i] = poisson(mean, static_cast<double>(i));
    series all{1.0};
    for (std::uint64_t n = paths; n != 0; n >>= 1) {
        if ((n & 1) != 0)
            all = multiply(all, one, limit);
        if (n > 1)
            one = multiply(one, one, limit);
    }
    const double together = all.size() == limit ? all.back() : 0.0;
    return together / poisson(static_cast<double>(flows), static_cast<double>(flows));
}

double mean_max(std::uint64_t flows, std::uint64_t paths)
{
    if (paths == 1)
        return static_cast<double>(flows);
    const double n = static_cast<double>(paths);
    const double mean = static_cast<double>(flows) / n;
    const std::uint64_t ideal = (flows + paths - 1) / paths; // the fullest path has at least that
    // What lies so far from the mean does not add to the sum that the probabilities are taken from. They are
    // taken from the most likely load, 1, step by step, and from their sum: exact to the end of a double,
    // where the difference of large logarithms is not, and then a sum may stay below 1 for ever.
    const double far = 12 * std::sqrt(mean) + 40;
    const auto start = static_cast<std::uint64_t>(std::max(mean - far, 0.0));
    const auto end = static_cast<std::uint64_t>(mean + far);
    const auto mode = static_cast<std::uint64_t>(mean);
    double total = 0, first = 1;
    double weight = 1;
    for (std::uint64_t k = mode; k <= end; weight *= mean / static_cast<double>(++k))
        total += weight;
    for (std::uint64_t k = mode; k > start; k--) {
        first *= static_cast<double>(k) / mean;
        total += first;
    }
    double max = static_cast<double>(start);
    double cumulated = 0;
    weight = first / total;
    for (std::uint64_t k = start; k < std::min(flows, end);
         weight *= mean / static_cast<double>(++k)) {
        cumulated = std::min(cumulated + weight, 1.0);
        // Probability that the fullest path has at most k. Of many flows as if the loads were independent:
        // that they add up narrows each as much as it drives them apart (normal variables: exactly).
        const double below = flows > exact_limit ? std::pow(cumulated, n)
                             : k < ideal         ? 0.0
                                         : exact_below(flows, paths, static_cast<std::size_t>(k));
        if (below > 1 - negligible)
            break;
        max += 1 - below;
    }
    return std::max(max, static_cast<double>(ideal));
}

double no_collision(std::uint64_t flows, std::uint64_t paths)
{
    double p = 1;
    for (std::uint64_t i = 1; i < flows && p > 0; i++)
        p *= i < paths ? 1 - static_cast<double>(i) / static_cast<double>(paths) : 0.0;
    return p;
}

} // namespace

random_placement expect_random(std::uint64_t flows, std::uint64_t paths)
{
    if (paths == 0)
        return {};
    const double miss = 1 - 1 / static_cast<double>(paths);
    return {mean_max(flows, paths), std::pow(miss, static_cast<double>(flows)),
            no_collision(flows, paths)};
}

} // namespace adp::flow
