#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The emulated kernel under the distribution's own tools: what they show is what they would show.
. "$(dirname "$0")/lib.sh"

fresh_root
if command -v ibv_devices >/dev/null; then
    expect_exit 0 ibv_devices
    expect_out 'mlx5_0 +.*b83fd20300fa4e00'
    expect_out 'mlx5_1 +.*b83fd20300fa4e10'
    expect_exit 0 ibv_devinfo -v
    expect_out 'fw_ver:[[:space:]]+28\.47\.1026'
    expect_out 'vendor_part_id:[[:space:]]+4129'
    expect_out 'link_layer:[[:space:]]+Ethernet'
    expect_out 'GID\[ +1\]:[[:space:]]+::ffff:10\.0\.0\.1'
    EMUKERNEL_NETLINK=0 expect_exit 0 ibv_devices
    expect_out 'mlx5_1 '
    EMUKERNEL_ABI='write' expect_exit 0 ibv_devinfo
    expect_out 'hca_id:[[:space:]]+mlx5_1'
    boxed_exit 0 ibv_devinfo
    expect_out 'hca_id:[[:space:]]+mlx5_1'
    EMUKERNEL_RXE=1 expect_exit 0 ibv_devices
    expect_out 'rxe0 '
    fresh_root bond
    expect_exit 0 ibv_devices
    expect_out 'mlx5_bond_0 '
    refuse_out 'mlx5_0 '
else
    skip 19 "no ibv_devices (package ibverbs-utils)"
fi

if command -v rdma >/dev/null; then
    fresh_root
    expect_exit 0 rdma dev
    expect_out 'mlx5_0: node_type ca fw 28\.47\.1026'
    expect_out 'mlx5_1: node_type ca fw 28\.47\.1026'
    expect_exit 0 rdma link
    expect_out 'link mlx5_0/1 .*state ACTIVE .*netdev eth0'
    expect_out 'link mlx5_1/1 .*netdev eth1'
    expect_exit 0 rdma link show mlx5_1/1
    refuse_out 'mlx5_0'
    expect_exit 0 rdma statistic
    expect_out 'link mlx5_0/1 .*roce_adp_retrans 11 roce_adp_retrans_to 2'
    expect_exit 0 rdma system
    expect_out 'netns shared'
    fresh_root bond
    expect_exit 0 rdma link
    expect_out 'link mlx5_bond_0/1 .*netdev bond0'
    EMUKERNEL_RXE=1 expect_exit 0 rdma link
    expect_out 'link rxe0/1 .*netdev veth0'
else
    skip 16 "no rdma (package iproute2)"
fi

# The tree by plain tools. A mixture of this machine's devices and the emulated ones would be neither.
fresh_root
expect_exit 0 ls /sys/class/net
[ "$(tr '\n' ' ' <"$emu_out")" = "eth0 eth1 lo " ]
result $? "the network devices are the emulated ones alone"
expect_exit 0 ls /sys/bus/pci/devices
[ "$(tr '\n' ' ' <"$emu_out")" = "0000:1a:00.0 0000:1b:00.0 " ]
result $? "the PCI devices are the emulated ones alone"
expect_exit 0 ls /dev/infiniband /dev/fwctl
expect_out '^uverbs1$'
expect_out '^fwctl1$'
expect_exit 0 readlink -f /sys/class/fwctl/fwctl1/device
expect_out '^/sys/devices/pci0000:00/0000:1b:00\.0$'
expect_exit 0 readlink -f /sys/class/infiniband/mlx5_0/device/driver
expect_out '^/sys/bus/pci/drivers/mlx5_core$'
expect_exit 0 stat -c '%F %a %t:%T' /dev/fwctl/fwctl1
expect_out '^character special file 600 1fc:1$'
expect_exit 0 bash -c 'cd /dev/infiniband && stat -c "%F %t:%T" uverbs1'
expect_out '^character special file e7:c1$'
expect_exit 0 bash -c 'cd /sys/class/infiniband && cat mlx5_0/ports/1/gid_attrs/ndevs/0'
expect_out '^eth0$'
EMUKERNEL_LOCKDOWN='none [integrity] confidentiality' expect_exit 0 cat /sys/kernel/security/lockdown
expect_out 'none \[integrity\] confidentiality'
EMUKERNEL_NO_FWCTL=1 expect_exit 2 ls /sys/class/fwctl
EMUKERNEL_NO_UVERBS=1 expect_exit 2 ls /dev/infiniband
expect_exit 0 ls /dev/infiniband
EMUKERNEL_OPEN_ERRNO=fwctl=13 expect_exit 1 cat /dev/fwctl/fwctl0
expect_err 'Permission denied'
expect_exit 1 cat /dev/fwctl/fwctl0
expect_err "Invalid argument"
EMUKERNEL_OPEN_ERRNO=fwctl=13 expect_exit 1 test -w /dev/fwctl/fwctl0
EMUKERNEL_FAULT='op=0x805,nonsense=1' expect_exit 125 ls /dev/fwctl
expect_err 'EMUKERNEL_FAULT'

