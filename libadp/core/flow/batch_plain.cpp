// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/batch_block.h"
#include "flow/derivation.h"

// gcc leaves loops of unknown length alone below -O3.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

namespace adp::flow {

namespace {

// labels and sports may be the same job's; each loop has just the stores it needs.
void both(const batch_job &job)
{
    for (std::size_t i = 0; i < job.count; i++) {
        const std::uint32_t label = calc_flow_label(job.lqpn[i], job.rqpn[i]);
        job.labels_out[i] = label;
        job.sports[i] = flow_label_to_udp_sport(label);
    }
}

void labels_only(const batch_job &job)
{
    for (std::size_t i = 0; i < job.count; i++)
        job.labels_out[i] = calc_flow_label(job.lqpn[i], job.rqpn[i]);
}

void sports_only(const batch_job &job)
{
    for (std::size_t i = 0; i < job.count; i++)
        job.sports[i] = flow_label_to_udp_sport(calc_flow_label(job.lqpn[i], job.rqpn[i]));
}

void fold(const batch_job &job)
{
    for (std::size_t i = 0; i < job.count; i++)
        job.sports[i] = flow_label_to_udp_sport(job.in[i]);
}

void chosen(const batch_job &job)
{
    for (std::size_t i = 0; i < job.count; i++)
        job.sports[i] = calc_udp_sport(job.in[i], job.lqpn[i], job.rqpn[i]);
}

} // namespace

void block_plain(const batch_job &job)
{
    if (job.in && job.lqpn)
        chosen(job);
    else if (job.in)
        fold(job);
    else if (job.labels_out && job.sports)
        both(job);
    else if (job.labels_out)
        labels_only(job);
    else
        sports_only(job);
}

} // namespace adp::flow
