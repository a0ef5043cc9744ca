// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/audit.h"

#include "flow/audit_part.h"
#include "flow/plan_part.h"
#include "text/format.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <unordered_map>

namespace adp::flow {

namespace {

constexpr std::uint32_t max_paths = 1U << 20;
constexpr std::size_t shown_ports = 16;

error refuse(std::string reason, std::string remedy)
{
    return {EINVAL, std::move(reason), std::move(remedy), {}};
}

result<void> check(const flow_list &list, const audit_request &request)
{
    const plan_stage &stage = request.stage;
    if (list.flows.empty())
        return refuse(
            list.error_count != 0
                ? adp::format("no flows: all of the lines are in error, the first is line "
                              "{}: {}",
                              list.errors.front().line, list.errors.front().reason)
                : std::string("no flows in the input"),
            "give one a line: a port, or both QPNs");
    if (stage.paths == 0 || stage.paths > max_paths)
        return refuse(adp::format("{} paths", stage.paths), adp::format("give 1..{}", max_paths));
    if (result<void> ok = check(stage.hash); !ok)
        return ok;
    if (!modelled(stage.hash))
        return refuse(adp::format("hash {} cannot be computed: {}", info(stage.hash.kind).name,
                                  info(stage.hash.kind).text),
                      "choose one that is modelled, or mod");
    if (!stage.weight.empty()) {
        std::uint64_t sum = 0;
        for (const std::uint32_t w : stage.weight)
            sum += w;
        if (stage.weight.size() != stage.paths || sum == 0 || sum > 65536)
            return refuse("the weights do not fit the paths",
                          "give one for each path, 1..65536 in all");
    }

    if ((stage.hash.fields & field_qpn) != 0) {
        const auto without =
            std::find_if(list.flows.begin(), list.flows.end(),
                         [](const flow_record &flow) { return (flow.has & has_qpns) == 0; });
        if (without != list.flows.end())
            return refuse(
                adp::format("line {} has no QPNs, and the switch hashes them", without->line),
                "give lqpn and rqpn of all flows");
    }
    if (address_free(stage))
        return {};
    std::uint64_t with = 0;
    for (const flow_record &flow : list.flows)
        with += flow.pair != 0;
    if (with != 0 && with != list.flows.size() && !request.pair) {
        const auto it = std::find_if(list.flows.begin(), list.flows.end(),
                                     [](const flow_record &flow) { return flow.pair == 0; });
        return refuse(adp::format("line {} has no addresses, others have, and hash {} needs them",
                                  it->line, info(stage.hash.kind).name),
                      "give addresses for all flows, or one pair for those without");
    }
    if (with == 0 && !request.pair && !power_of_two(stage))
        return refuse(adp::format("hash {} over {} paths needs addresses",
                                  info(stage.hash.kind).name, stage.paths),
                      "give them, or a power of two of paths when all flows share one pair of "
                      "addresses");
    return {};
}

// The path of a flow; one set of tables for each pair of addresses.
class router {
  public:
    router(const flow_list &list, const audit_request &request)
        : list_(list), request_(request), table_(request.stage)
    {
    }

    std::uint32_t operator()(const flow_record &flow)
    {
        const hash_model &hash = request_.stage.hash;
        if (hash.kind == hash_kind::mod)
            return table_(flow.sport);
        flow_key key;
        if (flow.pair != 0)
            put(list_.pairs[flow.pair - 1], key);
        else if (request_.pair)
            put(*request_.pair, key);
        key.sport = flow.sport;
        key.qpn = flow.rqpn;
        return table_(hash_flow(hash, key));
    }

  private:
    static void put(const address_pair &pair, flow_key &key)
    {
        key.src = pair.src;
        key.dst = pair.dst;
    }

