#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# kernel_test.sh PATTERN: in the guest, on whichever kernel, whose release is to match: the device
# list, a source port and a black hole. The long tests are for the kernel that they know.
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/wire.sh"
: "${ADP:?the tool}"

like "$(uname -r)" "$1" "the kernel is $(uname -r)"
wire_up || skip_all "no rxe devices"
run "$ADP" -j dev
json '[(x["dev"], x["netdev"]) for x in d] == [("rxe0", "va"), ("rxe1", "vb")]' "its devices"

wire_record "$tap_dir/wire"
probe_open skew=4 timeout=14 retry=2 && probe_write 10
wire_stop
is "$written $wc_status" "10 0" "ten writes from queue pair $lqpn to $rqpn"
port=$("$ADP" flow sport lqpn "$lqpn" rqpn "$rqpn" | sed -n 's/^UDP source port *\([0-9]*\).*/\1/p')
is "$(wire_flows "$tap_dir/wire" | cut -d ' ' -f 1,2)" "rxe1 $port"$'\n'"rxe0 $port" \
    "source port $port both ways, as the tool says"
wire_drop rxe1
probe_write 1
is "$wc_status" 12 "a black hole ends with retries exceeded"
is "$(wire_dropped rxe1)" 3 "after three transmissions with retry_cnt 2"
probe_close
done_testing
