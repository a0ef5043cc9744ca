# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The simulator beside the same model written plainly with SimPy, in one run; nothing is asserted.
usage: retry.py BENCH-RETRY FOLDER-OF-THE-ORACLE ADP"""
import os
import statistics
import subprocess
import sys
import time

sys.path[:0] = [sys.argv[2]]
sys.path.append("/usr/lib/python3/dist-packages")
try:
    import adp_simpy
    import simpy
except ImportError as missing:
    print(f"the package python3-simpy3 is not installed: {missing}", file=sys.stderr)
    sys.exit(77)

RUNS = 3
READINGS = {"init_inclusive_top": 0, "initial_uses": 1, "match_open_top": 0, "range_top_inclusive": 1,
            "retry_num_extra": 0, "uses_first_only": 0, "next_may_shrink": 0, "fail_after_last": 0,
            "dec_text_order": 0, "prev_on_reach": 0, "prev_enter_low": 0, "prev_unchecked": 0,
            "start_always": 0, "cap_uses_floor": 0, "total_adds_one": 0, "total_is_factor": 0,
            "truncate_last": 0, "retry_cnt_counts": 0, "floor_ns": 4000}


def scenario(total_shift):
    """The profile of retry.cpp."""
    one = {"range_low_bound": 0, "range_size": 1, "timeout_retry_num": 2, "dec_mode": 1,
           "prev_range_index": 0}
    two = {"range_low_bound": 2, "range_size": 1, "timeout_retry_num": 4, "dec_mode": 1,
           "prev_range_index": 0}
    return {"profile": {"time_base": 4, "range_num": 2, "start_range_index": 0, "qp_total_timeout": 0,
                        "retx_total_timeout": total_shift, "timeout_init_low_bound": 0,
                        "timeout_init_range_size": 1, "timeout_range": [one, two]},
            "readings": READINGS, "seed": 1, "index": 0,
            "qp": {"timeout": 20, "retry_cnt": 7, "extended_retry_cnt": 0},
            "outages": [[0, 10 ** 15]], "pauses": [], "loss_ppb": 0, "rtt": 10000, "jitter": 0,
            "delay_factor": 1, "packets": 1, "gap": 10 ** 6, "messages": 0, "spread": 0,
            "duration": 10 ** 10}


def bare_timers(events):
    """What SimPy can do at most: timers without any model."""
    env = simpy.Environment()

    def process():
        for _ in range(events):
            yield env.timeout(16000)

    env.process(process())
    start = time.perf_counter()
    env.run()
    return events / (time.perf_counter() - start)


def plain_model(total_shift):
    start = time.perf_counter()
    qp = adp_simpy.play(scenario(total_shift), keep_events=False)
    return qp.count["timer_events"], qp.count["timer_events"] / (time.perf_counter() - start)


def ours(*words):
    events, seconds = subprocess.run([sys.argv[1], *map(str, words)], check=True,
                                     capture_output=True, text=True).stdout.split()
    return int(events), int(events) / float(seconds)



def main():
    # The two run in turns, so that what else the machine does meets both.
    timers, plain, played, late, computed, first, second = [], [], [], [], [], [], []
    for _ in range(RUNS):
        timers.append(bare_timers(300000))
        events, rate = plain_model(20)
        plain.append(rate)
        same, _ = ours("played", 20)
        if same != events:
            sys.exit(f"not the same run: {events} timers in SimPy, {same} here")
        played.append(ours("played", 26)[1])
        late.append(ours("late", 27)[1])
        computed.append(ours("computed", 20000)[1])
        first.append(ours("threads", 1, 2000)[1])
        second.append(ours("threads", 2, 2000)[1])
    mid = statistics.median
    print(f"SimPy, timers alone:        {mid(timers) / 1e6:10.3f} million events a second")
    print(f"SimPy, the profile model:   {mid(plain) / 1e6:10.3f}")
    print(f"here, every event played:   {mid(played) / 1e6:10.3f}   = {mid(played) / mid(plain):.0f} x "
          f"the model in SimPy, {mid(played) / mid(timers):.0f} x its bare timers (asked: 60 x)")
    print(f"here, late at random:       {mid(late) / 1e6:10.3f}   = {mid(late) / mid(plain):.0f} x, "
          f"{mid(late) / mid(timers):.0f} x")
    print(f"here, stretches computed:   {mid(computed) / 1e6:10.3f}   = {mid(computed) / mid(plain):.0f} x")
    ratio = mid(b / a for a, b in zip(first, second))
    print(f"two threads:                {ratio:.2f} x one, on {os.cpu_count()} processors (asked: 1.9 x)")
    count, size = map(int, subprocess.run([sys.argv[1], "memory", "4000000"], check=True,
                                          capture_output=True, text=True).stdout.split())
    print(f"memory:                     {size / count:.1f} bytes a queue pair (asked: at most 64)")
    worst = 0.0
    for words in (["survive", "10s"], ["survive", "10s", "detect", "30s"], ["detect", "20ms"],
                  ["detect", "20ms", "pause", "50ms"], ["rtt", "30ms", "loss", "1%"],
                  ["survive", "228s", "detect", "229s"], ["detect", "1us"]):
        start = time.perf_counter()
        subprocess.run([sys.argv[3], "retry", "plan", *words], check=False, capture_output=True)
        worst = max(worst, time.perf_counter() - start)
    print(f"plan, the slowest of seven:  {worst:.3f} s (asked: 1 s)")


if __name__ == "__main__":
    main()