fresh_root bond
expect_exit 0 cat /sys/class/net/bond0/bonding/slaves
expect_out '^eth0 eth1$'
expect_exit 0 readlink -f /sys/class/net/bond0/lower_eth1/device /sys/class/net/eth0/master
expect_out '^/sys/devices/pci0000:00/0000:1a:00\.1$'
expect_out '^/sys/devices/virtual/net/bond0$'
expect_exit 0 cat /sys/class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0
expect_out '^bond0$'
expect_exit 2 ls /sys/bus/pci/devices/0000:1a:00.1/infiniband

fresh_root
export EMUKERNEL_KIND=0000:1a:00.0=switchdev,0000:1b:00.0=sf
expect_exit 0 readlink -f /sys/class/infiniband/mlx5_1/device
expect_out '/0000:1b:00\.0/mlx5_core\.sf\.4$'
expect_exit 0 cat /sys/class/net/eth0/phys_port_name
expect_out '^p0$'
expect_exit 0 ls /dev/fwctl
refuse_out fwctl1
fresh_root
export EMUKERNEL_KIND=0000:1b:00.0=vf
expect_exit 0 readlink -f /sys/class/infiniband/mlx5_1/device/physfn
expect_out '/0000:1a:00\.0$'
expect_exit 0 cat /sys/bus/pci/devices/0000:1a:00.0/sriov_numvfs
expect_out '^1$'
unset EMUKERNEL_KIND

# A root of its own for a command that names none, gone when it ends.
before=$(ls -d /tmp/emukernel-* 2>/dev/null | wc -l)
EMUKERNEL_ROOT='' expect_exit 0 ls /dev/fwctl
expect_out '^fwctl0$'
[ "$(ls -d /tmp/emukernel-* 2>/dev/null | wc -l)" -le "$before" ]
result $? "a private root is removed"

# From outside, a static program; by an ordinary user as well, who may not open the node.
if [ -n "${PLAIN_READER:-}" ]; then
    fresh_root
    boxed_exit 0 "$PLAIN_READER"
    diff <(dwords "$EMUKERNEL_SOURCE/tests/fixtures/roce_accl/raw-before.txt") <(dwords "$emu_out")
    result $? "a static program reads the vendor's register"
    expect_calls 1 'node=fwctl0 call=rpc op=0x805 reg=0x402c rw=r scope=1'
    EMUKERNEL_FAULT='op=0x805,gone=1' boxed_exit 2 "$PLAIN_READER"
    expect_err 'No such device'
    boxed_exit 2 "$PLAIN_READER"
    expect_err 'No such file'
    boxed_exit 0 "$PLAIN_READER" /dev/fwctl/fwctl1
else
    skip 8 "no static libc"
fi

fresh_root
"$EMUKERNEL_TREE" "$emu_work/tree" >"$emu_out" 2>"$emu_err" && [ -e "$emu_work/tree/sys/class/infiniband/mlx5_0/device/vendor" ]
result $? "emukernel-tree writes a tree"

finish
