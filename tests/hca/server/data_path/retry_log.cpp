// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/retry_log.h"
#include "text/format.h"

namespace adp::hca {

namespace {

// In the order of retry_event::kind.
constexpr std::array names{"expired", "rnr_over", "nak", "implied_nak", "rnr_nak", "failed"};

std::string failure(const retry_event &e)
{
    return adp::format("qp {:#x} failed after_ns {} expiries {} status {} model {} timeout {} "
                       "retry_cnt {}\n",
                       e.queue_pair, e.at_ns - e.since_ns, e.expiries, e.status,
                       retry::info(e.model).name, e.qp.timeout, e.qp.retry_cnt);
}

} // namespace

void retry_log::add(unsigned function, const retry_event &event)
{
    if (events_.size() >= most)
        events_.pop_front();
    events_.push_back({function, event});
}

std::string retry_log::describe(unsigned function, std::uint32_t queue_pair) const
{
    std::string text;
    for (const auto &[f, e] : events_)
        if (f == function && (queue_pair == 0 || e.queue_pair == queue_pair))
            text += e.what == retry_event::failed
                        ? failure(e)
                        : adp::format("qp {:#x} {} after_ns {} psn {} wait_ns {}\n", e.queue_pair,
                                      names[e.what], e.at_ns - e.since_ns, e.psn, e.wait_ns);
    return text;
}

std::string retry_log::failures(unsigned function) const
{
    std::string text;
    for (const auto &[f, e] : events_)
        if (f == function && e.what == retry_event::failed)
            text += failure(e);
    return text;
}

} // namespace adp::hca
