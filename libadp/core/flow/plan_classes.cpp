// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Planning by port classes: with linear hashes and powers of two, exchanging port bits moves a flow
// by a fixed exclusive or of path bits, whatever addresses and seeds are.
#include "flow/gf2.h"
#include "flow/plan_part.h"
#include "text/format.h"

#include <algorithm>
#include <bit>

namespace adp::flow {

namespace {

std::uint32_t bits_of(std::uint32_t paths)
{
    return static_cast<std::uint32_t>(std::countr_zero(paths));
}

// For each free port bit the path bits that it changes, those of stage 1 lowest.
std::vector<std::uint64_t> columns(const plan_request &request)
{
    const std::uint32_t free = bits_of(request.last - request.first + 1U);
    const bool v6 = request.pair && request.pair->src.v6;
    std::vector<std::uint64_t> result(free, 0);
    std::uint32_t shift = 0;
    for (const plan_stage &stage : request.stages) {
        for (std::uint32_t j = 0; j < free; j++) {
            const auto bit = static_cast<std::uint16_t>(1U << j);
            const std::uint64_t delta = sport_delta(stage.hash, bit, v6) & (stage.paths - 1);
            result[j] |= delta << shift;
        }
        shift += bits_of(stage.paths);
    }
    return result;
}

std::size_t rank_of_bits(std::vector<std::uint64_t> cols, std::uint64_t mask)
{
    for (std::uint64_t &c : cols)
        c &= mask;
    return rank(cols);
}

void note_stage(const plan_request &request, std::size_t s, const stage_report &report,
                flow_plan &plan)
{
    const plan_stage &stage = request.stages[s];
    const std::string_view name = info(stage.hash.kind).name;
    if (report.reached < report.bits && !sees_sport(stage.hash))
        plan.notes.push_back(
            adp::format("stage {} ({}) does not look at the source port: no port can "
                        "change its choice",
                        s + 1, name));
    else if (report.reached < report.bits)
        plan.notes.push_back(adp::format("stage {} ({}): source ports reach {} of its {} paths",
                                         s + 1, name, std::uint32_t{1} << report.reached,
                                         stage.paths));
    if (report.added < report.reached)
        plan.notes.push_back(adp::format(
            "polarised: stage {} ({}) repeats the choice of stage {}, each flow finds {} of {} "
            "paths there; another seed does not mend it (a linear hash keeps its differences), "
            "another polynomial or another hash offset does",
            s + 1, name, report.shares_with, std::uint32_t{1} << report.added, stage.paths));
}

} // namespace

void report_stages(const plan_request &request, flow_plan &plan)
{
    const std::vector<std::uint64_t> cols = columns(request);
    std::vector<std::uint64_t> masks;
    std::uint64_t before = 0;
    std::uint32_t shift = 0;
    for (std::size_t s = 0; s < request.stages.size(); s++) {
        stage_report report;
        report.bits = bits_of(request.stages[s].paths);
        const std::uint64_t mask = ((std::uint64_t{1} << report.bits) - 1) << shift;
        report.reached = static_cast<std::uint32_t>(rank_of_bits(cols, mask));
        report.added = static_cast<std::uint32_t>(rank_of_bits(cols, before | mask) -
                                                  rank_of_bits(cols, before));
        if (report.added < report.reached) {
            // The stage that shares most with this one; a mix of several is put down to the last.
            std::size_t most = 0;
            report.shares_with = static_cast<std::uint32_t>(s);
            for (std::size_t t = 0; t < s; t++) {
                const std::size_t shared = rank_of_bits(cols, masks[t]) + report.reached -
                                           rank_of_bits(cols, masks[t] | mask);
                if (shared > most) {
                    most = shared;
                    report.shares_with = static_cast<std::uint32_t>(t + 1);
                }
            }
        }
        note_stage(request, s, report, plan);
        plan.stages.push_back(report);
        masks.push_back(mask);
        before |= mask;
        shift += report.bits;
    }
}

void plan_by_classes(const plan_request &request, flow_plan &plan)
{
    const gf2_map map(columns(request));
    const auto classes = std::uint32_t{1} << map.rank();

    // The path of the first port: known with addresses, else taken as 0.
    std::uint32_t base = 0;
    const bool absolute =
        request.pair || std::all_of(request.stages.begin(), request.stages.end(), address_free);
    if (absolute) {
        plan_request one = request;
        one.last = one.first;
        base = paths_of_ports(one, false)[0];
    }
    plan.numbers = absolute ? path_numbers::absolute : path_numbers::relative;
    plan.reachable = classes;

    // A port of each class, and what leads from there to the others of the class.
    std::vector<planned_qp> head;
    for (std::uint32_t i = 0; i < classes; i++)
        head.push_back({base ^ static_cast<std::uint32_t>(map.value(i)),
                        static_cast<std::uint16_t>(request.first ^ map.solution(i, 0)), 0});
    std::vector<std::uint32_t> others;
    for (std::uint32_t turn = 0; turn < std::uint32_t{1} << map.nullity(); turn++)
        others.push_back(map.solution(0, turn));
    for (std::uint64_t i = 0; i < request.qps; i++) {
        const planned_qp &first = head[static_cast<std::size_t>(i & (classes - 1))];
        const auto turn = static_cast<std::size_t>((i >> map.rank()) & (others.size() - 1));
        plan.qps.push_back(planned(first.path, first.udp_sport ^ others[turn]));
    }
    // The direction back has other constants and the same differences.
    plan.reverse_max_load = (request.qps + classes - 1) / classes;
    report_stages(request, plan);
    if (!absolute)
        plan.notes.emplace_back(
            "path numbers are relative: equal numbers are the same path, different ones different "
            "paths; which, depends on addresses and the switch's seed");
}

} // namespace adp::flow
