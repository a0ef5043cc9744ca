// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/plan.h"

#include "flow/expected.h"
#include "flow/plan_part.h"
#include "text/format.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>

namespace adp::flow {

namespace {

constexpr std::uint64_t max_qps = std::uint64_t{1} << 26; // 24-bit QPNs of a few devices
constexpr std::uint64_t max_weights = 1U << 16;           // entries of a switch's table

error refuse(std::string reason, std::string remedy = "")
{
    return {EINVAL, std::move(reason), std::move(remedy), {}};
}

result<void> check(const plan_stage &stage, std::size_t number)
{
    if (stage.paths == 0)
        return refuse(adp::format("stage {}: 0 paths", number), "give at least 1");
    if (result<void> ok = check(stage.hash); !ok)
        return ok;
    if (stage.weight.empty())
        return {};
    if (stage.weight.size() != stage.paths)
        return refuse(adp::format("stage {}: {} weights for {} paths", number, stage.weight.size(),
                                  stage.paths),
                      "give one for each path");
    std::uint64_t sum = 0;
    for (const std::uint32_t w : stage.weight)
        sum += w;
    if (sum == 0 || sum > max_weights)
        return refuse(adp::format("stage {}: the weights add up to {}", number, sum),
                      adp::format("give them as entries of a table of 1..{}", max_weights));
    return {};
}

result<std::uint32_t> check(const plan_request &request)
{
    if (request.qps == 0)
        return refuse("no queue pairs to plan for", "give at least 1");
    if (request.qps > max_qps)
        return refuse(adp::format("{} queue pairs are more than can be", request.qps),
                      adp::format("give at most {}", max_qps));
    if (request.first > request.last)
        return refuse(
            adp::format("ports {}..{}: the first is above the last", request.first, request.last));
    if (request.first < sport_min)
        return refuse(adp::format("no flow label gives a port below {}", sport_min),
                      adp::format("choose from {}..{}", sport_min, sport_max));
    if (request.stages.empty())
        return refuse("no stage to plan for", "give the number of paths");
    if (request.pair && request.pair->src.v6 != request.pair->dst.v6)
        return refuse("one address is IPv4 and the other IPv6");

    const std::uint32_t ports = request.last - request.first + 1U;
    std::uint64_t paths = 1;
    for (std::size_t i = 0; i < request.stages.size(); i++) {
        if (result<void> ok = check(request.stages[i], i + 1); !ok)
            return std::move(ok).err();
        paths *= request.stages[i].paths;
        if (paths > ports)
            return refuse(
                adp::format("more paths than ports: {} paths or more, {} ports", paths, ports),
                "two addresses cannot use more paths than there are source ports");
    }
    return static_cast<std::uint32_t>(paths);
}

bool aligned(const plan_request &request)
{
    const std::uint32_t ports = request.last - request.first + 1U;
    return std::has_single_bit(ports) && request.first % ports == 0;
}

using port_counts = std::vector<std::uint64_t>; // queue pairs of each port from sport_min on

void sum_up(const plan_request &request, const port_counts &ports, flow_plan &plan)
{
    plan.distinct_sports = static_cast<std::uint32_t>(
        std::count_if(ports.begin(), ports.end(), [](std::uint64_t n) { return n != 0; }));
    if (plan.numbers != path_numbers::unknown) {
        plan.load.assign(plan.paths, 0);
        for (const planned_qp &qp : plan.qps)
            plan.load[qp.path]++;
        plan.max_load = *std::max_element(plan.load.begin(), plan.load.end());
        const bool weights = std::any_of(request.stages.begin(), request.stages.end(), weighted);
        plan.even = plan.max_load <= plan.ideal_load && (!weights || plan.reachable == plan.paths);
    }
    if (plan.distinct_sports < plan.qps.size())
        plan.notes.push_back(adp::format("{} queue pairs share {} ports: those of one port and one "
                                         "pair of addresses are one flow to the switch",
                                         plan.qps.size(), plan.distinct_sports));
}

void find_even_hashes(const port_counts &ports, const plan_request &request, flow_plan &plan)
{
    const std::uint8_t fields = request.stages.front().hash.fields;
    if (!std::has_single_bit(plan.paths) || (fields & field_sport) == 0 ||
        (fields & field_qpn) != 0)
        return;
    for (const hash_info &h : hashes()) {
        if (h.width == 0 || plan.paths > std::uint64_t{1} << h.width)
            continue;
        const sport_hash hash({h.kind, fields, 0, 0}, {});
        std::vector<std::uint64_t> load(plan.paths, 0);
        for (std::uint32_t i = 0; i < ports.size(); i++)
            load[hash(static_cast<std::uint16_t>(sport_min + i)) & (plan.paths - 1)] += ports[i];
        if (*std::max_element(load.begin(), load.end()) == plan.ideal_load)
            plan.even_under.push_back(h.name);
    }
}

} // namespace

// Sources: Meta, "RDMA over Ethernet for Distributed AI Training at Meta Scale" (SIGCOMM 2024);
// Ultra Ethernet specification, on entropy values.
std::span<const std::string_view> plan_caveats()
{
    static constexpr std::string_view caveats[] = {
        "the plan is for the hash as modelled here; what a switch does in detail is rarely "
        "published",
        "a switch that also hashes the destination QPN, as Meta's do, tells queue pairs apart "
        "without different ports: ask what it hashes before planning ports",
        "even shares of queue pairs are not even shares of traffic: the Ultra Ethernet "
        "specification says itself that hashing need not spread packets evenly, that other traffic "
        "takes its part of some paths, and that failed paths change the rest",
        "a port changed on a busy queue pair can reorder what is in flight: change it when idle"};
    return caveats;
}

std::string_view to_string(path_numbers numbers)
{
    switch (numbers) {
    case path_numbers::absolute: return "absolute";
    case path_numbers::relative: return "relative";
    case path_numbers::unknown: break;
    }
    return "unknown";
}

path_table::path_table(const plan_stage &stage) : buckets_(stage.paths)
{
    if (!weighted(stage))
        return;
    for (std::uint32_t path = 0; path < stage.paths; path++)
        owner_.insert(owner_.end(), stage.weight[path], path);
    buckets_ = static_cast<std::uint32_t>(owner_.size());
}

bool weighted(const plan_stage &stage)
{
    return std::any_of(stage.weight.begin(), stage.weight.end(),
                       [&stage](std::uint32_t w) { return w != stage.weight.front(); });
}

bool power_of_two(const plan_stage &stage)
{
    return std::has_single_bit(stage.paths) && !weighted(stage);
}

bool address_free(const plan_stage &stage)
{
    return !sees_addresses(stage.hash) || stage.paths == 1;
}

flow_key base_key(const plan_request &request)
{
    flow_key key;
    if (request.pair) {
        key.src = request.pair->src;
        key.dst = request.pair->dst;
    }
    return key;
}

std::vector<std::uint32_t> paths_of_ports(const plan_request &request, bool reverse)
{
    flow_key key = base_key(request);
    if (reverse)
        std::swap(key.src, key.dst);
    std::vector<std::uint32_t> paths(request.last - request.first + 1U, 0);
    std::uint32_t scale = 1;
    for (const plan_stage &stage : request.stages) {
        const sport_hash hash(stage.hash, key);
        const path_table table(stage);
        for (std::uint32_t i = 0; i < paths.size(); i++)
            paths[i] += scale * table(hash(static_cast<std::uint16_t>(request.first + i)));
        scale *= stage.paths;
    }
    return paths;
}

planned_qp planned(std::uint32_t path, std::uint32_t sport)
{
    return {path, static_cast<std::uint16_t>(sport), udp_sport_to_flow_label(sport)};
}

std::uint64_t ideal_load(std::uint64_t flows, std::span<const plan_stage> stages)
{
    long double load = static_cast<long double>(flows);
    for (const plan_stage &stage : stages) {
        if (stage.weight.empty()) {
            load /= stage.paths;
            continue;
        }
        std::uint64_t sum = 0;
        for (const std::uint32_t w : stage.weight)
            sum += w;
        load *= *std::max_element(stage.weight.begin(), stage.weight.end());
        load /= static_cast<long double>(sum);
    }
    return static_cast<std::uint64_t>(std::ceil(load - 1e-9L)); // a whole number stays one
}

result<flow_plan> plan_flows(const plan_request &request)
{
    const result<std::uint32_t> paths = check(request);
    if (!paths)
        return paths.err();

    flow_plan plan;
    plan.paths = *paths;
    plan.ideal_load = ideal_load(request.qps, request.stages);
    if (std::none_of(request.stages.begin(), request.stages.end(), weighted))
        plan.random_load = expect_random(request.qps, plan.paths).max_load;
    plan.qps.reserve(static_cast<std::size_t>(request.qps));

    const auto all = [&request](auto test) {
        return std::all_of(request.stages.begin(), request.stages.end(), test);
    };
    const bool known = all([](const plan_stage &s) {
        return s.paths == 1 || (linear(s.hash) && (s.hash.fields & field_qpn) == 0);
    });
    const bool classes = known && all(power_of_two) && aligned(request);
    const bool trying = known && (request.pair || all([](const plan_stage &s) {
                                      return address_free(s) || power_of_two(s);
                                  }));
    if (classes)
        plan_by_classes(request, plan);
    else if (trying)
        plan_by_trying(request, plan);
    else if (known && request.stages.size() == 1)
        plan_for_any_constant(request, plan);
    else if (known)
        return refuse(
            "several stages, weights or a number of paths that is no power of two, and no "
            "addresses: where a port leads depends on them",
            "give both addresses");
    else
        plan_blind(request, plan);

    port_counts ports(sport_count, 0);
    for (const planned_qp &qp : plan.qps)
        ports[qp.udp_sport - sport_min]++;
    sum_up(request, ports, plan);
    find_even_hashes(ports, request, plan);
    if (!known)
        note_blind(plan);
    // Chance has no more paths than a plan has.
    if (plan.random_load > 0 && plan.reachable != 0 && plan.reachable < plan.paths)
        plan.random_load = expect_random(request.qps, plan.reachable).max_load;
    return plan;
}

} // namespace adp::flow
