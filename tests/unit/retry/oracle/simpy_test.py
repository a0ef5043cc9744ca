# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The simulator against the same model written plainly with SimPy: every event and every sum, over
random profiles, readings, settings and paths. usage: simpy_test.py RETRY-TRACE"""
import json
import random
import subprocess
import sys

# Where the distribution puts it, for a python3 that is not the distribution's.
sys.path.append("/usr/lib/python3/dist-packages")
try:
    import adp_simpy
except ImportError as missing:
    print(f"1..0 # SKIP the package python3-simpy3 is not installed: {missing}")
    sys.exit(0)

SCENARIOS = 1500
READINGS = {"init_inclusive_top": 1, "initial_uses": 2, "match_open_top": 1, "range_top_inclusive": 0,
            "retry_num_extra": 1, "uses_first_only": 1, "next_may_shrink": 1, "fail_after_last": 1,
            "dec_text_order": 1, "prev_on_reach": 1, "prev_enter_low": 1, "prev_unchecked": 1,
            "start_always": 1, "cap_uses_floor": 1, "total_adds_one": 1, "total_is_factor": 1,
            "truncate_last": 1, "retry_cnt_counts": 1, "floor_ns": 20000}
DEFAULTS = {"init_inclusive_top": 0, "initial_uses": 1, "match_open_top": 0, "range_top_inclusive": 1,
            "retry_num_extra": 0, "uses_first_only": 0, "next_may_shrink": 0, "fail_after_last": 0,
            "dec_text_order": 0, "prev_on_reach": 0, "prev_enter_low": 0, "prev_unchecked": 0,
            "start_always": 0, "cap_uses_floor": 0, "total_adds_one": 0, "total_is_factor": 0,
            "truncate_last": 0, "retry_cnt_counts": 0, "floor_ns": 4000}
US, MS = 1000, 1000000


def random_profile(r):
    low, ranges = r.randint(0, 5), []
    for _ in range(r.randint(1, 4)):
        ranges.append({"range_low_bound": low if r.random() < 0.8 else r.randint(0, 11),
                       "range_size": r.randint(0, 3), "timeout_retry_num": r.randint(0, 4),
                       "dec_mode": r.randint(0, 3), "prev_range_index": r.randint(0, 4)})
        low += r.randint(1, 4)
    return {"time_base": r.choice([4, 8, 16, 32, 64, 100]), "range_num": len(ranges),
            "start_range_index": r.randrange(len(ranges)), "qp_total_timeout": r.randint(0, 1),
            "retx_total_timeout": r.randint(0, 16), "timeout_init_low_bound": r.randint(0, 10),
            "timeout_init_range_size": r.randint(0, 4), "timeout_range": ranges}


def random_windows(r, most, longest):
    return [[r.randrange(0, 300 * MS), r.randrange(1, longest)] for _ in range(r.randint(0, most))]


def apart(windows):
    """Windows that touch are one."""
    joined = []
    for start, length in sorted(windows):
        if joined and joined[-1][0] + joined[-1][1] >= start:
            joined[-1][1] = max(joined[-1][1], start + length - joined[-1][0])
        else:
            joined.append([start, length])
    return joined


def random_scenario(seed):
    r = random.Random(seed)
    knobs = dict(DEFAULTS)
    for name in READINGS:
        if r.random() < 0.08:
            knobs[name] = READINGS[name]
    if knobs["cap_uses_floor"] and r.random() < 0.5:
        knobs["cap_uses_floor"] = 2
    outages = apart(random_windows(r, 3, 120 * MS))
    if r.random() < 0.2:
        outages = apart(outages + [[r.randrange(0, 300 * MS), 3600 * 1000 * MS]])
    timeout = r.randint(1, 16)  # with 0 no timer runs, and the first loss would be the end
    return {"profile": random_profile(r), "readings": knobs, "seed": seed * 31, "index": r.randint(0, 9),
            "qp": {"timeout": timeout, "retry_cnt": r.randint(0, 7),
                   "extended_retry_cnt": r.choice([0, 0, 0, 12])},
            "outages": outages, "pauses": apart(random_windows(r, 2, 20 * MS)),
            "loss_ppb": r.choice([0, 0, 10 ** 7, 10 ** 8, 4 * 10 ** 8]),
            "rtt": r.choice([0, 10 * US, 10001, 200 * US, 3 * MS]),
            "jitter": r.choice([0, 0, 5 * US, MS]), "delay_factor": r.choice([1, 1, 1, 2, 4]),
            "packets": r.choice([1, 1, 2, 5]), "gap": r.choice([1, 100 * US, 5 * MS]),
            "messages": r.randint(1, 60), "spread": r.choice([0, 10 * MS]), "duration": 400 * MS}


def compare(scenario, got):
    want = adp_simpy.play(scenario, scenario["index"])
    for number, (ours, theirs) in enumerate(zip(got["events"], want.events)):
        if ours != theirs:
            return f"event {number}: {ours} here, {theirs} in SimPy"
    if len(got["events"]) != len(want.events):
        return f"{len(got['events'])} events here, {len(want.events)} in SimPy"
    if got["count"] != want.count:
        return f"sums: {got['count']} here, {want.count} in SimPy"
    recovery = [] if want.recovery is None else [want.recovery]
    if [got["detection"], got["recovery"]] != [want.detection, recovery]:
        return (f"{got['detection']} {got['recovery']} here, "
                f"{want.detection} {recovery} in SimPy")
    return None


def main():
    trace = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    sums = {"events": 0, "died": 0, "naks": 0, "spurious": 0, "messages": 0, "recovered": 0}
    failed = 0
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + SCENARIOS):
        scenario = random_scenario(seed)
        trace.stdin.write(json.dumps(scenario) + "\n")
        trace.stdin.flush()
        answer = trace.stdout.readline()
        if not answer:
            sys.exit(f"retry-trace ended at seed {seed}")
        got = json.loads(answer)
        wrong = compare(scenario, got)
        if wrong:
            failed += 1
            print(f"# seed {seed}: {wrong}")
            if failed > 5:
                break
        sums["events"] += len(got["events"])
        sums["recovered"] += len(got["recovery"])
        for name in ("died", "naks", "spurious", "messages"):
            sums[name] += got["count"][name]
    trace.stdin.close()
    print("1..2")
    print(f"{'not ' if failed else ''}ok 1 - event by event as in SimPy: {sums}")
    # Scenarios in which nothing happens would prove nothing.
    rich = all(v > 100 for v in sums.values()) and sums["events"] > 50000
    print(f"{'' if rich else 'not '}ok 2 - the scenarios have all of it")
    sys.exit(1 if failed or not rich else 0)


if __name__ == "__main__":
    main()
