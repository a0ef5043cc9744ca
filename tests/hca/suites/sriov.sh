# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# An SR-IOV PF in switchdev mode: vport_ counters of its virtual functions, and what becomes of them.
. "$TOP/tests/hca/guest.sh"
pf=/sys/bus/pci/devices/0000:01:00.0
load_drivers
is "$(cat $pf/sriov_totalvfs)" 4 'virtual functions are offered'
echo 0 >$pf/sriov_drivers_autoprobe
run sh -c "echo 2 >$pf/sriov_numvfs"
exits 0 'two virtual functions'
is "$(ls $ibdev/ports | wc -l)" 1 'legacy mode: one port'
run eswitch switchdev
exits 0 'switchdev mode'
is "$(ls $ibdev/ports | wc -l)" 6 'ports: PF, four possible virtual functions, uplink'
run "$ADP" -j -d dev show mlx5_0
json 'd[0]["switchdev"] == 1 and d[0]["function"] == "pf"' 'adp says switchdev'
if [ "$KERNEL_NAME" = bookworm ]; then
    # Kernel 6.1 has no vport_ counters: device-level ones only.
    run sh -c "ls -d $ibdev/ports/*/hw_counters"
    is "$out" '' 'kernel 6.1: no port has hw_counters'
    run rdma statistic show link mlx5_0/2
    fails 'and netlink has none'
else
    is "$(cat $ibdev/ports/2/hw_counters/vport_packet_seq_err)" 111 'VF 0, in sysfs'
    is "$(cat $ibdev/ports/3/hw_counters/vport_packet_seq_err)" 222 'VF 1, in sysfs'
    is "$(statistic 3 vport_local_ack_timeout_err)" 1002 'VF 1, by netlink'
    is "$(statistic 6 vport_packet_seq_err)" 0 'uplink: not measured'
    same_functions 'each port is the function that devlink lists' 3
    mount -t tmpfs none /sys/class/net
    same_functions 'without the names of netdevs: by devlink' 3
    umount /sys/class/net
    hca v@1.packet_seq_err = 4294967295
    sleep 0.05
    is "$(statistic 2 vport_packet_seq_err)" 4294967295 '32 bits'
    hca vport.refuse = 1
    sleep 0.05
    run rdma statistic show link mlx5_0/2
    has "$err" 'Invalid argument' 'a vport that the firmware refuses'
    hca vport.accept = 1
    run sh -c "echo 0 >$pf/sriov_numvfs"
    exits 0 'virtual functions gone'
    is "$(ls $ibdev/ports | wc -l)" 6 'their ports stay'
    hca v@2.packet_seq_err = 5
    sleep 0.05
    is "$(statistic 3 vport_packet_seq_err)" 222 'and show the last value that was read'
    run sh -c "echo 2 >$pf/sriov_numvfs"
    exits 0 'virtual functions come again'
    sleep 0.05
    is "$(statistic 3 vport_packet_seq_err)" 5 'with their values'
fi
is "$(cat $ibdev/hw_counters/packet_seq_err)" 0 'the counters of the device keep their names'
run eswitch legacy
exits 0 'legacy mode'
if [ "$KERNEL_NAME" != bookworm ]; then
    for bit in q_counter_other_vport q_counter_aggregation; do
        hca general.$bit = 0
        devlink dev reload pci/0000:01:00.0 >/dev/null
        echo 2 >$pf/sriov_numvfs
        run eswitch switchdev
        exits 0 "switchdev mode without $bit"
        run sh -c "ls -d $ibdev/ports/*/hw_counters"
        is "$out" '' 'no port has counters'
        run rdma statistic show link mlx5_0/2
        has "$err" 'Invalid argument' 'nor has netlink'
        eswitch legacy
        echo 0 >$pf/sriov_numvfs
        hca general.$bit = 1
    done
fi
echo 0 >$pf/sriov_numvfs
run unload_drivers
exits 0 'the drivers unload'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
