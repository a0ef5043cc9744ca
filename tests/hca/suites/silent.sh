# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Firmware that never answers, in real time: the kernel gives up after 65 s, and adp says so.
. "$TOP/tests/hca/guest.sh"
load_drivers
hca fault op=0xb0c,delay_ms=100000,count=1
run timeout 100 "$ADP" --via devx accl show mlx5_0
exits 2 'firmware that never answers'
has "$err" '0000:01:00.0 devx: query register 0x402c: no answer yet' 'it says what it waits for'
like "$err" 'mlx5_0: .*(imed out|did not answer)' 'and how that ended'
run "$ADP" -j dev show mlx5_0
exits 0 'the device is still there'
done_testing
