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

# While they run: the tool's list of queue pairs, whose ports on rxe follow from the numbers.
wire_record "$tap_dir/listed"
probe_open skew=11 && probe_write 10
run "$ADP" -j qp show rxe0 lqpn "$lqpn"
exits 0 "adp qp show"
listed=$out
run "$ADP" -j qp show
exits 0 "of all devices"
json "sorted((q['dev'], q['lqpn']) for q in d if q['type'] == 'RC' and $lqpn in (q['lqpn'], q['rqpn'])) == [('rxe0', $lqpn), ('rxe1', $rqpn)]" "both ends are there"
json "all(q[k] is not None or q[k + '_reason'] for q in d for k in q)" "no null without its reason"
out=$listed
json "(d[0]['rqpn'], d[0]['type'], d[0]['qp_state'], d[0]['comm'], d[0]['path']) == ($rqpn, 'RC', 'RTS', 'rc-probe', 'netlink')" "what the kernel lists"
json "d[0]['sport_source'] == 'assumed' and d[0]['retry_left'] is None and 'mlx5' in d[0]['context_reason']" "no context, and why"
probe_close
wire_stop
is "$(wire_flows "$tap_dir/listed" | cut -d ' ' -f 1,2)" \
    "$(for to in rxe1 rxe0; do echo "$to $(python3 -c 'import json, sys; print(json.loads(sys.argv[1])[0]["udp_sport"])' "$listed")"; done)" \
    "the port that it lists is on the wire, both ways"
run "$ADP" -j qp show rxe0 lqpn "$lqpn"
exits 2 "a queue pair that is gone"

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
