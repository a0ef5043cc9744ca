#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The race of tests/interop/concurrency_test.sh twice: eight processes, each changing its own field, by
# bare mstreg and by adp over mstreg, on the emulated kernel without fwctl. How many updates are lost?
. "$(dirname "$0")/../emukernel/lib.sh"
mstreg_dir=$(mstreg_here) || exit 77
PATH=$mstreg_dir:$PATH
export EMUKERNEL_NO_FWCTL=1
bits=(0:1 1:1 2:1 3:1 4:1 6:1 10:6 24:3) # of dword 4: the lowest, and how many
names=(roce_adp_retrans_en roce_tx_window_en roce_slow_restart_en roce_slow_restart_idle_en
    min_ack_timeout_limit_disabled selective_repeat_forced_en ack_dscp cc_burst_size)
writes=${WRITES:-20}

# worker NUMBER: after each write, is the field what was written?
bare()
{
    local i shown
    for ((i = 0; i < writes; i++)); do
        emu mstreg -d 0000:1a:00.0 --reg_id 0x402c --reg_len 0x40 --yes --set "0x4.${bits[$1]}=$((i % 2))" \
            >/dev/null 2>&1 || echo failed
        shown=$(register | sed -n 's/^0x00000004 | //p')
        [ $(((shown >> ${bits[$1]%:*}) & 1)) -eq $((i % 2)) ] || echo lost
    done
}
with_adp()
{
    emu "$WRITER" mstreg mlx5_0 "${names[$1]}" "$writes" >/dev/null || echo lost
}
for kind in bare with_adp; do
    fresh_root
    # mstreg writes every field back, the profile too; only a valid one is taken.
    emu "$ADP" -y --via mstreg profile set mlx5_0 file \
        "$EMUKERNEL_SOURCE/tests/fixtures/roce_accl/set-named.txt" >/dev/null 2>&1
    start=$(date +%s%N)
    for i in "${!bits[@]}"; do $kind "$i" & done >"$emu_work/losses"
    wait
    ms=$((($(date +%s%N) - start) / 1000000))
    echo "$kind: ${#bits[@]} processes x $writes writes: $(grep -c lost "$emu_work/losses") lost, $(grep -c failed "$emu_work/losses") failed, $ms ms"
done
