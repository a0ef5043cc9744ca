// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/audit_part.h"

#include "flow/derivation.h"
#include "text/format.h"

#include <algorithm>
#include <cmath>

namespace adp::flow {

namespace {

constexpr std::uint32_t ucx_usual_paths = 64;

constexpr std::string_view ucx_remedy =
    "UCX_IB_NUM_PATHS gives each end point more paths, UCX_IB_ROCE_PATH_FACTOR puts them further "
    "apart; path 0 keeps its port in every process whatever both are, so processes differ by their "
    "addresses only: let the switch hash the destination QPN, or use adaptive routing";
constexpr std::string_view second_remedy =
    "connections made in the same second have the same seed (inferred from the code): spread their "
    "start, or set ports afterwards";

bool ucx_port(std::uint16_t sport)
{
    if (sport < sport_min)
        return false;
    const std::uint32_t devx = sport & 0x3fffU;
    const std::uint32_t verbs = devx ^ 0x3fc0U; // 65472 + i is ~i folded, for i below 64
    return devx < ucx_usual_paths || verbs < ucx_usual_paths;
}

bool hashes_qpns(const flow_record &flow)
{
    return (flow.has & has_qpns) != 0 && ((flow.has & has_label) == 0 || flow.label == 0) &&
           flow.sport == calc_udp_sport(0, flow.lqpn, flow.rqpn);
}

} // namespace

// All flows share a port that was calculated here: of their QPNs, or of their labels (labels() says
// which). What else gives one port to all is then no cause.
bool finder::calculated_port()
{
    const std::vector<flow_record> &flows = seen_.list.flows;
    const auto all = [&flows](auto test) { return std::all_of(flows.begin(), flows.end(), test); };
    const auto labelled = [](const flow_record &f) {
        return (f.has & has_label) != 0 && f.label != 0 &&
               f.label != (ucx_verbs_flow_label(1, 0) & label_mask);
    };
    if (all(labelled))
        return true;
    if (!all(hashes_qpns))
        return false;
    const auto pair = [](const flow_record &f) { return std::minmax(f.lqpn, f.rqpn); };
    const flow_record &one = flows.front();
    if (one.lqpn == 0 || one.rqpn == 0)
        return false; // queue_pairs() says that
    if (all([&](const flow_record &f) { return pair(f) == pair(one); }))
        explain(
            cause_kind::same_qpns, audit_.flows,
            adp::format("all {} flows have the QPNs {:#x} and {:#x}, whose hash is port {}: hosts "
                        "that open queue pairs in the same order have the same numbers",
                        audit_.flows, one.lqpn, one.rqpn, one.sport),
            std::string("they differ by their addresses alone, which the switch may hash; or ") +
                std::string(plan_ports));
    else
        explain(
            cause_kind::same_qpns, audit_.flows,
            adp::format("all {} flows have QPNs whose hash is port {}", audit_.flows, one.sport),
            plan_ports);
    return true;
}

void finder::one_port()
{
    const std::uint16_t port = seen_.ports.front().sport;
    const std::string all = adp::format("all {} flows have source port {}", audit_.flows, port);
    if (port == ucx_devx_udp_sport(1, 0))
        explain(cause_kind::one_port, audit_.flows,
                all +
                    ": UCX over DEVX (path 0), NVSHMEM IBGDA (the LID, which is 0 on RoCE), or no "
                    "peer yet",
                std::string(ucx_remedy) + "; NVSHMEM IBGDA: no setting known");
    else if (port == flow_label_to_udp_sport(ucx_verbs_flow_label(1, 0)))
        explain(cause_kind::one_port, audit_.flows,
                all + ": UCX over verbs, path 0 (flow label 0xfffff)", ucx_remedy);
    else
        explain(
            cause_kind::one_port, audit_.flows,
            all + ": one flow label for all, a constant of the device (r_roce_min_src_udp_port; "
                  "mlx5 before Linux 5.8 used it for every RC queue pair), or connections of NCCL "
                  "GDAKI made in one second",
            plan_ports);
}

void finder::ports()
{
    const std::uint64_t flows = audit_.flows;
    const std::uint64_t ports = audit_.distinct_sports;
    if (flows < 2)
        return;
    if (ports == 1) {
        if (calculated_port())
            return;
        fixed_ports_ = true;
        return one_port();
    }
    const std::uint64_t ucx =
        count([](const flow_record &f) { return ucx_port(f.sport) && !hashes_qpns(f); });
    if (ucx * 10 >= flows * 9 && flows >= 2 * ports) {
        fixed_ports_ = true;
        return explain(
            cause_kind::ucx_paths, ucx,
            adp::format("{} flows share the {} ports of UCX's first paths (from 49152 by "
                        "DEVX, from 65472 by verbs)",
                        ucx, ports),
            ucx_remedy);
    }
    // Flows that would share a port by chance, of 16384.
    const double n = static_cast<double>(flows);
    const double chance = n - sport_count * (1 - std::pow(1 - 1.0 / sport_count, n));
    const double shared = n - static_cast<double>(ports);
    const std::uint64_t given =
        count([](const flow_record &f) { return (f.has & has_sport) != 0; });
    if (shared > 4 * chance + n / 4 && given * 2 >= flows)
        explain(
            cause_kind::repeated_ports, flows - ports,
            adp::format("{} flows have only {} ports (by chance about {:.0f} would be shared): one "
                        "label for many queue pairs, or connections of NCCL GDAKI made in one "
                        "second",
                        flows, ports, chance),
            second_remedy);
}

void finder::queue_pairs()
{
    const auto equal = [](const flow_record &f) {
        return hashes_qpns(f) && f.lqpn == f.rqpn && f.lqpn != 0;
    };
    const std::uint64_t squares = count(equal);
    if (squares >= 4 && squares * 2 >= audit_.flows) {
        std::uint32_t residues = 0;
        for (const flow_record &f : seen_.list.flows)
            if (equal(f))
                residues |= 1U << (f.sport & 7);
        explain(cause_kind::equal_qpns, squares,
                adp::format("{} flows have the same QPN on both ends: the hash is of a square, and "
                            "ports modulo 8 take {} of 8 values",
                            squares, __builtin_popcount(residues)),
                std::string("let one end open a queue pair first, so that numbers differ; or ") +
                    std::string(plan_ports));
    }
    const std::uint64_t zeros =
        count([](const flow_record &f) { return hashes_qpns(f) && (f.lqpn == 0 || f.rqpn == 0); });
    if (zeros != 0) {
        add(cause_kind::zero_qpn, zeros,
            adp::format("{} flows have a QPN of 0, whose hash is 49152: not connected yet?",
                        zeros));
        explained_ = explained_ || zeros * 2 >= audit_.flows;
    }
}

void finder::labels()
{
    std::vector<std::uint64_t> given; // port and label
    for (const flow_record &f : seen_.list.flows)
        if ((f.has & has_label) != 0 && f.label != 0)
            given.push_back(std::uint64_t{flow_label_to_udp_sport(f.label)} << 32 | f.label);
    if (given.size() < 2)
        return;
    std::sort(given.begin(), given.end());
    std::uint64_t same = 0;
    for (std::size_t i = 1; i < given.size(); i++)
        same += given[i] == given[i - 1];
    given.erase(std::unique(given.begin(), given.end()), given.end());
    std::uint64_t folded = 0;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    for (std::size_t i = 1; i < given.size(); i++)
        if (given[i] >> 32 == given[i - 1] >> 32 && folded++ == 0) {
            first = given[i - 1];
            second = given[i];
        }
    if (same != 0 && !fixed_ports_)
        explain(
            cause_kind::same_label, same,
            adp::format("{} flows have the flow label of another one", same),
            "give every queue pair a label of its own; perftest takes its list in turn, so make it "
            "as long as there are queue pairs");
    if (folded != 0)
        explain(cause_kind::fold_collision, folded,
                adp::format(
                    "{} labels fold to a port that another label has: {:#x} and {:#x} both give {}",
                    folded, first & label_mask, second & label_mask, first >> 32),
                "choose labels below 0x4000: each of them has its own port");
}

std::string_view to_string(cause_kind kind)
{
    switch (kind) {
    case cause_kind::one_port: return "one_port";
    case cause_kind::same_qpns: return "same_qpns";
    case cause_kind::ucx_paths: return "ucx_paths";
    case cause_kind::repeated_ports: return "repeated_ports";
    case cause_kind::equal_qpns: return "equal_qpns";
    case cause_kind::zero_qpn: return "zero_qpn";
    case cause_kind::same_label: return "same_label";
    case cause_kind::fold_collision: return "fold_collision";
    case cause_kind::port_not_hashed: return "port_not_hashed";
    case cause_kind::stride: return "stride";
    case cause_kind::few_classes: return "few_classes";
    case cause_kind::few_flows: return "few_flows";
    case cause_kind::below_range: return "below_range";
    case cause_kind::override: return "override";
    case cause_kind::queue_affinity: return "queue_affinity";
    case cause_kind::chance: return "chance";
    case cause_kind::unexplained: break;
    }
    return "unexplained";
}

void find_causes(const evidence &seen, flow_audit &audit)
{
    finder(seen, audit).run();
}

} // namespace adp::flow
