#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Several processes set a field each, again and again: no update is lost. The writers stay in one
# process for all their writes (writer), as an application would.
EMU_AS_ROOT=1
. "$(dirname "$0")/../emukernel/lib.sh"

fields=(roce_adp_retrans_en roce_tx_window_en roce_slow_restart_en roce_slow_restart_idle_en
    min_ack_timeout_limit_disabled selective_repeat_forced_en ack_dscp cc_burst_size)

# race VIA WRITES: 8 processes; each checks after each of its writes that its field is what it wrote.
race()
{
    local via=$1 writes=$2 pids=() failed=0 i
    for i in "${!fields[@]}"; do
        emu "$WRITER" "$via" mlx5_0 "${fields[$i]}" "$writes" >"$emu_work/race.$i" 2>&1 &
        pids+=($!)
    done
    for i in "${!pids[@]}"; do
        wait "${pids[$i]}" || failed=1
    done
    cat "$emu_work"/race.* >"$emu_out"
    result $failed "8 processes x $writes writes by $via: no update lost"
}

fresh_root
race fwctl 1000
fresh_root
race devx 1000

# Simulated devices in one file.
pids=() failed=0
for i in "${!fields[@]}"; do
    "$WRITER" sim "$emu_work/sim.json" "${fields[$i]}" 1000 >"$emu_work/race.$i" 2>&1 &
    pids+=($!)
done
for i in "${!pids[@]}"; do wait "${pids[$i]}" || failed=1; done
cat "$emu_work"/race.* >"$emu_out"
result $failed "8 processes x 1000 writes by sim: no update lost"

if mstreg_dir=$(mstreg_here 2>"$emu_err"); then
    PATH=$mstreg_dir:$PATH
    export EMUKERNEL_NO_FWCTL=1
    fresh_root
    race mstreg 20
else
    skip 1 "no mstreg of Debian sid: $(tail -1 "$emu_err")"
fi
finish
