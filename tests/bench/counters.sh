#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What reading counters costs, on a device with eight ports of 47 counters: `adp statistic show` beside
# `rdma statistic show` on the emulated kernel, which both carry in their process (`true` shows what
# that alone costs); a reading through the library beside the whole process; a round of `adp statistic
# watch`, by netlink and from a captured tree, beside a scrape by Debian's prometheus-node-exporter
# with only its infiniband collector over the same tree. System calls of a reading: on the guest's
# kernel, tests/guest/counter_test.sh.
. "$(dirname "$0")/../emukernel/lib.sh"
set -eu
runs=${RUNS:-15}
fresh_root
EMUKERNEL_COUNTERS=$emu_work/machine.json
export EMUKERNEL_COUNTERS
"$ADP" -j --sim statistic show sim0 | python3 -c '
import json, sys
names = [c["name"] for c in json.load(sys.stdin)[0]["counters"]][:46]
port = {"counters": {n: 1000 + i for i, n in enumerate(names)}}
json.dump({"mlx5_0": {"ports": {str(p): port for p in range(1, 9)}}}, sys.stdout)' >"$EMUKERNEL_COUNTERS"
mkdir "$emu_work/machine"
"$EMUKERNEL_TREE" "$emu_work/machine"
tree=$emu_work/machine/sys
ports=$(ls "$tree/class/infiniband/mlx5_0/ports" | wc -l)
counters=$(ls "$tree/class/infiniband/mlx5_0/ports/1/hw_counters" | wc -l)
echo "$ports ports, $counters counters each"

measured() { MEASURE_PRELOAD=$(emu_preload "$1") "$MEASURE" "$@"; }

for _ in $(seq "$runs"); do
    echo "adp $(measured "$ADP" statistic show mlx5_0)"
    echo "rdma $(measured rdma statistic show link mlx5_0)"
    echo "true $(measured true)"
done >"$emu_work/samples"
one=$(emu "$COUNTERS" mlx5_0 1000)
python3 - "$emu_work/samples" "$one" <<'END'
import statistics, sys

samples = {}
for line in open(sys.argv[1]):
    name, *numbers = line.split()
    samples.setdefault(name, []).append([float(n) for n in numbers])
middle = {n: [statistics.median(v) for v in zip(*s)] for n, s in samples.items()}
print("statistic show   wall ms   cpu ms   memory MiB")
for name, (wall, cpu, rss) in middle.items():
    print(f"{name:14} {wall:9.1f} {cpu:8.1f} {rss / 1024:12.1f}")
adp, rdma, base = (middle[n][1] for n in ("adp", "rdma", "true"))
us = float(sys.argv[2])
print(f"adp / rdma, processor time: {adp / rdma:.2f}; without `true`: {(adp - base) / (rdma - base):.2f}")
print(f"a reading of a port through the library: {us:.1f} us, 1/{adp * 1e3 / us:.0f} of that process")
END

# watch_ms WORD...: processor time of a round: what a long watch takes beyond a short one.
watch_ms()
{
    local short long
    short=$(MEASURE_PRELOAD=${preload:-} "$MEASURE" "$@" count 1 | cut -d ' ' -f 2)
    long=$(MEASURE_PRELOAD=${preload:-} "$MEASURE" "$@" count 201 | cut -d ' ' -f 2)
    awk -v s="$short" -v l="$long" 'BEGIN { printf "%.3f", (l - s) / 200 }'
}
netlink=$(preload=$(emu_preload "$ADP") watch_ms "$ADP" -j statistic watch mlx5_0 interval 10ms)
captured=$(ADP_SYSFS_ROOT=$tree watch_ms "$ADP" -j statistic watch mlx5_0 interval 10ms)
echo "watch, a round of the $ports ports: $netlink ms of processor time by netlink, $captured ms from the tree"

exporter=$("$EMUKERNEL_SOURCE/buildlib/fetch-suite.sh" --only prometheus-node-exporter bookworm \
    prometheus-node-exporter) || exit 0
address=127.0.0.1:$((20000 + RANDOM % 10000))
"$exporter/usr/bin/prometheus-node-exporter" --collector.disable-defaults --collector.infiniband \
    --path.sysfs="$tree" --web.listen-address="$address" --web.disable-exporter-metrics \
    >"$emu_work/exporter" 2>&1 &
exporter=$!
trap 'kill $exporter' EXIT
curl -s --retry 20 --retry-connrefused --retry-delay 1 -o "$emu_work/metrics" "http://$address/metrics"
ticks() { awk '{ print $14 + $15 }' "/proc/$exporter/stat"; }
before=$(ticks)
for _ in $(seq 200); do curl -s -o "$emu_work/metrics" "http://$address/metrics"; done
after=$(ticks)
awk -v n="$netlink" -v c="$captured" -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" \
    -v values="$(grep -c '^node_infiniband' "$emu_work/metrics")" 'BEGIN {
    scrape = t / hz * 1e3 / 200
    printf "node_exporter: %.3f ms a scrape of %d values; adp 1/%.1f by netlink, 1/%.1f from the tree\n",
        scrape, values, scrape / n, scrape / c
}'
