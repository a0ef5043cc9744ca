#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Which access path serves, with what scope, in how many commands, and what is said when none does.
. "$(dirname "$0")/../emukernel/lib.sh"
table=$EMUKERNEL_SOURCE/tests/fixtures/roce_accl
sample=$table/set-named.txt

# fwctl: the first choice. Reads at scope 1, writes at scope 0: the kernel is not tainted.
fresh_root
expect_exit 0 "$ADP" -j accl show mlx5_0
expect_out '"path":"fwctl"'
expect_calls 1 'node=fwctl0 call=rpc op=0x805 reg=0x402c rw=r scope=1'
expect_calls 0 'node=uverbs'
forget_calls
expect_exit 0 "$ADP" accl set mlx5_0 roce_tx_window_en 1
expect_calls 1 'call=rpc op=0x805 reg=0x402c rw=w scope=0'
expect_calls 3 'call=rpc'
forget_calls
expect_exit 0 "$ADP" -y profile set mlx5_0 file "$sample"
expect_calls 4 'call=rpc'
forget_calls
expect_exit 0 "$ADP" profile set mlx5_0 time_base 8
expect_calls 3 'call=rpc'
expect_untainted
forget_calls
expect_exit 0 "$ADP" -n accl set mlx5_0 roce_tx_window_en 0
expect_calls 0 'rw=w'

# The vendor's sample ends in the vendor's dwords, on each path.
for via in fwctl devx; do
    fresh_root
    expect_exit 0 "$ADP" -y --via $via profile set mlx5_0 file "$sample"
    expect_exit 0 "$ADP" -j --via $via accl show mlx5_0
    expect_out "\"path\":\"$via\""
    expect_register "$table/raw-set-preview.txt" 0000:1a:00.0
    expect_register "$table/raw-before.txt" 0000:1b:00.0
    expect_untainted
done

# DEVX: opcode 0xB0C, and its use is said not to be verified.
fresh_root
expect_exit 0 "$ADP" --via devx accl show mlx5_0
expect_err 'DEVX for this register is not verified on hardware'
expect_calls 1 'op=0xb0c'
expect_calls 0 'op=0x805'

# Without fwctl: DEVX; also when the kernel wants write() or has no netlink.
export EMUKERNEL_NO_FWCTL=1
fresh_root
expect_exit 0 "$ADP" -j accl show mlx5_0
expect_out '"path":"devx"'
EMUKERNEL_ABI='write' expect_exit 0 "$ADP" accl show mlx5_0
EMUKERNEL_NETLINK=0 expect_exit 0 "$ADP" accl show mlx5_0

# The firmware does not serve the register by DEVX: not its last word, but there is nothing else.
EMUKERNEL_FAULT='op=0xb0c,status=2,syndrome=0x77' expect_exit 2 "$ADP" accl show mlx5_0
expect_err 'fwctl: .*; devx: .*status 0x0?2.*; mstreg: '
unset EMUKERNEL_NO_FWCTL

# None at all: every path, its reason, its remedy.
export EMUKERNEL_NO_FWCTL=1 EMUKERNEL_NO_UVERBS=1
fresh_root
expect_exit 2 "$ADP" accl show mlx5_0
expect_err 'no access path works; fwctl: .*; devx: .*; mstreg: '
expect_err 'install mstflint'
expect_exit 0 "$ADP" -j -d dev show mlx5_0 # it tells what is the case: that is no failure
expect_out '"access":\[\{"path":"fwctl","usable":0,"reason":"'
unset EMUKERNEL_NO_FWCTL EMUKERNEL_NO_UVERBS

# A chosen path is the only one.
EMUKERNEL_NO_FWCTL=1 expect_exit 2 "$ADP" --via fwctl accl show mlx5_0
expect_err 'fwctl'
expect_exit 1 "$ADP" --via sim accl show '../mlx5_0'

# Nodes that may not be opened.
fresh_root
EMUKERNEL_OPEN_ERRNO=fwctl=13 expect_exit 0 "$ADP" -j accl show mlx5_0
expect_out '"path":"devx"'
EMUKERNEL_OPEN_ERRNO=13 expect_exit 2 "$ADP" accl show mlx5_0
expect_err 'fwctl: .*Permission denied'
expect_err 'devx: .*Permission denied'
EMUKERNEL_OPEN_ERRNO=1 expect_exit 2 "$ADP" accl show mlx5_0
expect_err 'Operation not permitted'

# All devices at once, a bond by its two functions, a device without registers among them.
fresh_root
EMUKERNEL_RXE=1 expect_exit 0 "$ADP" -j accl
expect_out '"dev":"rxe0","path":null'
EMUKERNEL_RXE=1 expect_exit 2 "$ADP" accl show rxe0
EMUKERNEL_RXE=1 expect_exit 0 "$ADP" dev
expect_out '^rxe0/1: driver -'
fresh_root bond
expect_exit 0 "$ADP" dev
expect_exit 0 "$ADP" -y profile set all file "$sample"
expect_register "$table/raw-set-preview.txt" 0000:1a:00.0
expect_register "$table/raw-set-preview.txt" 0000:1a:00.1

# By PCI address, by netdev, by pattern.
fresh_root
expect_exit 0 "$ADP" accl show 1b:00.0
expect_exit 0 "$ADP" accl show eth1
expect_out '^mlx5_1 '
expect_exit 0 "$ADP" accl show 'mlx5_*'
expect_exit 2 "$ADP" accl show mlx5_9
expect_err 'there are: mlx5_0, mlx5_1'

# A report from here replays as a simulated device.
expect_exit 0 "$ADP" report mlx5_0 file "$emu_work/report.json"
expect_exit 0 "$ADP" "--sim=$emu_work/report.json" accl show mlx5_0
expect_out 'roce_slow_restart_en +1'

# From outside the process, no preload: the installed command needs nothing of the interposer.
fresh_root
boxed_exit 0 "$ADP" -j accl show mlx5_0
expect_out '"path":"(fwctl|devx)"'
finish
