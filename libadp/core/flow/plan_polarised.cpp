// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Polarisation where linear algebra has no say (weights, numbers of paths that are no power of two):
// the choices of all ports are counted.
#include "flow/plan_part.h"
#include "text/format.h"

#include <algorithm>
#include <cmath>

namespace adp::flow {

namespace {

using choices = std::vector<std::uint32_t>; // of each port

std::size_t distinct(choices list)
{
    std::sort(list.begin(), list.end());
    return static_cast<std::size_t>(std::unique(list.begin(), list.end()) - list.begin());
}

// Both choices as one number: ports that are at most 16384 keep it small.
choices joint(const choices &a, const choices &b)
{
    const std::uint32_t scale = *std::max_element(a.begin(), a.end()) + 1;
    choices both(a.size());
    for (std::size_t i = 0; i < a.size(); i++)
        both[i] = a[i] + scale * b[i];
    return both;
}

// As many pairs of choices as ports would meet if the two were independent. A shared factor leaves
// half of them or less, a shared bit three quarters.
bool dependent(const choices &a, const choices &b)
{
    constexpr double less = 0.9;
    const double pairs = static_cast<double>(distinct(a)) * static_cast<double>(distinct(b));
    const double met = pairs * -std::expm1(-static_cast<double>(a.size()) / pairs);
    return static_cast<double>(distinct(joint(a, b))) < less * met;
}

} // namespace

void note_polarised(const plan_request &request, const std::vector<std::uint32_t> &paths,
                    flow_plan &plan)
{
    std::vector<choices> each; // by stage
    choices rest = paths;
    for (const plan_stage &stage : request.stages) {
        choices &own = each.emplace_back(rest.size());
        for (std::size_t i = 0; i < rest.size(); i++) {
            own[i] = rest[i] % stage.paths;
            rest[i] /= stage.paths;
        }
    }
    choices before = each.front();
    for (std::size_t s = 1; s < each.size(); s++) {
        const choices both = joint(before, each[s]);
        if (dependent(before, each[s])) {
            std::size_t repeated = s; // a mix of several is put down to the last
            for (std::size_t t = 0; t < s; t++)
                if (dependent(each[t], each[s]))
                    repeated = t + 1;
            plan.notes.push_back(adp::format(
                "polarised: stage {} ({}) repeats what stage {} chose by, each flow finds {:.1f} "
                "of "
                "its {} paths there on average; another polynomial or another hash offset mends "
                "it",
                s + 1, info(request.stages[s].hash.kind).name, repeated,
                static_cast<double>(distinct(both)) / static_cast<double>(distinct(before)),
                request.stages[s].paths));
        }
        before = both;
    }
}

} // namespace adp::flow
