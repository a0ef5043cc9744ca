# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# An SR-IOV PF in switchdev mode and one of its virtual functions with a driver of its own, in the
# same guest: what a queue pair of the VF loses shows in the PF's vport_ counters.
. "$TOP/tests/hca/guest.sh"
pf=/sys/bus/pci/devices/0000:01:00.0
vf=/sys/bus/pci/devices/0000:01:01.0

# A dword of the VF's configuration space.
set_config()
{
    python3 -c 'import sys; sys.stdout.buffer.write(int(sys.argv[1], 16).to_bytes(4, "little"))' "$2" |
        dd of=$vf/config bs=4 seek=$(($1 / 4)) conv=notrunc status=none
}

load_drivers
echo 0 >$pf/sriov_drivers_autoprobe
echo 1 >$pf/sriov_numvfs
run eswitch switchdev
exits 0 'switchdev mode'
# The kernel gives the VF an address inside the PF's VF BAR; QEMU decodes the VF by its own.
address=$(sed -n '1s/ .*//p' $vf/resource)
address=${address#0x}
set_config 16 "${address:8:7}c"
set_config 20 "${address:0:8}"
echo 1 >$pf/sriov_drivers_autoprobe
run sh -c 'echo 0000:01:01.0 >/sys/bus/pci/drivers/mlx5_core/bind'
exits 0 'the driver takes the virtual function'
run wait_for 20 test -d /sys/class/infiniband/mlx5_1
exits 0 'its RDMA device'
netdev=$(ls /sys/class/infiniband/mlx5_1/device/net | head -n 1)
ip link set "$netdev" up
run "$ADP" -j -d dev show mlx5_1
exits 0 'adp dev show'
json 'd[0]["function"] == "vf"' 'says that it is one'
run wait_for 10 sh -c 'rdma link | grep -q "mlx5_1/1 .*state ACTIVE"'
exits 0 'its port is active'
before=$(statistic 2 vport_local_ack_timeout_err)
is "$before" 0 "nothing is lost yet"
hca function 1
ibdev_name=mlx5_1 start_queue_pair 1
hca work_fault 0 0x15 0x81
end_queue_pair
has "$out" 'status 12 vendor 0x81' 'a queue pair of the VF runs out of retries'
sleep 0.05
is "$(cat /sys/class/infiniband/mlx5_1/ports/1/hw_counters/local_ack_timeout_err)" 8 "the VF's own counter"
is "$(statistic 2 vport_local_ack_timeout_err)" 8 "and the PF's vport_ counter of it"
is "$(statistic 3 vport_local_ack_timeout_err)" 0 'not that of another'
sleep 0.05
is "$(cat $ibdev/hw_counters/local_ack_timeout_err)" 0 "not the PF's own"
echo 0000:01:01.0 >/sys/bus/pci/drivers/mlx5_core/unbind
eswitch legacy
echo 0 >$pf/sriov_numvfs
run unload_drivers
exits 0 'the drivers unload'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
