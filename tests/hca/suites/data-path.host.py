# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""data-path.host.py CAPTURE OUTPUT: on the machine itself, after the suite `data-path`: the times of a
packet's repetitions in a capture, CAPTURE.PROFILE for each profile, against the schedule that `adp retry
explain` prints, to the nanosecond. Each capture has one RDMA WRITE that nobody answered. Where the first
timeout of a profile is drawn from more than one value, the schedule may begin with the next."""
import json
import os
import pathlib
import struct
import subprocess
import sys

from host_tap import Tap

HERE = pathlib.Path(__file__).resolve().parent
VENDOR = HERE.parents[1] / "fixtures/roce_accl/set-named.txt"
SETTING = ("timeout", "14", "retry_cnt", "7")
WRITE_ONLY = 10  # the opcode of the BTH
AT_UDP = 14 + 20


def repetitions(path):
    """Nanoseconds from the first transmission of the PSN that was sent first."""
    with open(path, "rb") as file:
        data = file.read()
    magic, = struct.unpack_from(">I", data)
    if magic != 0xa1b23c4d:
        sys.exit("no capture in nanoseconds, highest byte first")
    times, psn, at = [], None, 24
    while at < len(data):
        second, nanosecond, length, _ = struct.unpack_from(">IIII", data, at)
        frame = data[at + 16:at + 16 + length]
        at += 16 + length
        opcode = frame[AT_UDP + 8]
        if opcode != WRITE_ONLY:
            continue
        number = int.from_bytes(frame[AT_UDP + 17:AT_UDP + 20], "big")
        psn = number if psn is None else psn
        if number == psn:
            times.append(second * 10**9 + nanosecond)
    return [t - times[0] for t in times[1:]]


def schedule(profile):
    """When each timeout runs out: each is a repetition, but the one that ends it."""
    done = subprocess.run([os.environ["ADP"], "-j", "-d", "retry", "explain", *SETTING, "model", "profile",
                           "profile", str(profile)],
                          capture_output=True, text=True, check=True)
    times, now = [], 0
    for row in json.loads(done.stdout)[0]["schedule"]:
        for _ in range(row["count"]):
            now += round(row["wait_ms"] * 1e6)
            times.append(now)
    return times[:-1]


def same(seen, wanted):
    if seen == wanted:
        return True
    # Drawn otherwise at first: from then on the same waits, until the total is reached.
    skipped = next((i for i in range(1, 4) if wanted[i:i + 1] and
                    seen[1] - seen[0] == wanted[i + 1] - wanted[i]), 0) if len(seen) > 1 else 0
    waits = [b - a for a, b in zip(seen, seen[1:])]
    others = [b - a for a, b in zip(wanted[skipped:], wanted[skipped + 1:])]
    n = min(len(waits), len(others))
    return skipped > 0 and abs(len(waits) - len(others)) <= 1 and waits[:n] == others[:n]


def main():
    tap = Tap(sys.argv[2])
    for profile in (VENDOR, *sorted((HERE.parent / "profiles").glob("*.toml"))):
        seen, wanted = repetitions(f"{sys.argv[1]}.{profile.name}"), schedule(profile)
        tap.case(same(seen, wanted), f"{profile.name}: {len(wanted)} repetitions on the wire, each in time",
                 f"seen {len(seen)}: {seen[:20]}, wanted {wanted[:20]}")
    tap.done()


main()
