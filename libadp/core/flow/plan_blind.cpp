// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Planning where the paths of ports cannot be known: the best that can be promised.
#include "flow/gf2.h"
#include "flow/plan_part.h"
#include "text/format.h"

#include <algorithm>
#include <array>
#include <bit>

namespace adp::flow {

namespace {

// Found by search over the 14 port bits: for every modelled hash the first k of them, k up to 8,
// change its low k bits independently of each other (where it has so many bits). The last six
// complete the basis. The unit test computes all of it anew.
constexpr std::array<std::uint16_t, sport_bits> directions{0x000b, 0x0b36, 0x1321, 0x2213, 0x0010,
                                                           0x0485, 0x0247, 0x0084, 0x0001, 0x0002,
                                                           0x0004, 0x0020, 0x0040, 0x0100};

constexpr std::uint64_t work_limit = std::uint64_t{1} << 22; // ports times constants tried

std::vector<std::uint32_t> spread_list(const plan_request &request)
{
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; i < sport_count && list.size() < request.qps; i++)
        if (const std::uint16_t p = spread_sport(i); p >= request.first && p <= request.last)
            list.push_back(p);
    return list;
}

// Ports at even distances in the low `bits` bits of this hash.
std::vector<std::uint32_t> even_list(const plan_request &request, std::uint32_t bits)
{
    std::vector<std::uint64_t> columns;
    for (std::uint32_t j = 0; j < sport_bits; j++)
        columns.push_back(sport_delta(request.stages[0].hash, static_cast<std::uint16_t>(1U << j)) &
                          ((std::uint64_t{1} << bits) - 1));
    const gf2_map map(columns);
    const std::uint64_t classes = std::uint64_t{1} << map.rank();
    const std::uint64_t count = std::min<std::uint64_t>(request.qps, sport_count);
    const std::uint64_t step = std::max<std::uint64_t>(classes / count, 1);
    std::vector<std::uint32_t> list;
    for (std::uint64_t i = 0; i < count; i++) {
        const std::uint32_t p = sport_min ^ map.solution(i * step % classes, i * step / classes);
        if (p < request.first || p > request.last)
            return {};
        list.push_back(p);
    }
    return list;
}

struct judged {
    std::uint64_t load = 0; // the most on one path
    double strain = 0;      // ... by its weight
    bool exhaustive = false;
};

// The worst that any constant (of addresses and seed) makes of these ports.
judged judge(const plan_request &request, const std::vector<std::uint32_t> &list)
{
    const plan_stage &stage = request.stages[0];
    const path_table table(stage);
    const sport_hash hash(stage.hash, {});
    const std::uint32_t width = info(stage.hash.kind).width;
    const std::uint64_t all = std::uint64_t{1} << width;
    const std::uint64_t tried =
        std::min(all, std::max<std::uint64_t>(work_limit / list.size(), 64));
    judged worst;
    worst.exhaustive = tried == all;
    std::vector<std::uint64_t> load(stage.paths);
    const std::uint64_t each = request.qps / list.size();
    const std::uint64_t more = request.qps % list.size();
    for (std::uint64_t i = 0; i < tried; i++) {
        // An odd factor visits every value once; with fewer tries it scatters them.
        const auto constant = static_cast<std::uint32_t>(i * 0x9e3779b1U & (all - 1));
        std::fill(load.begin(), load.end(), 0);
        for (std::size_t k = 0; k < list.size(); k++)
            load[table(constant ^ hash(static_cast<std::uint16_t>(list[k])))] += each + (k < more);
        for (std::uint32_t p = 0; p < stage.paths; p++) {
            worst.load = std::max(worst.load, load[p]);
            const std::uint32_t weight = stage.weight.empty() ? 1 : std::max(stage.weight[p], 1U);
            worst.strain = std::max(worst.strain, static_cast<double>(load[p]) / weight);
        }
    }
    return worst;
}

void take(const plan_request &request, const std::vector<std::uint32_t> &list, flow_plan &plan)
{
    for (std::uint64_t i = 0; i < request.qps; i++)
        plan.qps.push_back(planned(no_path, list[static_cast<std::size_t>(i % list.size())]));
}

} // namespace

std::uint16_t spread_sport(std::uint32_t i)
{
    std::uint32_t port = sport_min;
    for (std::uint32_t j = 0; j < sport_bits; j++)
        if ((i >> j & 1) != 0)
            port ^= directions[j];
    return static_cast<std::uint16_t>(port);
}

void plan_for_any_constant(const plan_request &request, flow_plan &plan)
{
    std::vector<std::uint32_t> best = spread_list(request);
    judged worst = judge(request, best);
    const auto bits = static_cast<std::uint32_t>(std::bit_width(request.stages[0].paths));
    for (const std::uint32_t more : {0U, 2U, 4U}) {
        std::vector<std::uint32_t> list = even_list(request, std::min(bits + more, 32U));
        if (list.empty())
            continue;
        const judged its = judge(request, list);
        if (its.strain < worst.strain) {
            worst = its;
            best = std::move(list);
        }
    }
    take(request, best, plan);
    plan.worst_load = worst.load;
    plan.worst_exhaustive = worst.exhaustive;
    plan.even = worst.exhaustive && !weighted(request.stages[0]) && worst.load == plan.ideal_load;
    plan.notes.push_back(adp::format(
        "weights, or a number of paths that is no power of two: the paths depend on both addresses "
        "and the seed; without them at most {} queue pairs share a path ({}); give both addresses "
        "for an even plan",
        worst.load, worst.exhaustive ? "every constant tried" : "some constants tried, not all"));
}

void plan_blind(const plan_request &request, flow_plan &plan)
{
    take(request, spread_list(request), plan);
    plan.worst_load = request.qps;
    for (const plan_stage &stage : request.stages)
        if ((stage.hash.fields & field_qpn) != 0) {
            plan.notes.emplace_back(
                "the switch also hashes the destination QPN: queue pairs differ without different "
                "ports, and ports alone cannot plan them");
            break;
        }
}

void note_blind(flow_plan &plan)
{
    std::string note = "the hash is not known: these ports are different";
    note += plan.even_under.empty()
                ? ", and no hash is known under which they are even: expect them as random"
                : " and are even under the hashes listed; under any other expect them as random";
    if (plan.random_load > 0) // no weights
        note += adp::format(", about {:.1f} queue pairs on the fullest path", plan.random_load);
    plan.notes.push_back(std::move(note));
}

} // namespace adp::flow
