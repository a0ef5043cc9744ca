# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Commands as whole processes, one after the other in turn, so that what else the machine does meets
all of them. Measured by the program in $MEASURE (measure.c), which $MEASURE_BOX may run."""
import os
import statistics
import subprocess
import sys


def once(words):
    """Wall ms, processor ms, most memory in MiB."""
    measure = [os.environ[n] for n in ("MEASURE_BOX", "MEASURE") if n in os.environ]
    done = subprocess.run([*measure, *words], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed")
    wall, cpu, rss = map(float, done.stdout.split())
    return wall, cpu, rss / 1024


def medians(commands, runs):
    """commands: {name: words}. {name: (wall ms, processor ms, MiB)}, each the median of runs."""
    samples = {name: [] for name in commands}
    for _ in range(runs):
        for name, words in commands.items():
            samples[name].append(once(words))
    return {n: tuple(statistics.median(v) for v in zip(*s)) for n, s in samples.items()}
