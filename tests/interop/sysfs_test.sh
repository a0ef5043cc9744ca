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
ADP_SYSFS_ROOT=/nonexistent plain_exit 1 "$ADP" dev
expect_err 'ADP_SYSFS_ROOT: /nonexistent: No such file'

# What adp report took along of sysfs is a tree again, on another machine: the same devices, the same
# counters; no GUID, no address and no name of the machine.
fresh_root
EMUKERNEL_NETLINK=0 expect_exit 0 "$ADP" -j statistic
cp "$emu_out" "$emu_work/here.json"
expect_exit 0 "$ADP" report all file "$emu_work/report.json"
! grep -E 'node_guid|sys_image_guid|gids|node_desc' "$emu_work/report.json" >"$emu_out"
result $? "nothing in it that names the machine"
plain_exit 0 "$ADP" -n report unpack "$emu_work/report.json" "$emu_work/tree"
[ ! -e "$emu_work/tree" ]
result $? "-n writes nothing"
plain_exit 0 "$ADP" report unpack "$emu_work/report.json" "$emu_work/tree"
ADP_SYSFS_ROOT=$emu_work/tree plain_exit 0 "$ADP" -j statistic
python3 - "$emu_work/here.json" "$emu_out" <<'END' >"$emu_work/differ" 2>&1
import json, sys

def values(path):
    return {(e["dev"], e["port"]): {c["name"]: c["value"] for c in e["counters"]}
            for e in json.load(open(path))}
here, there = map(values, sys.argv[1:])
assert len(here) == 2 and here == there, (here, there)
END
result $? "the same counters from the tree: $(cat "$emu_work/differ")"
ADP_SYSFS_ROOT=$emu_work/tree plain_exit 0 "$ADP" -j dev show mlx5_0
expect_out '"driver":"mlx5_core"'
expect_out '0000:1a:00.0'
plain_exit 1 "$ADP" report unpack "$emu_work/report.json" "$emu_work/tree"
expect_err 'there is something in it'

# A report from a stranger: refused before anything is written.
refused() # NAME JSON MESSAGE
{
    printf '%s' "$2" >"$emu_work/bad.json"
    plain_exit 1 "$ADP" report unpack "$emu_work/bad.json" "$emu_work/bad"
    expect_err "$3"
    [ ! -e "$emu_work/bad" ] && [ ! -e "$emu_work/stray" ]
    result $? "$1: nothing is written"
}
device() { printf '{"devices": [{"dev": "mlx5_0", "driver": "%s", "functions": ["%s"], "sysfs": {"%s": %s}}]}' "$@"; }
own=class/infiniband/mlx5_0
refused "a path that climbs" "$(device a b $own/../../../../stray '"x"')" 'a path that no capture has'
refused "an absolute path" "$(device a b "$emu_work/stray" '"x"')" 'a path that no capture has'
refused "another device's path" "$(device a b class/infiniband/mlx5_1/fw_ver '"x"')" 'a path that no capture has'
refused "an empty part" "$(device a b $own//fw_ver '"x"')" 'a path that no capture has'
refused "a text of 5000 bytes" "$(device a b $own/fw_ver "\"$(printf '%5000s' x)\"")" 'not the text of an attribute'
refused "a number for a text" "$(device a b $own/fw_ver 7)" 'not the text of an attribute'
refused "a driver that climbs" "$(device ../../x 0000:1a:00.0 $own/fw_ver '"x"')" 'a strange name'
refused "a function that climbs" "$(device a .. $own/fw_ver '"x"')" 'a strange name'
refused "no tree" '[{"devices": [{"dev": "mlx5_0"}]}]' 'no device in it has a tree'
refused "no report" '[3]' 'no list of devices'
refused "no JSON" 'adp' 'not JSON'
finish
