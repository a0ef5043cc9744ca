# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# A PF with two delegated functions in switchdev mode: their representors have counters.
. "$TOP/tests/hca/guest.sh"
load_drivers
run eswitch switchdev
exits 0 'switchdev mode'
is "$(ls $ibdev/ports | wc -l)" 4 'ports: PF, uplink, two functions'
is "$(statistic 3 vport_packet_seq_err)" 4000 'first adjacent function'
is "$(statistic 4 vport_packet_seq_err)" 4001 'second one'
is "$(statistic 2 vport_packet_seq_err)" 0 'uplink: not measured'
same_functions 'each port is the function that devlink lists' 3
run eswitch legacy
exits 0 'legacy mode'
run unload_drivers
exits 0 'the drivers unload'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
