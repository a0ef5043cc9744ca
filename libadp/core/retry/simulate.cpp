// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/simulate.h"

#include "retry/timeline.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace adp::retry {

namespace {

result<void> tidy(std::vector<window> &windows, const char *what)
{
    for (const window &w : windows) {
        if (w.length_ns == 0)
            return error{EINVAL, std::string("an ") + what + " of no length", "", {}};
        if (w.start_ns >= long_time)
            return error{EINVAL, std::string("an ") + what + " that never starts", "", {}};
    }
    std::sort(windows.begin(), windows.end(),
              [](const window &a, const window &b) { return a.start_ns < b.start_ns; });
    std::vector<window> joined;
    for (const window &w : windows) {
        if (joined.empty() || timeline::end(joined.back()) < w.start_ns) {
            joined.push_back(w);
            continue;
        }
        const std::uint64_t end = std::max(timeline::end(joined.back()), timeline::end(w));
        joined.back().length_ns = end == never ? never : end - joined.back().start_ns;
    }
    windows = std::move(joined);
    return {};
}

error invalid(const std::string &reason, const std::string &remedy = "")
{
    return {EINVAL, reason, remedy, {}};
}

} // namespace

std::uint64_t simulation_memory(std::uint64_t qps)
{
    return times(2 * sizeof(std::uint64_t), qps);
}

result<scenario> prepare(scenario s)
{
    for (auto &[windows, what] : {std::pair{&s.outages, "outage"},
                                  {&s.pauses, "interval of pause"},
                                  {&s.not_ready, "interval without a receive buffer"}})
        if (const result<void> r = tidy(*windows, what); !r)
            return r.err();
    for (const window &w : s.pauses)
        if (timeline::end(w) >= long_time)
            return invalid("a pause without end", "use an outage");
    if (s.qps == 0)
        return invalid("no queue pair to simulate");
    if (s.traffic.packets == 0 || s.traffic.packets > 65536)
        return invalid("a message has 1 to 65536 packets");
    if (s.traffic.packet_bytes == 0 || s.traffic.packet_bytes > 65536)
        return invalid("a packet has 1 to 65536 bytes");
    if (s.traffic.packets > s.config.options.max_packets)
        return invalid("a message does not fit the replay buffer");
    for (const std::uint64_t p :
         {s.loss.loss_ppb, s.loss.enter_ppb, s.loss.leave_ppb, s.loss.bad_loss_ppb})
        if (p > one_ppb)
            return invalid("a probability over 1");
    if (s.loss.enter_ppb != 0 && s.loss.leave_ppb == 0)
        return invalid("the bad state is never left", "use an outage, or give the chance to leave");
    if (s.duration_ns == 0 || s.duration_ns >= long_time)
        return invalid("the duration is out of bounds");
    constexpr std::uint64_t longest_path = 3600 * ns_per_s;
    if (s.delay.rtt_ns > longest_path || s.delay.jitter_ns > longest_path ||
        s.traffic.start_spread_ns >= long_time)
        return invalid("a delay of more than an hour");
    // Without a wait between them messages would go on for ever at one time.
    if (s.delay.rtt_ns == 0 && s.traffic.gap_ns == 0 && s.traffic.messages == 0)
        return invalid("no time passes between the messages", "give a round trip or a gap");
    if (simulation_memory(s.qps) > s.memory_limit)
        return error{ENOMEM,
                     "the results of " + std::to_string(s.qps) + " queue pairs would take " +
                         std::to_string(simulation_memory(s.qps) >> 20) + " MiB",
                     "at most " + std::to_string(s.memory_limit / (2 * sizeof(std::uint64_t))) +
                         " queue pairs fit",
                     {}};
    return s;
}

void tally::merge(tally &&other)
{
    qps += other.qps;
    died += other.died;
    died_rnr += other.died_rnr;
    unfinished += other.unfinished;
    messages += other.messages;
    transmissions += other.transmissions;
    retransmissions += other.retransmissions;
    spurious += other.spurious;
    bytes_sent += other.bytes_sent;
    bytes_wasted += other.bytes_wasted;
    timer_events += other.timer_events;
    naks += other.naks;
    latency_sum_ns += other.latency_sum_ns;
    latency_max_ns = std::max(latency_max_ns, other.latency_max_ns);
    detection_ns.insert(detection_ns.end(), other.detection_ns.begin(), other.detection_ns.end());
    recovery_ns.insert(recovery_ns.end(), other.recovery_ns.begin(), other.recovery_ns.end());
}

distribution describe(std::vector<std::uint64_t> values)
{
    distribution d;
    d.count = values.size();
    if (values.empty())
        return d;
    std::sort(values.begin(), values.end());
    // Nearest rank: the smallest value that p per cent do not exceed.
    const auto rank = [&values](std::size_t percent) {
        return values[(values.size() * percent + 99) / 100 - 1];
    };
    d.min = values.front();
    d.median = rank(50);
    d.p99 = rank(99);
    d.max = values.back();
    return d;
}

result<tally> simulate(const scenario &s)
{
    const result<scenario> ready = prepare(s);
    if (!ready)
        return ready.err();
    return play(*ready, 0, ready->qps);
}

} // namespace adp::retry
