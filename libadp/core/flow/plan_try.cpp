// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Planning by trying: the path of every port is computed, in both directions, and queue pairs take
// ports from the lists of the paths in turn.
#include "flow/plan_part.h"

#include <algorithm>
#include <map>

namespace adp::flow {

namespace {

// Deals out the reachable paths so that every switch on the way is used evenly, by its weights:
// a tree with one level for each stage.
class dealer {
  public:
    dealer(const std::vector<plan_stage> &stages, const std::vector<std::uint32_t> &reachable)
        : nodes_(1)
    {
        std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> known; // node, choice: node
        for (const std::uint32_t path : reachable) {
            std::size_t node = 0;
            std::uint32_t rest = path;
            for (const plan_stage &stage : stages) {
                const std::uint32_t choice = rest % stage.paths;
                rest /= stage.paths;
                const auto [it, is_new] = known.try_emplace({node, choice}, nodes_.size());
                if (is_new) {
                    const std::uint32_t weight = stage.weight.empty() ? 1 : stage.weight[choice];
                    nodes_[node].push_back({weight, 0, choice, it->second});
                    nodes_.emplace_back();
                }
                node = it->second;
            }
        }
        for (std::vector<branch> &node : nodes_)
            std::make_heap(node.begin(), node.end(), later);
    }

    std::uint32_t next(const std::vector<plan_stage> &stages)
    {
        std::uint32_t path = 0;
        std::uint32_t scale = 1;
        std::size_t node = 0;
        for (const plan_stage &stage : stages) {
            std::vector<branch> &branches = nodes_[node];
            std::pop_heap(branches.begin(), branches.end(), later);
            branch &chosen = branches.back();
            chosen.load++;
            path += scale * chosen.choice;
            scale *= stage.paths;
            node = chosen.node;
            std::push_heap(branches.begin(), branches.end(), later);
        }
        return path;
    }

  private:
    struct branch {
        std::uint64_t weight;
        std::uint64_t load;
        std::uint32_t choice;
        std::size_t node;
    };
    // Webster's rule: halves are rounded up, so that a heavy path gets no more than its share.
    static bool later(const branch &a, const branch &b)
    {
        const std::uint64_t x = (2 * a.load + 1) * b.weight;
        const std::uint64_t y = (2 * b.load + 1) * a.weight;
        return x != y ? x > y : a.choice > b.choice;
    }
    std::vector<std::vector<branch>> nodes_;
};

struct group { // ports that share both paths
    std::uint32_t reverse;
    std::vector<std::uint32_t> sports;
    std::size_t turn = 0;
};

struct outcome {
    std::vector<std::uint32_t> sports;
    std::uint64_t reverse_max = 0;
};

// Even along `there`; of several ports the one whose way `back` has least.
outcome deal(const plan_request &request, const std::vector<std::uint32_t> &there,
             const std::vector<std::uint32_t> &back)
{
    std::map<std::uint32_t, std::vector<group>> lists;
    for (std::uint32_t i = 0; i < there.size(); i++) {
        std::vector<group> &groups = lists[there[i]];
        auto it = std::find_if(groups.begin(), groups.end(),
                               [&](const group &g) { return g.reverse == back[i]; });
        if (it == groups.end())
            it = groups.insert(it, {back[i], {}, 0});
        it->sports.push_back(request.first + i);
    }
    std::vector<std::uint32_t> reachable;
    for (const auto &[path, groups] : lists)
        reachable.push_back(path);

    dealer paths(request.stages, reachable);
    std::vector<std::uint64_t> load(*std::max_element(back.begin(), back.end()) + std::size_t{1},
                                    0);
    std::vector<std::vector<group> *> of(reachable.back() + std::size_t{1}, nullptr);
    for (auto &[path, groups] : lists)
        of[path] = &groups;
    outcome result;
    result.sports.reserve(static_cast<std::size_t>(request.qps));
    for (std::uint64_t i = 0; i < request.qps; i++) {
        std::vector<group> &groups = *of[paths.next(request.stages)];
        group &g =
            *std::min_element(groups.begin(), groups.end(), [&](const group &a, const group &b) {
                return load[a.reverse] != load[b.reverse] ? load[a.reverse] < load[b.reverse]
                                                          : a.turn < b.turn;
            });
        result.sports.push_back(g.sports[g.turn++ % g.sports.size()]);
        result.reverse_max = std::max(result.reverse_max, ++load[g.reverse]);
    }
    return result;
}

} // namespace

void plan_by_trying(const plan_request &request, flow_plan &plan)
{
    const bool directed =
        request.pair && !std::all_of(request.stages.begin(), request.stages.end(), address_free);
    const std::vector<std::uint32_t> there = paths_of_ports(request, false);
    const std::vector<std::uint32_t> back = directed ? paths_of_ports(request, true) : there;

    // Planned from the lower address, so that both ends come to the same ports; where that leaves
    // one direction uneven, from this end.
    outcome best;
    const bool from_peer = directed && request.pair->dst < request.pair->src;
    best = from_peer ? deal(request, back, there) : deal(request, there, back);
    std::vector<std::uint32_t> reached = there;
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    const bool weights = std::any_of(request.stages.begin(), request.stages.end(), weighted);
    const std::uint64_t ideal = (request.qps + reached.size() - 1) / reached.size();
    if (directed && (weights || best.reverse_max > ideal)) {
        plan.symmetric = false;
        if (from_peer)
            best = deal(request, there, back);
        plan.notes.emplace_back(
            "even in the direction from the first address; give the same ports to the other end: a "
            "plan of its own may differ");
    }

    const bool absolute =
        request.pair || std::all_of(request.stages.begin(), request.stages.end(), address_free);
    plan.numbers = absolute ? path_numbers::absolute : path_numbers::relative;
    plan.reachable = static_cast<std::uint32_t>(reached.size());
    if (plan.reachable < plan.paths)
        plan.notes.emplace_back("some paths cannot be reached by any source port of the range");
    note_polarised(request, there, plan);
    std::vector<std::uint64_t> load(plan.paths, 0);
    for (const std::uint32_t sport : best.sports) {
        plan.qps.push_back(planned(there[sport - request.first], sport));
        plan.reverse_max_load =
            std::max(plan.reverse_max_load, ++load[back[sport - request.first]]);
    }
}

} // namespace adp::flow
