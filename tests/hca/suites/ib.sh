# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# One InfiniBand function: no network device, LIDs, and no RoCE. The register is the same.
. "$TOP/tests/hca/guest.sh"
load_drivers
run wait_for 10 link_is_active
exits 0 'the port is active'
is "$(cat $port/link_layer)" InfiniBand 'link layer'
is "$((16#$(sed 's/0x//' $port/lid)))" 7 'its LID'
is "$(ls $ibdev/device/net 2>/dev/null)" '' 'no network device'
run "$ADP" -j -d dev show mlx5_0
exits 0 'adp dev show'
json 'd[0]["port_type"] == "infiniband"' 'says InfiniBand'
run "$ADP" -j --via devx accl show mlx5_0
json 'd[0]["raw"][0] == "0x1800065f"' 'the register by DEVX'
hca q.local_ack_timeout_err = 7
is "$(statistic 1 local_ack_timeout_err)" 7 'a counter'
start_queue_pair 1
hca work_fault "$qpn" 0x16 0x87
end_queue_pair
is "$(head -n 1 <<<"$out")" 'status 13 vendor 0x87' 'RNR retries exceeded'
is "$(statistic 1 rnr_nak_retry_err)" 7 'and counted'
run unload_drivers
exits 0 'the drivers unload'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
