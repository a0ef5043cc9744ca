# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The function of an embedded CPU: representors of its host's functions, which come and go.
. "$TOP/tests/hca/guest.sh"
load_drivers
run eswitch switchdev
exits 0 'switchdev mode'
is "$(ls $ibdev/ports | wc -l)" 7 'ports: host PF, four possible VFs, ECPF, uplink'
is "$(statistic 1 vport_packet_seq_err)" 100 'host PF'
is "$(statistic 2 vport_packet_seq_err)" 111 'host VF 0'
is "$(statistic 3 vport_packet_seq_err)" 222 'host VF 1'
is "$(statistic 7 vport_packet_seq_err)" 0 'uplink: not measured'
representors() { cat /sys/class/net/eth*/phys_port_name 2>/dev/null | sort | paste -sd ' '; }
is "$(representors)" 'c1pf0 c1pf0vf0 c1pf0vf1 p0' 'their network devices'
same_functions 'each port is the function that devlink lists' 4
mount -t tmpfs none /sys/class/net
same_functions 'without the names of netdevs: by devlink, with the controller' 4
umount /sys/class/net
hca host.vfs = 0
gone() { [ "$(representors)" = 'c1pf0 p0' ]; }
run wait_for 10 gone
exits 0 'representors go with the VFs of the host'
hca host.vfs = 3
hca v@3.packet_seq_err = 333
came() { [ "$(representors)" = 'c1pf0 c1pf0vf0 c1pf0vf1 c1pf0vf2 p0' ]; }
run wait_for 10 came
exits 0 'and come with them'
is "$(statistic 4 vport_packet_seq_err)" 333 'host VF 2'
same_functions 'those that came too' 5
run eswitch legacy
exits 0 'legacy mode'
run unload_drivers
exits 0 'the drivers unload'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
