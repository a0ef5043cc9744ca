#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# In the guest: a real kernel's own sysfs and netlink, without a device and with two of rxe.
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/wire.sh"
: "${ADP:?the tool}"

like "$(cat /proc/cmdline)" 'console=ttyS0' "this is the guest"
is "$(id -u)" 0 "as root"
run sh -c 'touch "$1" && rm "$1"' sh "$(dirname "$ADP")/made-in-the-guest"
exits 0 "it can write into the build folder (that stays in its memory)"

run "$ADP" dev
exits 0 "no device: that is no error"
has "$err" "no RDMA devices" "and it is said"
run "$ADP" accl show
is "$out" "" "and there is no register to show"

run wire_up
exits 0 "two rxe devices on a wire"
run "$ADP" -j dev
exits 0 "both are listed"
json '[x["dev"] for x in d] == ["rxe0", "rxe1"]' "by name"
json '[x["netdev"] for x in d] == ["va", "vb"]' "with their netdevs"
json 'all(x["pci"] is None and x["simulated"] == 0 for x in d)' "no PCI function, not simulated"
run "$ADP" -j -d dev
json 'all("no PCI function" in x["adp"]["adp_reason"] for x in d)' "with -d: why they have no register"
run "$ADP" accl show rxe0
exits 2 "the register of an rxe device"
has "$err" "rxe0" "the error names the device"
run "$ADP" -y profile enable rxe1
exits 2 "adaptive retransmission cannot be turned on"
has "$err" "no PCI function" "and why is said"
run "$ADP" -j dev show rxe1
json 'len(d) == 1 and d[0]["dev"] == "rxe1"' "one device by its name"
run "$ADP" dev show rxe2
exits 2 "one that is not there"

ip link set vb down
ip link set vb name renamed
ip link set renamed up
run "$ADP" -j dev show rxe1
json 'd[0]["netdev"] == "renamed"' "a netdev renamed is found again"
rdma dev set rxe0 name other0
run "$ADP" -j dev
json '[x["dev"] for x in d] == ["other0", "rxe1"]' "a device renamed is found again"
rdma link delete rxe1
run "$ADP" -j dev
json '[x["dev"] for x in d] == ["other0"]' "a device that went is gone"
done_testing
