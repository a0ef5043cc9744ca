# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Source ports of real queue pairs under the stock drivers and libmlx5: the rule, the change by
# adp_modify_qp_udp_sport(), each of its gates, and what `adp qp` sees from outside.
. "$TOP/tests/hca/guest.sh"
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# pair TYPE GID_INDEX STATE: a queue pair of its own process, $qpn.
pair()
{
    local line
    coproc PAIR { exec "$SPORT" mlx5_0 "$@" 2>&1; }
    pair_process=$PAIR_PID
    IFS= read -r -t 20 line <&"${PAIR[0]}" || line='no answer'
    qpn=${line#qpn }
    like "$line" '^qpn 0x' "a queue pair: $*"
}
# ask LINE: to that process; $reply.
ask()
{
    printf '%s\n' "$*" >&"${PAIR[1]}"
    IFS= read -r -t 20 reply <&"${PAIR[0]}" || reply='no answer'
}
end_pair()
{
    local input=${PAIR[1]}
    exec {input}>&-
    wait "$pair_process" || echo "# the process of that queue pair ended with $?"
}
# refused ERRNO TEXT NAME: the last reply is this errno with this in its sentence, and the device's
# queue pair has the port that it had.
refused()
{
    is "${reply%% *}" "$1" "$3: errno $1"
    has "$reply" "$2" "$3: $2"
    is "$(held)" "$before" "$3: the device holds the same port"
}
# The port that the device's queue pair holds.
held()
{
    hca qps | grep "^qp $qpn " | grep -o ' udp_sport [0-9]*' | cut -d ' ' -f 3
}
# What the tool computes from the two numbers, which are the same: the peer is the pair itself.
computed()
{
    "$ADP" -j flow sport lqpn "$1" rqpn "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["udp_sport"])'
}

one_function_up
is "$(cat $port/gid_attrs/types/2) $(cat $port/gid_attrs/types/3)" 'IB/RoCE v1 RoCE v2' 'both kinds of GID'

# The rule, and the change.
pair rc 3 rts
before=$(held)
is "$before" "$(computed "$qpn")" 'the driver gave it the port that the tool computes'
ask query
has "$reply" "0 state 3 remembered 3 udp_sport $before source 1 timeout 14 retry" 'adp_query_qp() reads it from the context'
has "$reply" 'peer 192.0.2.1' 'and the peer'
ask set 50123
is "$reply" '0 ' 'adp_modify_qp_udp_sport()'
is "$(held)" 50123 'the device holds the new port'
ask query
has "$reply" 'udp_sport 50123 source 1' 'adp_query_qp() says so'
hca qp "$qpn" cur_retry_count 3
hca qp "$qpn" last_acked_psn 16
hca qp "$qpn" next_send_psn 20

# From outside, by RES_QP_GET_RAW.
run "$ADP" -j qp show mlx5_0 lqpn "$qpn"
exits 0 'adp qp show'
json 'len(d) == 1 and (d[0]["udp_sport"], d[0]["sport_source"]) == (50123, "qpc")' 'the port, from the context'
json '[d[0][k] for k in ("timeout_code", "timeout_ns", "retry_cnt", "retry_left", "rnr_retry", "min_rnr_timer")] == [14, 67108864, 7, 3, 6, 12]' \
    'the budgets and what is left of them'
json '[d[0][k] for k in ("last_acked_psn", "next_send_psn", "outstanding", "timer_armed", "timer_psn")] == [16, 20, 3, 1, 17]' \
    'what is outstanding'
json "(d[0]['pid'], d[0]['comm'], d[0]['type'], d[0]['qp_state'], d[0]['path']) == ($pair_process, 'hca-sport', 'RC', 'RTS', 'netlink')" 'its owner'
json 'd[0]["rqpn"] == d[0]["lqpn"] and (d[0]["local_addr"], d[0]["peer_addr"]) == ("192.0.2.1", "192.0.2.1")' 'its two ends'
json 'not any(v is None and not d[0].get(k + "_reason") for k, v in d[0].items())' 'no null without its reason'
run "$ADP" retry explain qp "mlx5_0/$qpn"
exits 0 'adp retry explain qp'
has "$out" '3 of 7 retries left' 'the budget as it is'
run "$ADP" -j qp show mlx5_0
json 'sum(q["pid"] == '"$pair_process"' for q in d) == 1 and any(q["type"] == "GSI" and q["pid"] == 0 for q in d)' \
    'own queue pairs and those of the kernel'
json 'all(v is not None or q.get(k + "_reason") for q in d for k, v in q.items())' 'no null without its reason'
run "${nobody[@]}" "$ADP" -j qp show mlx5_0 lqpn "$qpn"
exits 0 'adp qp show without CAP_NET_ADMIN'
json "d[0]['sport_source'] == 'assumed' and d[0]['udp_sport'] == $before" 'the rule alone: it cannot know of the change'
json 'd[0]["retry_left"] is None and "CAP_NET_ADMIN" in d[0]["context_reason"]' 'and says why not more'
hca fault op=0x805,reg=0xc000,status=3
run "$ADP" -j qp show mlx5_0 lqpn "$qpn"
exits 0 'a device that refuses the dump'
json "d[0]['sport_source'] == 'assumed' and d[0]['udp_sport'] == $before and 'RES_QP_GET_RAW' in d[0]['context_reason']" 'the rule, and why not more'
hca clear

# The gates, one by one; nothing is changed by a refusal.
before=50123
ask set 0
refused 22 'source port 0' 'port 0'
ask set 49151
refused 22 'below 49152' 'a port below the range'
hca general.rts2rts_qp_udp_sport = 0
ask set 50200
refused 95 'rts2rts_qp_udp_sport is 0' 'a device that cannot'
hca general.rts2rts_qp_udp_sport = 1
hca roce.r_roce_min_src_udp_port = 50100
ask set 50000
refused 22 'outside of what the device announces, 50100 to' "a port outside of the device's range"
ask force 50000
is "$reply $(held)" '0  50000' 'unless it is forced'
hca roce.r_roce_min_src_udp_port = 49152
ask force 1024
is "$reply $(held)" '0  1024' 'forced, any port goes to the device'
ask set 50123
hca fault op=0x505,status=3,syndrome=0x1234,count=1
ask set 50300
refused "${reply%% *}" 'mlx5dv_modify_qp_udp_sport()' 'a refusal of the firmware'
like "$reply" '^(22|121) ' 'with its errno'
hca clear
ask err
is "$reply" 0 'the queue pair goes to ERR behind the back of libibverbs'
ask set 50400
is "${reply%% *}" 22 'an error state is refused'
has "$reply" 'state is ERR' 'and named'
end_pair

pair rc 2 rts
before=$(held)
ask set 50123
refused 95 'GID index 2 is of type IB/RoCE v1' 'RoCE v1'
end_pair

pair ud 3 rts
before=$(held)
ask set 50123
refused 95 'type UD' 'datagrams'
run "$ADP" -j qp show mlx5_0 lqpn "$qpn"
json 'd[0]["udp_sport"] is None and d[0]["udp_sport_reason"] and d[0]["retry_cnt"] is None' 'no port of its own, no budget'
end_pair

pair uc 3 rts
ask set 50123
is "$reply $(held)" '0  50123' 'unreliable connected: as the reliable ones'
run "$ADP" -j qp show mlx5_0 lqpn "$qpn"
json '(d[0]["udp_sport"], d[0]["type"], d[0]["retry_cnt"]) == (50123, "UC", None) and "not acknowledged" in d[0]["retry_cnt_reason"]' \
    'a port, no budget'
end_pair

pair rc 3 init
before=$(held)
ask set 50123
refused 22 'state is INIT and must be RTS' 'not connected'
run "$ADP" -j qp show mlx5_0 lqpn "$qpn"
json 'd[0]["udp_sport"] is None and d[0]["udp_sport_reason"] and d[0]["qp_state"] == "INIT"' 'no port yet'
# By raw DEVX commands, as UCX, NVSHMEM and DOCA do.
ask rtr
is "$reply" 0 'INIT2RTR by DEVX'
ask rts
is "$reply" 0 'RTR2RTS by DEVX'
ask bare 50124
is "$reply" 95 'libmlx5 refuses: it remembers INIT'
ask set 50124
is "$reply $(held)" '0  50124' 'adp_modify_qp_udp_sport() renews what is remembered'
end_pair

# A counter set of its own: what the queue pair counts there is not in its port's counters.
# of_port NAME: what the kernel says of port 1, by netlink.
of_port()
{
    "$ADP" -j statistic show mlx5_0/1 | python3 -c '
import json, sys
print(*[c["value"] for c in json.load(sys.stdin)[0]["counters"] if c["name"] == sys.argv[1]])' "$1"
}
# set_held: the counter set that the device's queue pair is in.
set_held()
{
    hca qps | grep "^qp $qpn " | grep -o ' counter_set_id [0-9]*' | cut -d ' ' -f 3
}
pair rc 3 rts
default_set=$(set_held)
at_first=$(of_port local_ack_timeout_err)
ask create
like "$reply" '^0 set [0-9]+$' 'a counter set by DEVX'
set_id=${reply##* }
is "$([ "$set_id" != "$default_set" ] && echo another)" another "not the port's"
ask counted
is "$reply" '0 timeouts 0 exceeded 0 sequence 0' 'it begins at 0'
ask query
as_it_was=$reply
ask into
is "$reply $(set_held)" "0  $set_id" 'the queue pair moves there'
ask query
is "$reply" "$as_it_was" 'and is what it was'
ask back
is "$reply $(set_held)" "0  $default_set" 'and back to the set that it had'
ask back
is "${reply%% *}" 2 'once'
ask into
hca work_fault "$qpn" 0x15 0x81 1
ask send
is "$reply" 'transport retry counter exceeded' 'an empty message is given up after all its retries'
ask counted
is "$reply" '0 timeouts 8 exceeded 1 sequence 0' 'counted in the own set: eight time-outs, one end'
ask counted
is "$reply" '0 timeouts 8 exceeded 1 sequence 0' 'a reading clears nothing'
is "$(of_port local_ack_timeout_err)" "$at_first" 'and not in the port, as the manual warns'
is "$(statistic 1 local_ack_timeout_err)" "$at_first" 'rdma statistic says the same'
ask back
is "${reply%% *}" 22 'a queue pair in error is not moved'
has "$reply" 'state is ERR' 'and that is said'
ask destroy
is "$reply" '0 ' 'the set is given back'
hca sets | grep -qw "set $set_id" && gone=no || gone=yes
is "$gone" yes 'the device has it no more'
end_pair

pair rc 3 rts
hca work_fault "$qpn" 0x15 0x81 1
ask send
is "$(of_port local_ack_timeout_err)" $((at_first + 8)) "without a set of its own it counts in the port"
hca fault op=0x771,status=8,syndrome=0x77,count=1
ask create
is "${reply%% *}" 121 'a device without a set to spare'
has "$reply" 'ALLOC_Q_COUNTER: status 0x08' 'says so'
hca general.rts2rts_qp_counters_set_id = 0
ask create
is "${reply%% *}" 95 'a device that cannot move it'
has "$reply" 'rts2rts_qp_counters_set_id is 0' 'is named by its capability'
hca general.rts2rts_qp_counters_set_id = 1
end_pair

# A kernel that has no resource dump of this device.
run unload_drivers
hca debug.resource_dump = 0
load_drivers
ip addr replace 192.0.2.1/24 dev "$netdev"
ip link set "$netdev" up
run wait_for 10 link_is_active
pair rc 3 rts
run "$ADP" -j qp show mlx5_0 lqpn "$qpn"
exits 0 'a device without a resource dump'
json "d[0]['sport_source'] == 'assumed' and d[0]['udp_sport'] == $(held) and d[0]['context_reason']" 'the rule, and the reason'
end_pair
run "$ADP" qp show mlx5_0 lqpn "$qpn"
exits 2 'a queue pair that is gone'

run unload_drivers
exits 0 'the drivers unload'
is "$(hca unknown)" '' 'the drivers use no command that the device does not know'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
