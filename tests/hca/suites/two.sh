# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Two functions, RoCE and InfiniBand: each has its own register and counters.
. "$TOP/tests/hca/guest.sh"
load_drivers
wait_for 20 test -d /sys/class/infiniband/mlx5_1
is "$(cat /sys/class/infiniband/mlx5_0/ports/1/link_layer) $(cat /sys/class/infiniband/mlx5_1/ports/1/link_layer)" \
    'Ethernet InfiniBand' 'two devices'
run "$ADP" -j dev
exits 0 'adp dev'
json '[x["dev"] for x in d] == ["mlx5_0", "mlx5_1"]' 'lists both'
run "$ADP" -y --via devx profile set mlx5_1 file "$TOP/tests/fixtures/roce_accl/set-named.txt"
exits 0 'a profile for the second'
is "$(hca reg 0x402c | cut -c 1-17)" '1800065f 00000005' 'the first is untouched'
hca function 1
is "$(hca reg 0x402c)" "$(printed_register "$TOP/tests/fixtures/roce_accl/raw-set-preview.txt")" 'the second has it'
hca q.packet_seq_err = 9
sleep 0.05
is "$(cat /sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err) $(cat /sys/class/infiniband/mlx5_1/ports/1/hw_counters/packet_seq_err)" \
    '0 9' 'counters of one function'
run unload_drivers
exits 0 'the drivers unload'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
