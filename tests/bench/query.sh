#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What one query through the library costs: time over the emulated fwctl device beside the simulated
# one, and the system calls of a query. These are counted from outside the process (emukernel-run), so
# that only the library's own are seen.
. "$(dirname "$0")/../emukernel/lib.sh"
fresh_root
emu "$QUERY" mlx5_0 2000
"$QUERY" sim0 2000
if ! command -v strace >/dev/null; then
    echo "system calls: not counted, strace is not installed" >&2
    exit 0
fi
count() # QUERIES: system calls between the markers
{
    "$EMUKERNEL_RUN" strace -f -o "$emu_work/trace" "$QUERY" mlx5_0 "$1" >/dev/null 2>&1
    sed -n '/write(9, "begin"/,/write(9, "end"/p' "$emu_work/trace" | grep -cv 'write(9'
}
one=$(count 1) many=$(count 101)
echo "system calls after open: $one for the first query, $(((many - one) / 100)) for each further one"
sed -n '/write(9, "begin"/,/write(9, "end"/p' "$emu_work/trace" | grep -v 'write(9' | head -3
