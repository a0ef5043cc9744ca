// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// bench-retry MODE: one measurement of the retry simulator; prints "events seconds" or numbers that
// retry.py compares.
//   played SHIFT      a dead peer under a profile with a total of 4 us << SHIFT; one queue pair, its path
//                     looked at for every copy
//   late SHIFT        the same with timers that are late at random: none can be computed
//   computed QPS      many of them, stretches computed
//   threads N QPS     loss, every message played, on N threads
//   memory QPS        resident bytes for so many queue pairs that all die
#include "retry_play.h"

#include "retry/simulate.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>

namespace {

using namespace adp;

// Waits of 4, 8, 16 us, then 32 us until the total: as in retry.py.
adp_profile profile_of(unsigned total_shift)
{
    adp_profile p{};
    p.time_base = 4;
    p.time_unit = 1;
    p.range_num = 2;
    p.retx_total_timeout = total_shift;
    p.timeout_init_range_size = 1;
    p.timeout_range[0] = {0, 1, 2, 1, 0};
    p.timeout_range[1] = {2, 1, 4, 1, 0};
    return p;
}

retry::scenario scenario_of(unsigned total_shift, std::uint32_t delay_factor = 1)
{
    retry::engine_options options;
    options.delay_factor = delay_factor;
    const adp_profile p = profile_of(total_shift);
    retry::qp_setting qp;
    qp.timeout = 20;
    retry::scenario s;
    s.config = *retry::engine_config::make(retry::model_id::profile, qp, &p, {}, options);
    s.outages = {{0, retry::never}};
    s.traffic.gap_ns = retry::ns_per_ms;
    s.max_events = UINT64_MAX;
    s.memory_limit = UINT64_MAX;
    return s;
}

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

long resident_kib()
{
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

void report(const retry::scenario &s, unsigned threads)
{
    const retry::scenario ready = *retry::prepare(s);
    const auto start = std::chrono::steady_clock::now();
    const retry::tally t = cli::play_on_threads(ready, threads);
    std::printf("%llu %.6f\n",
                static_cast<unsigned long long>(t.timer_events + t.messages + t.naks),
                seconds_since(start));
}

} // namespace

int main(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "";
    const auto argument = [&](int i) { return i < argc ? std::strtoull(argv[i], nullptr, 10) : 1; };
    if (mode == "played") {
        retry::scenario s = scenario_of(static_cast<unsigned>(argument(2)));
        s.play_every_event = true;
        report(s, 1);
    } else if (mode == "late") {
        report(scenario_of(static_cast<unsigned>(argument(2)), 4), 1);
    } else if (mode == "computed") {
        retry::scenario s = scenario_of(24);
        s.qps = argument(2);
        report(s, 1);
    } else if (mode == "threads") {
        retry::scenario s = scenario_of(24);
        s.outages.clear();
        s.loss.loss_ppb = retry::one_ppb / 50;
        s.qps = argument(3);
        report(s, static_cast<unsigned>(argument(2)));
    } else if (mode == "memory") {
        retry::scenario s = scenario_of(10);
        s.qps = argument(2);
        const retry::scenario ready = *retry::prepare(s);
        const long before = resident_kib();
        const retry::tally t = cli::play_on_threads(ready, 2);
        const retry::distribution d = retry::describe(t.detection_ns);
        std::printf("%llu %ld\n", static_cast<unsigned long long>(d.count),
                    (resident_kib() - before) * 1024);
    } else {
        std::fprintf(stderr, "usage: bench-retry played|late|computed|threads|memory N\n");
        return 1;
    }
    return 0;
}
