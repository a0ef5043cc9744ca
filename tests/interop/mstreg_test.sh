#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# adp and the real mstreg (Debian sid) on one device: after a write by either both show the same 16
# dwords; the mstreg path of adp writes just the asked fields.
EMU_AS_ROOT=1
. "$(dirname "$0")/../emukernel/lib.sh"
table=$EMUKERNEL_SOURCE/tests/fixtures/roce_accl

mstreg_dir=$(mstreg_here 2>"$emu_err") || skip_all "no mstreg of Debian sid: $(tail -1 "$emu_err")"
PATH=$mstreg_dir:$PATH

# adp_dwords: what adp shows, in the raw table's form.
adp_dwords()
{
    emu "$ADP" -j "$@" | tr ',' '\n' | grep -oE '"0x[0-9a-f]{8}"' | head -16 | tr -d '"' |
        awk '{ printf "0x%08x | %s\n", 4 * (NR - 1), $0 }'
}

agree() # NAME DEVICE-OF-MSTREG: both show the same 16 dwords
{
    emu mstreg -d "$2" --reg_id 0x402c --reg_len 0x40 --get >"$emu_out" 2>"$emu_err"
    diff <(dwords "$emu_out") <(adp_dwords accl show mlx5_0 | dwords) >"$emu_work/diff" &&
        [ "$(dwords "$emu_out" | wc -l)" -eq 16 ]
    result $? "$1"
}

fresh_root
agree "before any write" fwctl0
expect_exit 0 mstreg -d fwctl0 --reg_id 0x402c --reg_len 0x40 --yes --set "$(cat "$table/set-raw.txt")"
agree "after the documented raw set by mstreg" fwctl0
expect_exit 0 "$ADP" accl set mlx5_0 roce_tx_window_en 1 ack_dscp 26
agree "after a set by adp" fwctl0
expect_exit 0 mstreg -d fwctl0 --reg_name ROCE_ACCL --yes --set roce_slow_restart_en=0
agree "after a named set by mstreg" fwctl0

fresh_root
expect_exit 0 "$ADP" -y profile set mlx5_0 file "$table/set-raw.txt"
expect_register "$table/raw-set-preview.txt"
agree "after the documented raw set by adp" fwctl0
fresh_root
expect_exit 0 "$ADP" -y profile set mlx5_0 file "$table/set-named.txt"
expect_register "$table/raw-set-preview.txt"
agree "after the documented named set by adp" fwctl0

# What adp encodes for mstreg does the same.
fresh_root
command=$(emu "$ADP" profile encode "$table/set-named.txt" mstreg)
set=$(sed -n 's/.*--set "\([^"]*\)".*/\1/p' <<<"$command")
expect_exit 0 mstreg -d fwctl0 --reg_id 0x402c --reg_len 0x40 --yes --set "$set"
expect_register "$table/raw-set-preview.txt"
command=$(emu "$ADP" profile encode "$table/set-named.txt" mlxreg)
set=$(sed -n 's/.*--set "\{0,1\}\([^" ]*\).*/\1/p' <<<"$command")
fresh_root
expect_exit 0 mstreg -d fwctl0 --reg_name ROCE_ACCL --yes --set "$set"
expect_register "$table/raw-set-preview.txt"

# And what a dry run prints.
fresh_root
line=$(emu "$ADP" -n accl set mlx5_0 roce_tx_window_en 1 | grep mstreg)
set=$(sed -n 's/.*--set "\([^"]*\)".*/\1/p' <<<"$line")
expect_exit 0 mstreg -d fwctl0 --reg_id 0x402c --reg_len 0x40 --yes --set "$set"
expect_exit 0 "$ADP" -j accl show mlx5_0
expect_out '"0x1800065f","0x00000007"'

# What mstreg prints is decoded.
emu mstreg -d fwctl0 --reg_name ROCE_ACCL --get >"$emu_work/named" 2>/dev/null
expect_exit 0 "$ADP" -j profile decode "$emu_work/named"
expect_out '"format":"named"'
expect_out '"roce_tx_window_en":1'
emu mstreg -d fwctl0 --reg_id 0x402c --reg_len 0x40 --get >"$emu_work/raw" 2>/dev/null
expect_exit 0 "$ADP" -j profile decode "$emu_work/raw"
expect_out '"format":"raw"'

# The mstreg path: no fwctl, so that mstreg goes through configuration space.
export EMUKERNEL_NO_FWCTL=1
fresh_root
expect_exit 0 "$ADP" -j --via mstreg accl show mlx5_0
expect_out '"path":"mstreg"'
expect_out '"0x1800065f","0x00000005","0x41000fa0"'
expect_exit 0 "$ADP" --via mstreg accl set mlx5_0 roce_tx_window_en 1
agree "after a set by way of mstreg" 0000:1a:00.0
expect_exit 0 "$ADP" -y --via mstreg profile set mlx5_0 file "$table/set-named.txt"
expect_exit 0 "$ADP" --via mstreg accl set mlx5_0 roce_tx_window_en 0
expect_register "$table/raw-set-preview.txt"
EMUKERNEL_FAULT='reg=0x402c,rw=w,status=3,syndrome=0x1234' \
    expect_exit 2 "$ADP" -j --via mstreg accl set mlx5_0 roce_tx_window_en 1
expect_register "$table/raw-set-preview.txt"

# Only the asked field's select bit: with another field's old value in the request nothing else moves.
expect_exit 0 "$ADP" -n --via mstreg accl set mlx5_0 roce_tx_window_en 1
expect_out 'mstreg -d 0000:1a:00.0 --reg_id 0x402c --reg_len 0x40 --set "0x0.0:32=0x00000002,0x4.0:32='

# Never a write by mstreg where there is an fwctl node.
unset EMUKERNEL_NO_FWCTL
fresh_root
expect_exit 2 "$ADP" -j --via mstreg accl set mlx5_0 roce_tx_window_en 1
expect_err 'taint'
expect_register "$table/raw-before.txt"
finish
