// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/traps.h"

#include "retry/duration.h"
#include "retry/encoding.h"

namespace adp::retry {

namespace {

// Round trips of a loaded fabric reach this; a shorter timer repeats what is not lost.
constexpr std::uint64_t loaded_round_trip_ns = 100 * ns_per_us;

} // namespace

std::vector<note> traps(const qp_setting &qp)
{
    std::vector<note> out;
    const auto say = [&out](trap what, std::string text) {
        out.push_back({what, std::move(text)});
    };

    if (qp.timeout == 0) {
        say(trap::infinite,
            "timeout 0 switches the timer off: a lost packet or a dead peer is never "
            "reported");
    } else {
        const std::uint64_t t = ack_timeout_ns(qp.timeout);
        if (t < loaded_round_trip_ns)
            say(trap::below_rtt,
                "timeout " + std::to_string(qp.timeout) + " is " + format_duration(t) +
                    ", below a fabric round trip under load; it works only where a firmware floor "
                    "lifts it, and with the floor off the queue pair fails at the first "
                    "congestion");
        if (qp.timeout <= mlx5_floor_code && qp.retry_cnt != 0)
            say(trap::floor,
                "with default firmware settings ConnectX-6 and -5 treat every timeout up "
                "to " +
                    std::to_string(mlx5_floor_code) +
                    " alike, as others measured: one interval is " +
                    format_duration(2 * ack_timeout_ns(mlx5_floor_code)));
    }
    if (qp.retry_cnt == 0)
        say(trap::zero_retries, "retry_cnt 0: the first time-out or sequence NAK is fatal");
    if (qp.rnr_retry == rnr_for_ever) {
        if (qp.min_rnr_timer == 0)
            say(trap::rnr, "min_rnr_timer 0 is " + format_duration(rnr_timer_ns(0)) +
                               ", the longest: every RNR NAK stops a queue pair that long, without "
                               "an error");
        else if (rnr_timer_ns(qp.min_rnr_timer) < 20 * ns_per_us)
            say(trap::rnr, "min_rnr_timer " + std::to_string(qp.min_rnr_timer) + " is " +
                               format_duration(rnr_timer_ns(qp.min_rnr_timer)) +
                               ": with rnr_retry 7 a slow receiver causes a storm of RNR NAKs");
    } else {
        const rnr_gap gap = tolerated_rnr_gap(qp.rnr_retry, qp.min_rnr_timer);
        say(trap::rnr, "rnr_retry " + std::to_string(qp.rnr_retry) +
                           ": a receiver without a buffer for " + format_duration(gap.min_ns) +
                           " to " + format_duration(gap.max_ns) +
                           " kills the queue pair (status 13); 7 waits for ever");
    }
    return out;
}

} // namespace adp::retry
