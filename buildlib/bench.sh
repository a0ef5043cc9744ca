#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# bench.sh BUILD: runs the benchmarks one after another and shows what they print. They print
# ratios of two things measured in one run; no time is asserted anywhere.
set -euo pipefail
dir=$1
count=$(meson introspect --benchmarks "$dir" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')
[ "$count" -gt 0 ] || {
    echo "bench: there is no benchmark in $dir" >&2
    exit 1
}
meson test -C "$dir" --no-rebuild --benchmark --verbose --num-processes 1
