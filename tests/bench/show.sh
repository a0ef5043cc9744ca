#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# `adp accl show` beside `mstreg --reg_name ROCE_ACCL --get`, on the same emulated fwctl device, one
# after the other in turn: wall time, processor time and memory, and their ratios. Both carry the
# emulated kernel in their process; `true` shows what that alone costs.
. "$(dirname "$0")/../emukernel/lib.sh"
mstreg_dir=$(mstreg_here) || exit 77
PATH=$mstreg_dir:$PATH
fresh_root
emu "$ADP" accl show mlx5_0 >/dev/null || exit 1
export MEASURE_PRELOAD
MEASURE_PRELOAD=$(emu_preload "$ADP")
python3 - "$ADP" "${RUNS:-15}" <<'END'
import os, statistics, subprocess, sys

adp, runs = sys.argv[1], int(sys.argv[2])
commands = {
    "adp": [adp, "accl", "show", "mlx5_0"],
    "mstreg": ["mstreg", "-d", "fwctl0", "--reg_name", "ROCE_ACCL", "--get"],
    "true": ["true"],
}


def once(words):
    done = subprocess.run([os.environ["MEASURE"], *words],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words[0]} failed")
    wall, cpu, rss = map(float, done.stdout.split())
    return wall, cpu, rss / 1024


samples = {name: [] for name in commands}
for _ in range(runs):
    for name, words in commands.items():
        samples[name].append(once(words))
middle = {n: [statistics.median(v) for v in zip(*s)] for n, s in samples.items()}
print(f"median of {runs} runs    wall ms   cpu ms   memory MiB")
for name, (wall, cpu, rss) in middle.items():
    print(f"{name:20}  {wall:9.1f} {cpu:8.1f} {rss:12.1f}")
ratio = [a / b for a, b in zip(middle["adp"], middle["mstreg"])]
print(f"adp / mstreg          1/{1 / ratio[0]:<7.1f} 1/{1 / ratio[1]:<6.1f} 1/{1 / ratio[2]:<6.1f}")
END
