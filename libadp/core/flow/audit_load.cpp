// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Causes that lie in how the hash takes the ports, and what is worth a remark.
#include "flow/audit_part.h"
#include "flow/derivation.h"
#include "flow/gf2.h"
#include "flow/plan_part.h"
#include "text/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adp::flow {

namespace {

constexpr std::string_view more_qps =
    "more queue pairs, each with its own port: NCCL_IB_QPS_PER_CONNECTION (the count is that times "
    "the merged devices; NCCL_IB_OOO_RQ=1 spreads nothing, and without adaptive routing, the "
    "default on RoCE, it fails the connection), UCX_IB_NUM_PATHS, perftest -q; libfabric: no "
    "setting found";

std::uint16_t expected_sport(const flow_record &flow)
{
    const std::uint32_t label = (flow.has & has_label) != 0 ? flow.label : 0;
    return calc_udp_sport(label, flow.lqpn, flow.rqpn);
}

} // namespace

void finder::hash()
{
    const plan_stage &stage = seen_.request.stage;
    const std::uint32_t paths = stage.paths;
    const std::string_view name = info(stage.hash.kind).name;
    if (!sees_sport(stage.hash))
        return explain(
            cause_kind::port_not_hashed, audit_.flows,
            adp::format("{} without the source port: only addresses choose the path", name),
            "let the switch hash the UDP source port");
    if (seen_.ports.size() < 2)
        return;
    const std::uint16_t base = seen_.ports.front().sport;
    if (stage.hash.kind == hash_kind::mod) {
        std::uint32_t step = 0;
        for (const shared_port &p : seen_.ports)
            step = std::gcd(step, static_cast<std::uint32_t>(p.sport - base));
        // So few ports have a factor in common by chance: no pattern. The limit is our choice.
        const auto by_chance = [this](std::uint32_t common) {
            return std::pow(common, static_cast<double>(seen_.ports.size()) - 1) < 64;
        };
        if (const std::uint32_t common = std::gcd(step, paths); common > 1 && !by_chance(common))
            explain(cause_kind::stride, audit_.flows,
                    adp::format(
                        "all ports are multiples of {} apart: {} of {} paths under sport mod {}",
                        step, paths / common, paths, paths),
                    "a distance without a common factor with the number of paths "
                    "(UCX_IB_ROCE_PATH_FACTOR), or ports by plan");
    } else if (power_of_two(stage)) {
        std::vector<std::uint64_t> changes;
        for (const shared_port &p : seen_.ports)
            changes.push_back(sport_delta(stage.hash, static_cast<std::uint16_t>(p.sport ^ base)) &
                              (paths - 1));
        const std::uint64_t classes = std::uint64_t{1} << rank(changes);
        if (classes < paths && classes < seen_.ports.size())
            explain(
                cause_kind::few_classes, audit_.flows,
                adp::format("the bits in which the ports differ change {} to {} of {} paths only",
                            name, classes, paths),
                "ports by plan for this hash; consecutive ports are not always spread by a CRC");
    }
}

void finder::remarks()
{
    if (audit_.flows < audit_.paths)
        add(cause_kind::few_flows, audit_.flows,
            adp::format("{} flows for {} paths: at least {} stay idle", audit_.flows, audit_.paths,
                        audit_.paths - audit_.flows),
            more_qps);
    const std::uint64_t below = count([](const flow_record &f) { return f.sport < sport_min; });
    if (below != 0)
        add(cause_kind::below_range, below,
            adp::format("{} flows have a port below 49152 (bnxt_re's QP1 has 36049)", below),
            "a capture filter or a switch rule on 49152..65535 misses them");
    const std::uint64_t changed = count([](const flow_record &f) {
        const bool label = (f.has & has_label) != 0 && f.label != 0;
        return (f.has & has_sport) != 0 && (label || (f.has & has_qpns) != 0) &&
               f.sport != expected_sport(f);
    });
    if (changed != 0)
        add(cause_kind::override, changed,
            adp::format(
                "{} flows have another port than their flow label or QPNs give: changed by "
                "mlx5dv_modify_qp_udp_sport(), by a flow label not shown here, or by a stack or a "
                "device with a rule of its own",
                changed));
    const auto &all = seen_.list.flows;
    const auto pinned = [&all](const flow_record &f) {
        return (f.has & has_affinity) != 0 && f.affinity != 0 && f.affinity == all.front().affinity;
    };
    if (all.size() > 1 && std::all_of(all.begin(), all.end(), pinned))
        add(cause_kind::queue_affinity, audit_.flows,
            adp::format("all queue pairs are pinned to bond member {}", all.front().affinity),
            "mlx5dv_modify_qp_lag_port(), or the bond's hash mode; in queue affinity mode no "
            "source port changes the member");
}

void finder::compare()
{
    const double limit = audit_.expected.max_load * 1.15 + 1; // tolerance: our choice
    const double load = static_cast<double>(audit_.max_load);
    const std::string text =
        adp::format("{} flows on the fullest path; {} would be even, at random about {:.1f}",
                    audit_.max_load, audit_.ideal_load, audit_.expected.max_load);
    if (load <= limit)
        add(cause_kind::chance, audit_.flows, text + ": no worse than chance",
            std::string(plan_ports) + "; or " + std::string(more_qps));
    else
        add(cause_kind::unexplained, audit_.flows, text + ": worse than chance, cause not found",
            plan_ports);
}

} // namespace adp::flow
