#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The real mstreg (Debian sid: 4.33 or later) on the emulated kernel, by both ways that it has: fwctl
# (it opens /dev/fwctl/NAME when the device is called fwctlN) and the gateway in configuration space
# (for a PCI address). The vendor's documented commands must do what its document shows.
EMU_AS_ROOT=1
. "$(dirname "$0")/lib.sh"
table=$EMUKERNEL_SOURCE/tests/fixtures/roce_accl

mstreg_dir=$(mstreg_here 2>"$emu_err") || skip_all "no mstreg of Debian sid: $(tail -1 "$emu_err")"
PATH=$mstreg_dir:$PATH
expect_exit 0 mstreg --version
expect_out 'mstflint (4\.3[3-9]|4\.[4-9][0-9]|[5-9])'

same_dwords() # FILE NAME: the last command printed the register as FILE has it
{
    diff <(dwords "$1") <(dwords "$emu_out") >"$emu_work/diff" && [ -n "$(dwords "$emu_out")" ]
    result $? "$2"
}

# Rows "name | 0x1" of a named table, spelled alike.
rows() { sed -n 's/^\([A-Za-z0-9_]\{1,\}\)[[:space:]]*|[[:space:]]*\(0x[0-9a-f]*\).*/\L\1 \2/p' "$1" | sort; }

same_rows() # FILE NAME: every row that mstreg knows has the document's value, and it knows most
{
    rows "$emu_out" >"$emu_work/rows"
    [ "$(wc -l <"$emu_work/rows")" -ge 50 ] && [ -z "$(comm -23 "$emu_work/rows" <(rows "$1"))" ]
    result $? "$2"
}

for device in fwctl0 0000:1a:00.0; do
    raw=(-d "$device" --reg_id 0x402c --reg_len 0x40)
    named=(-d "$device" --reg_name ROCE_ACCL)
    case $device in
    fwctl*) unset EMUKERNEL_NO_FWCTL ;;
    *) export EMUKERNEL_NO_FWCTL=1 ;;
    esac

    fresh_root
    expect_exit 0 mstreg "${raw[@]}" --get
    same_dwords "$table/raw-before.txt" "$device: raw --get shows the vendor's dump"
    expect_exit 0 mstreg "${named[@]}" --get
    same_rows "$table/named-before.txt" "$device: named --get shows the vendor's dump"
    expect_exit 0 mstreg "${raw[@]}" --yes --set "$(cat "$table/set-raw.txt")"
    expect_register "$table/raw-set-preview.txt"
    expect_exit 0 mstreg "${raw[@]}" --get
    same_dwords "$table/raw-set-preview.txt" "$device: and mstreg shows it"

    fresh_root
    expect_exit 0 mstreg "${named[@]}" --yes --set "$(cat "$table/set-named.txt")"
    expect_register "$table/raw-set-preview.txt"
    expect_exit 0 mstreg "${named[@]}" --get
    same_rows "$table/named-after.txt" "$device: named --get shows the vendor's dump afterwards"

    # Another function has not changed.
    expect_register "$table/raw-before.txt" 0000:1b:00.0

    fresh_root
    EMUKERNEL_FAULT='reg=0x402c,rw=w,status=3,syndrome=0x1234' \
        expect_exit 1 mstreg "${raw[@]}" --yes --set 0x4.0:1=0
    expect_register "$table/raw-before.txt"
done

# What the kernel sees of it: every access of mstreg over fwctl asks for the full scope, reads as well
# (up to 4.33), and taints the kernel. libadp's do not.
unset EMUKERNEL_NO_FWCTL
fresh_root
expect_exit 0 mstreg -d fwctl0 --reg_id 0x402c --reg_len 0x40 --get
expect_calls 1 'node=fwctl0 call=rpc op=0x805 reg=0x9020 rw=r'
expect_calls 1 'node=fwctl0 call=rpc op=0x805 reg=0x402c rw=r'
expect_exit 0 mstreg -d fwctl0 --reg_id 0x402c --reg_len 0x40 --yes --set "$(cat "$table/set-raw.txt")"
expect_tainted

# Lockdown closes configuration space and leaves fwctl.
export EMUKERNEL_LOCKDOWN='none [integrity] confidentiality'
fresh_root
expect_exit 1 mstreg -d 0000:1a:00.0 --reg_id 0x402c --reg_len 0x40 --get
expect_exit 0 mstreg -d fwctl0 --reg_id 0x402c --reg_len 0x40 --get
unset EMUKERNEL_LOCKDOWN

# Two functions at a time, and several processes on the same gateway: its semaphore keeps them apart.
export EMUKERNEL_NO_FWCTL=1
fresh_root
failed=0
pids=()
for i in 1 2 3 4; do
    pci=0000:1a:00.0
    [ "$i" -lt 4 ] || pci=0000:1b:00.0
    (for _ in 1 2 3; do
        emu mstreg -d $pci --reg_id 0x402c --reg_len 0x40 --get
    done) >"$emu_work/par.$i" 2>&1 &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
for i in 1 2 3 4; do
    [ "$(grep -c '0x1800065f' "$emu_work/par.$i")" -eq 3 ] || failed=1
done
cat "$emu_work"/par.* >"$emu_out"
result $failed "several mstreg at a time"

finish
