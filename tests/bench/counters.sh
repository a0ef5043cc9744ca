#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What reading counters costs, on an emulated machine with eight mlx5 ports:
#   `adp statistic show` beside `rdma statistic show`; both carry the emulated kernel in their process,
#   and `true` shows what that alone costs
#   a reading through the library beside the whole process
#   a round of `adp statistic watch`, by netlink and from sysfs, beside a scrape by Debian's
#   prometheus-node-exporter with only its infiniband collector
. "$(dirname "$0")/../emukernel/lib.sh"
set -eu
runs=${RUNS:-15}

# A port as ConnectX has it: 47 files, 25 counters of the driver's own with "lifespan", and 21 of
# performance management, which alone the exporter of Debian 12 reads.
"$ADP" -j statistic describe >"$emu_work/names"
python3 - "$emu_work" <<'END'
import json, sys

devices = [{"ibdev": f"sim{i}", "pci": f"0000:{0x1a + i:02x}:00.0", "netdev": f"ens{i}f0np0"}
           for i in range(8)]
with open(f"{sys.argv[1]}/state.json", "w") as f:
    json.dump({"format": "adp-sim-state", "version": 1, "devices": devices}, f)
known = json.load(open(f"{sys.argv[1]}/names"))
own = [c["name"] for c in known if c["driver"] == "mlx5" and c["family"] == "hw"][:25]
management = [c["name"] for c in known if c["family"] == "pma" and "_total" not in c["name"]]
port = {"counters": {n: i for i, n in enumerate(own)}, "pma": {n: "7" for n in management}}
with open(f"{sys.argv[1]}/machine.json", "w") as f:
    json.dump({f"mlx5_{i}": {"ports": {"1": port}} for i in range(8)}, f)
print(f"8 ports with {len(own)} counters of the driver and {len(management)} of management each")
END
fresh_root "$emu_work/state.json"
EMUKERNEL_COUNTERS=$emu_work/machine.json
export EMUKERNEL_COUNTERS
touch -d '1 minute ago' "$EMUKERNEL_COUNTERS" # a file as new as this one is read anew each time
mkdir "$emu_work/machine"
"$EMUKERNEL_TREE" "$emu_work/machine"
tree=$emu_work/machine/sys

MEASURE_PRELOAD=$(emu_preload "$ADP")
export MEASURE_PRELOAD
one=$(emu "$READ_COUNTERS" mlx5_0 1000)
PYTHONPATH=$(dirname "$0") python3 -B - "$ADP" "$runs" "$one" <<'END'
import sys

import beside

adp, runs = sys.argv[1], int(sys.argv[2])
middle = beside.medians({"adp": [adp, "statistic", "show"], "rdma": ["rdma", "statistic", "show"],
                         "true": ["true"]}, runs)
print("statistic show   wall ms   cpu ms   memory MiB")
for name, (wall, cpu, rss) in middle.items():
    print(f"{name:14} {wall:9.1f} {cpu:8.1f} {rss:12.1f}")
adp, rdma, base = (middle[n][1] for n in ("adp", "rdma", "true"))
us = float(sys.argv[3])
print(f"adp / rdma, processor time: {adp / rdma:.2f}; without true: {(adp - base) / (rdma - base):.2f}")
print(f"a reading of a port through the library: {us:.1f} us, 1/{adp * 1e3 / us:.0f} of that process")
END

# watch_ms: processor time of a round: what a long watch takes beyond a short one.
watch_ms()
{
    local short long
    short=$("$MEASURE" "$ADP" statistic watch interval 10ms count 1 | cut -d ' ' -f 2)
    long=$("$MEASURE" "$ADP" statistic watch interval 10ms count 301 | cut -d ' ' -f 2)
    awk -v s="$short" -v l="$long" 'BEGIN { printf "%.3f", (l - s) / 300 }'
}
# The same messages by iproute2: a round of a long batch, the emulated kernel's share in it as well.
batch_ms()
{
    local short long
    echo 'statistic show' >"$emu_work/short"
    for _ in $(seq 301); do echo 'statistic show'; done >"$emu_work/long"
    short=$("$MEASURE" rdma -b "$emu_work/short" | cut -d ' ' -f 2)
    long=$("$MEASURE" rdma -b "$emu_work/long" | cut -d ' ' -f 2)
    awk -v s="$short" -v l="$long" 'BEGIN { printf "%.3f", (l - s) / 300 }'
}
netlink=$(watch_ms)
echo "a round of rdma statistic show in a batch: $(batch_ms) ms of processor time"
captured=$(MEASURE_PRELOAD='' ADP_SYSFS_ROOT=$tree watch_ms)
echo "a round of adp statistic watch: $netlink ms of processor time by netlink, $captured ms from sysfs"

exporter=$("$EMUKERNEL_SOURCE/buildlib/fetch-suite.sh" --only prometheus-node-exporter bookworm \
    prometheus-node-exporter) || exit 0
address=127.0.0.1:$((20000 + RANDOM % 10000))
"$exporter/usr/bin/prometheus-node-exporter" --collector.disable-defaults --collector.infiniband \
    --path.sysfs="$tree" --web.listen-address="$address" --web.disable-exporter-metrics \
    >"$emu_work/exporter" 2>&1 &
exporter=$!
trap 'kill $exporter; rm -rf "$emu_work"' EXIT
scrape() { curl -s --retry 20 --retry-connrefused --retry-delay 1 -o "$emu_work/metrics" "http://$address/metrics"; }
ticks() { awk '{ print $14 + $15 }' "/proc/$exporter/stat"; }
scrape
before=$(ticks)
for _ in $(seq 200); do scrape; done
after=$(ticks)
awk -v n="$netlink" -v c="$captured" -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" \
    -v values="$(grep -c '^node_infiniband' "$emu_work/metrics")" 'BEGIN {
    one = t / hz * 1e3 / 200
    printf "a scrape by node_exporter: %.3f ms for %d values; adp 1/%.1f by netlink, 1/%.1f from sysfs\n",
        one, values, one / n, one / c
}'
