// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/compare.h"

#include "retry/duration.h"

#include <algorithm>

namespace adp::retry {

namespace {

std::uint64_t ratio(std::uint64_t a, std::uint64_t b)
{
    if (a == 0 || a == never || b == never)
        return never;
    // Two steps, so that nothing overflows.
    const std::uint64_t whole = b / a;
    const std::uint64_t rest = b % a;
    if (whole > never / 2000)
        return never;
    const std::uint64_t part = a < never / 2000 ? (rest * 1000 + a / 2) / a : rest / (a / 1000);
    return whole * 1000 + part;
}

} // namespace

result<std::vector<comparison>> compare(const model_request &a, const model_request &b)
{
    std::vector<comparison> out;
    for (const model_info &m : models()) {
        if (m.id == model_id::profile && (a.profile == nullptr || b.profile == nullptr))
            continue;
        const result<model_answer> x = time_to_error(m.id, a);
        if (!x)
            return x.err();
        const result<model_answer> y = time_to_error(m.id, b);
        if (!y)
            return y.err();
        out.push_back({*x, *y, ratio(x->nominal_ns, y->nominal_ns)});
    }
    return out;
}

result<std::vector<outage_report>> judge_outages(const model_request &request,
                                                 std::span<const std::uint64_t> lengths_ns)
{
    const result<std::vector<model_answer>> answers = all_models(request);
    if (!answers)
        return answers.err();
    std::vector<outage_report> out;
    bool survives = false;
    bool dies = false;
    for (const model_answer &a : *answers) {
        outage_report r;
        r.answer = a;
        for (const std::uint64_t length : lengths_ns) {
            const verdict v = judge_outage(a, length);
            r.verdicts.push_back(v);
            r.worst = std::max(r.worst, v);
            r.longest_ns = std::max(r.longest_ns, length);
            r.cumulative_ns = add_time(r.cumulative_ns, length);
        }
        if (r.worst == verdict::depends)
            r.notes.push_back(
                {trap::margin, "the last copy leaves after " + format_duration(a.survives_min_ns) +
                                   " at the earliest, the error comes after " +
                                   format_duration(a.max_ns) +
                                   " at the latest: between them it is a matter of chance"});
        if (r.worst == verdict::dies)
            r.notes.push_back({trap::info,
                               "where no error completion was seen all the same, nobody "
                               "polls the completion queue, or the timer is off"});
        survives = survives || r.worst == verdict::survives;
        dies = dies || r.worst == verdict::dies;
        out.push_back(std::move(r));
    }
    if (survives && dies)
        for (outage_report &r : out)
            r.notes.push_back({trap::not_measured, "the models disagree: it depends on the device, "
                                                   "measure"});
    return out;
}

} // namespace adp::retry
