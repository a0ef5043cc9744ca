#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The device list from a captured tree (ADP_SYSFS_ROOT): no node is opened there.
. "$(dirname "$0")/../emukernel/lib.sh"
fresh_root
"$EMUKERNEL_TREE" "$EMUKERNEL_ROOT" >"$emu_out" 2>"$emu_err"
result $? "a tree is written"
export ADP_SYSFS_ROOT=$EMUKERNEL_ROOT/sys
plain_exit()
{
    local wanted=$1 status=0
    shift
    "$@" >"$emu_out" 2>"$emu_err" || status=$?
    [ "$status" -eq "$wanted" ]
    result $? "${*:2}: exit $wanted (was $status)"
}
plain_exit 0 "$ADP" -j dev
expect_out '"dev":"mlx5_0"'
expect_out '"driver":"mlx5_core"'
plain_exit 0 "$ADP" dev show mlx5_1
plain_exit 2 "$ADP" accl show mlx5_0
expect_err 'ADP_SYSFS_ROOT'
unset ADP_SYSFS_ROOT
ADP_SYSFS_ROOT=/nonexistent plain_exit 0 "$ADP" dev
expect_err 'no RDMA devices'
finish
