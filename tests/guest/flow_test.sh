#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# In the guest: the source ports that a real kernel puts on the wire are the ones that the tool says.
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/wire.sh"
: "${ADP:?the tool}"

# say WORD...: the UDP source port that the tool answers.
sport()
{
    "$ADP" flow sport "$@" | sed -n 's/^UDP source port *\([0-9]*\).*/\1/p'
}

# observe KEY=VALUE...: ten writes by a new pair of queue pairs; what was on the wire is in $seen,
# as "TO PORT" lines.
observe()
{
    wire_record "$tap_dir/wire"
    probe_open "$@" && probe_write 10 && probe_close
    wire_stop
    seen=$(wire_flows "$tap_dir/wire" | cut -d ' ' -f 1,2)
    is "$written $wc_status" "10 0" "ten transfers ($*)"
}

wire_up || skip_all "no rxe devices"

for skew in 0 5 37; do
    observe skew=$skew
    port=$(sport lqpn "$lqpn" rqpn "$rqpn")
    is "$seen" "rxe1 $port"$'\n'"rxe0 $port" "queue pairs $lqpn and $rqpn: $port both ways"
    # The other end has the same two numbers the other way round.
    is "$(sport lqpn "$rqpn" rqpn "$lqpn")" "$port" "the tool's answer is symmetric"
done

# Of the capture that is there now: the filter that the tool prints catches all.
filter=$("$ADP" flow filter | head -n 1)
is "$(tcpdump -nn -r "$tap_dir/wire.fa" "$filter" 2>/dev/null | wc -l)" 10 \
    "the printed capture filter catches all that went out"

# A label of the application's own wins over the queue pairs' numbers.
observe skew=3 label=0x12345
is "$seen" "rxe1 58177"$'\n'"rxe0 58177" "label 0x12345: 58177"
is "$(sport label 0x12345)" 58177 "as the tool says"

# What a plan promises is what is on the wire.
run "$ADP" flow plan paths 4 qps 4
exits 0 "a plan for four queue pairs on four paths"
plan=$(sed -n 's/^[0-9]\+ \+[0-9]\+ \+\([0-9]\+\) \+\(0x[0-9a-f]\+\).*/\1 \2/p' <<<"$out")
is "$(wc -l <<<"$plan")" 4 "it has four lines"
while read -r -u 6 port label; do
    observe label="$label"
    is "$seen" "rxe1 $port"$'\n'"rxe0 $port" "planned label $label: $port both ways"
done 6<<<"$plan"

# Datagrams have the hash of their own number from the first to the last.
observe type=ud skew=2
port=$(cut -d ' ' -f 2 <<<"$seen")
run "$ADP" flow find "$port"
like "$out" "rxe: .*own QPN $(printf '0x%x' "$lqpn") " \
    "datagrams of queue pair $lqpn: $port, which the tool finds as rxe's"
done_testing