    const flow_list &list_;
    const audit_request &request_;
    path_table table_;
};

// Each path against its own share.
void weigh(const plan_stage &stage, flow_audit &audit)
{
    double sum = 0;
    for (const std::uint32_t w : stage.weight)
        sum += w;
    for (std::uint32_t path = 0; path < stage.paths; path++)
        if (stage.weight[path] != 0)
            audit.max_over_mean = std::max(
                audit.max_over_mean, static_cast<double>(audit.load[path]) * sum /
                                         (stage.weight[path] * static_cast<double>(audit.flows)));
    audit.notes.emplace_back(
        "weights: max_over_mean is of each path's load and its share; no expectation for placement "
        "at random");
}

void count_paths(const evidence &seen, flow_audit &audit)
{
    const plan_stage &stage = seen.request.stage;
    bool addresses = seen.request.pair.has_value() || address_free(stage);
    router path(seen.list, seen.request);
    audit.load.assign(stage.paths, 0);
    for (const flow_record &flow : seen.list.flows) {
        addresses = addresses || flow.pair != 0;
        audit.max_load = std::max(audit.max_load, ++audit.load[path(flow)]);
    }
    audit.numbers = addresses ? path_numbers::absolute : path_numbers::relative;
    if (!addresses)
        audit.notes.emplace_back(
            "no addresses: taken as flows between one pair of them; the load is right up to the "
            "numbers of the paths");
    audit.paths = stage.paths;
    audit.mean_load = static_cast<double>(audit.flows) / stage.paths;
    audit.ideal_load = ideal_load(audit.flows, std::span{&stage, 1});
    if (weighted(stage)) {
        weigh(stage, audit);
        return;
    }
    audit.max_over_mean = static_cast<double>(audit.max_load) / audit.mean_load;
    audit.expected = expect_random(audit.flows, stage.paths);
    audit.expected_max_over_mean = audit.expected.max_load / audit.mean_load;
}

void count_ports(evidence &seen, flow_audit &audit)
{
    std::vector<std::uint64_t> of(65536, 0);
    for (const flow_record &flow : seen.list.flows)
        of[flow.sport]++;
    const double flows = static_cast<double>(audit.flows);
    for (std::uint32_t port = 0; port < of.size(); port++) {
        if (of[port] == 0)
            continue;
        seen.ports.push_back({static_cast<std::uint16_t>(port), of[port]});
        const double share = static_cast<double>(of[port]) / flows;
        audit.entropy_bits -= share * std::log2(share);
    }
    audit.entropy_bits = std::max(audit.entropy_bits, 0.0); // not -0
    audit.distinct_sports = static_cast<std::uint32_t>(seen.ports.size());
    audit.ideal_bits = std::log2(std::min(flows, static_cast<double>(sport_count)));

    audit.shared = seen.ports;
    std::erase_if(audit.shared, [](const shared_port &p) { return p.flows == 1; });
    std::stable_sort(audit.shared.begin(), audit.shared.end(),
                     [](const shared_port &a, const shared_port &b) { return a.flows > b.flows; });
    audit.shared.resize(std::min(audit.shared.size(), shown_ports));

    std::vector<std::uint64_t> tuples;
    tuples.reserve(seen.list.flows.size());
    for (const flow_record &flow : seen.list.flows)
        tuples.push_back(std::uint64_t{flow.pair} << 16 | flow.sport);
    std::sort(tuples.begin(), tuples.end());
    audit.distinct_flows =
        static_cast<std::uint64_t>(std::unique(tuples.begin(), tuples.end()) - tuples.begin());
    audit.collisions = audit.flows - audit.distinct_flows;
}

void note_input(const flow_list &list, flow_audit &audit)
{
    audit.notes = list.notes;
    if (list.error_count != 0)
        audit.notes.push_back(adp::format("{} lines in error are left out", list.error_count));
    if (list.ignored != 0)
        audit.notes.push_back(
            adp::format("{} lines are not flows of RoCEv2 queue pairs", list.ignored));
    constexpr std::size_t looked_at = 1000; // of what can be a million
    const std::span<const address_pair> pairs(list.pairs.data(),
                                              std::min(list.pairs.size(), looked_at));
    const auto reversed = [pairs](const address_pair &pair) {
        return pair.src < pair.dst && std::find(pairs.begin(), pairs.end(),
                                                address_pair{pair.dst, pair.src}) != pairs.end();
    };
    if (std::any_of(pairs.begin(), pairs.end(), reversed))
        audit.notes.emplace_back(
            "both directions of some pairs are counted together; they meet different switches: "
            "audit one direction at a time");
}

} // namespace

result<flow_audit> audit_flows(const flow_list &list, const audit_request &request)
{
    if (result<void> ok = check(list, request); !ok)
        return std::move(ok).err();
    flow_audit audit;
    audit.flows = list.flows.size();
    note_input(list, audit);
    evidence seen{list, request, {}};
    count_ports(seen, audit);
    count_paths(seen, audit);
    find_causes(seen, audit);
    return audit;
}

} // namespace adp::flow
