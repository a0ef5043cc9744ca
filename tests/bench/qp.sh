#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# In the guest: `adp -j qp show` beside `rdma -j resource show qp`, one after the other in turn, over
# QPS reliable queue pairs (10000) of an rxe device: wall time, processor time, memory, and the ratios.
# `rdma` prints 12 values of each, `adp` some 30 with the reasons for what it does not know.
set -euo pipefail
. "$(dirname "$0")/../guest/wire.sh"
: "${ADP:?the tool}" "${MANY_QPS:?the program that makes them}" "${MEASURE:?}"
wire_up
coproc HOLDER { exec "$MANY_QPS" rxe0 "${QPS:-10000}" 2>&1; }
IFS= read -r -t 400 line <&"${HOLDER[0]}" || line='no answer'
[ "$line" = ready ] || {
    echo "$line" >&2
    exit 1
}
PYTHONPATH=$(dirname "$0") python3 -B - "$ADP" "${RUNS:-7}" <<'END'
import json, subprocess, sys

import beside

adp, runs = sys.argv[1], int(sys.argv[2])
commands = {"adp -j qp show": [adp, "-j", "qp", "show"],
            "rdma -j resource show qp": ["rdma", "-j", "resource", "show", "qp"],
            "adp -j qp show (one)": [adp, "-j", "qp", "show", "rxe0", "lqpn", "17"]}

listed = {name: json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
          for name, words in commands.items()}
middle = beside.medians(commands, runs)
print(f"median of {runs} runs     queue pairs   wall ms    cpu ms   memory MiB")
for name, (wall, cpu, rss) in middle.items():
    print(f"{name:25} {len(listed[name]):10}  {wall:9.1f} {cpu:9.1f} {rss:9.1f}")
ours, theirs = middle["adp -j qp show"], middle["rdma -j resource show qp"]
print(f"adp / rdma: {ours[0] / theirs[0]:.2f} of the time, {ours[1] / theirs[1]:.2f} of the "
      f"processor time, {ours[2] / theirs[2]:.2f} of the memory")
END
