#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# `adp accl show` beside `mstreg --reg_name ROCE_ACCL --get`, on the same emulated fwctl device, one
# after the other in turn: wall time, processor time and memory, and their ratios. The kernel is
# emulated from outside the processes, so that nothing of it is in their times and memory but the
# answers' delay, which is in the wall time of both.
. "$(dirname "$0")/../emukernel/lib.sh"
mstreg_dir=$(mstreg_here) || exit 77
PATH=$mstreg_dir:$PATH
fresh_root
emu_boxed "$ADP" accl show mlx5_0 >/dev/null || exit 1
PYTHONPATH=$(dirname "$0") MEASURE_BOX=$EMUKERNEL_RUN python3 -B - "$ADP" "${RUNS:-15}" <<'END'
import sys

import beside

adp, runs = sys.argv[1], int(sys.argv[2])
middle = beside.medians({
    "adp": [adp, "accl", "show", "mlx5_0"],
    "mstreg": ["mstreg", "-d", "fwctl0", "--reg_name", "ROCE_ACCL", "--get"],
    "true": ["true"],
}, runs)
print(f"median of {runs} runs    wall ms   cpu ms   memory MiB")
for name, (wall, cpu, rss) in middle.items():
    print(f"{name:20}  {wall:9.1f} {cpu:8.1f} {rss:12.1f}")
ratio = [a / b for a, b in zip(middle["adp"], middle["mstreg"])]
print(f"adp / mstreg          1/{1 / ratio[0]:<7.1f} 1/{1 / ratio[1]:<6.1f} 1/{1 / ratio[2]:<6.1f}")
END
