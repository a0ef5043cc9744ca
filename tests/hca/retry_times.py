#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""retry_times.py ADP <TRACE: what the requesters of the software ConnectX did, against what
`adp retry explain` computes. TRACE is the answer of its control commands trace or failures; what
stands behind a bar are further words for explain, as "| profile FILE".

Each queue pair that failed must have done so at the time that explain names, to the nanosecond where
the model leaves nothing to chance, else between the shortest and the longest; where the trace has its
expiries, each of them must be in the schedule. Prints a line for each, and at the end how many agree.
Exit status 1: not all, or none was there."""
import json
import re
import subprocess
import sys

LINE = re.compile(r"qp (0x[0-9a-f]+) (\w+) after_ns (\d+)(.*)")
DRAWN = ("profile", "mlx5_floor_off")  # models in which chance has a part


def explain(adp, failure, words):
    command = [adp, "-j", "-d", "retry", "explain", "timeout", failure["timeout"], "retry_cnt",
               failure["retry_cnt"], "model", failure["model"], *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[0]


def nanoseconds(ms):
    return round(ms * 1e6)


def scheduled(answer):
    times, now = [], 0
    for row in answer["schedule"]:
        for _ in range(row["count"]):
            now += nanoseconds(row["wait_ms"])
            times.append(now)
    return times


def judge(adp, failure, words, expiries):
    after = int(failure["after_ns"])
    answer = explain(adp, failure, words)
    least, most = (nanoseconds(answer[f"time_to_error_{end}_ms"]) for end in ("min", "max"))
    if failure["model"] in DRAWN:
        return least <= after <= most, f"{least} to {most}"
    wanted = nanoseconds(answer["time_to_error_ms"])
    times = scheduled(answer)
    if after != wanted or int(failure["expiries"]) != len(times):
        return False, f"{wanted} with {len(times)} expiries"
    return not expiries or expiries == times, f"{wanted}, expiries {times}"


def main():
    adp = sys.argv[1]
    expiries, agree, failed = {}, 0, 0
    for text in sys.stdin:
        line, _, words = text.partition("|")
        found = LINE.match(line)
        if not found:
            continue
        qp, what, after, rest = found.groups()
        if what == "expired":
            expiries.setdefault(qp, []).append(int(after))
        elif what == "failed":
            failure = dict(zip(rest.split()[::2], rest.split()[1::2]), after_ns=after)
            good, wanted = judge(adp, failure, words.split(), expiries.pop(qp, []))
            failed += 1
            agree += good
            print(line.strip(), "agrees" if good else f"differs from {wanted}")
    print(f"{agree} of {failed} agree")
    return 0 if failed and agree == failed else 1


if __name__ == "__main__":
    sys.exit(main())
