#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Queue pairs of another process: by RDMA netlink, with their contexts and without.
. "$(dirname "$0")/../emukernel/lib.sh"
[ -n "${QP_HOLDER:-}" ] || skip_all "no libibverbs to make queue pairs with"

odd_name='we"ird\name'
# hold N: a process with N connected queue pairs and one that is not; their numbers in $qpns.
hold()
{
    mkfifo "$emu_work/hold.$1"
    # A name that JSON cannot have as it is.
    cp "$QP_HOLDER" "$emu_work/$odd_name"
    LD_PRELOAD=$(emu_preload "$QP_HOLDER") "$emu_work/$odd_name" "$1" <"$emu_work/hold.$1" \
        >"$emu_work/qpns" 2>"$emu_err" &
    holder=$!
    exec 7>"$emu_work/hold.$1"
    local i
    for ((i = 0; i < 200; i++)); do
        [ "$(wc -l <"$emu_work/qpns")" -le "$1" ] || break
        sleep 0.1
    done
    mapfile -t qpns <"$emu_work/qpns"
    [ ${#qpns[@]} -eq $(($1 + 1)) ]
    result $? "$1 queue pairs and one are held"
}
release()
{
    exec 7>&-
    wait "$holder"
    result $? "the holder ended well"
}
# gid_address INDEX: the IPv4 address in this GID of mlx5_0.
gid_address()
{
    python3 -c 'import ipaddress, sys
print(ipaddress.IPv6Address(open(sys.argv[1]).read().strip()).ipv4_mapped)' \
        "$EMUKERNEL_ROOT/sys/class/infiniband/mlx5_0/ports/1/gids/$1"
}
# json EXPRESSION: python over the list of the last command.
json()
{
    python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$emu_out" "$1"
    result $? "$1"
}

fresh_root
expect_exit 0 "$ADP" -j qp
json 'rows == []'
expect_err 'no queue pairs'
hold 2
expect_exit 0 "$ADP" -j qp show mlx5_0
expect_no_err
json 'len(rows) == 3'
json "[r['lqpn'] for r in rows] == [${qpns[0]}, ${qpns[1]}, ${qpns[2]}]"
json "all(r['dev'] == 'mlx5_0' and r['path'] == 'netlink' and r['simulated'] == 0 for r in rows)"
json "all(r['pid'] == $holder and r['type'] == 'RC' for r in rows)"
json "rows[0]['comm'] == '''we\"ird''' + chr(92) + 'name'"
json "rows[0]['rqpn'] == 0x5000 and rows[0]['qp_state'] == 'RTS' and rows[0]['port'] == 1"
json "rows[0]['sport_source'] == 'qpc' and rows[0]['udp_sport'] >= 49152"
json "[rows[0][k] for k in ('timeout_code', 'timeout_ns', 'retry_cnt', 'retry_left', 'rnr_retry', 'rnr_left', 'min_rnr_timer')] == [14, 67108864, 7, 5, 6, 5, 12]"
json "[rows[0][k] for k in ('last_acked_psn', 'next_send_psn', 'outstanding', 'timer_armed', 'timer_psn')] == [99, 105, 5, 1, 100]"
json "(rows[0]['local_addr'], rows[0]['peer_addr']) == ('$(gid_address 1)', '10.0.1.7')"
json "rows[2]['qp_state'] == 'RESET' and rows[2]['rqpn'] is None and rows[2]['udp_sport'] is None and rows[2]['udp_sport_reason'] != ''"
sport=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[0]["udp_sport"])' "$emu_out")
expect_exit 0 "$ADP" -j flow sport lqpn "${qpns[0]}" rqpn 0x5000
expect_out "\"udp_sport\":${sport}[,}]"
expect_exit 0 "$ADP" qp
expect_out "^dev/port "
expect_out "mlx5_0/1 .*RC .*RTS .*$sport +qpc +14 +5/7 +5/6 +5 +10.0.1.7"
expect_exit 0 "$ADP" -d qp show mlx5_0 lqpn "${qpns[0]}"
expect_out 'timer of 67.109 ms runs for PSN 0x64'
expect_exit 0 "$ADP" -j qp show mlx5_0 lqpn "${qpns[1]}"
json "len(rows) == 1 and rows[0]['lqpn'] == ${qpns[1]}"
expect_exit 2 "$ADP" qp show mlx5_0 lqpn 0xfffff0
expect_err 'no queue pair 0xfffff0'
expect_exit 0 "$ADP" -j qp show pid "$holder"
json 'len(rows) == 3'
expect_exit 0 "$ADP" -j qp show mlx5_0 pid 1
json 'rows == []'
expect_exit 0 "$ADP" -j qp show mlx5_1
json 'rows == []'

# Without CAP_NET_ADMIN the list and the rule remain.
EMUKERNEL_NO_NET_ADMIN=1 expect_exit 0 "$ADP" -j qp show mlx5_0
json "rows[0]['sport_source'] == 'assumed' and rows[0]['udp_sport'] == $sport"
json "rows[0]['retry_left'] is None and rows[0]['timeout_ns'] is None and rows[0]['outstanding'] is None"
json "'CAP_NET_ADMIN' in rows[0]['context_reason'] and rows[0]['retry_left_reason'] != ''"
json "rows[0]['peer_addr'] is None and rows[0]['peer_addr_reason'] != ''"

# A connection of RDMA-CM: addresses, and the label of the side with the ephemeral port.
echo "mlx5_0 ${qpns[0]} 10.0.0.1 50000 10.0.1.7 4420" >"$EMUKERNEL_ROOT/cm_ids"
EMUKERNEL_NO_NET_ADMIN=1 expect_exit 0 "$ADP" -j qp show mlx5_0
json "rows[0]['local_addr'] == '10.0.0.1' and rows[0]['peer_addr'] == '10.0.1.7'"
json "rows[0]['udp_sport'] == 63466 and rows[0]['flow_label'] == 0x7b7f4 and rows[0]['sport_source'] == 'assumed'" # report R67
echo "mlx5_0 ${qpns[0]} 10.0.0.1 4420 10.0.1.7 50000" >"$EMUKERNEL_ROOT/cm_ids"
EMUKERNEL_NO_NET_ADMIN=1 expect_exit 0 "$ADP" -j qp show mlx5_0
json "rows[0]['udp_sport'] == 63466"
echo "mlx5_0 ${qpns[0]} 10.0.0.1 50000 10.0.1.7 50001" >"$EMUKERNEL_ROOT/cm_ids"
EMUKERNEL_NO_NET_ADMIN=1 expect_exit 0 "$ADP" -j qp show mlx5_0
json "rows[0]['udp_sport'] is None and rows[0]['sport_source'] == 'unknown' and 'RDMA-CM' in rows[0]['udp_sport_reason']"
rm "$EMUKERNEL_ROOT/cm_ids"

# A dump that is cut short, or says something else than the kernel: no context, and why.
for bytes in 8 200 320; do
    EMUKERNEL_SHORT_DUMP=$bytes expect_exit 0 "$ADP" -j qp show mlx5_0
    json "rows[0]['sport_source'] == 'assumed' and 'resource dump' in rows[0]['context_reason']"
done

# The audit reads the list, the retry models a queue pair of it.
"$ADP" -h >/dev/null
expect_exit 0 bash -c "'$ADP' -j qp show mlx5_0 | '$ADP' -j flow audit paths 2 -"
json "rows[0]['flows'] == 2 and rows[0]['errors'] == 0"
release
expect_exit 0 "$ADP" -j qp show mlx5_0
json 'rows == []'

# A kernel without RDMA netlink, and words that are wrong.
# nldev.h: RES_QP_GET is 10.
EMUKERNEL_NETLINK_FAULT=errno=22,command=10 expect_exit 2 "$ADP" -j qp show mlx5_0
EMUKERNEL_NETLINK_FAULT=garbage expect_exit 2 "$ADP" -j qp show mlx5_0
EMUKERNEL_NETLINK=0 expect_exit 2 "$ADP" -j qp show mlx5_0
json "rows[0]['dev'] == 'mlx5_0' and rows[0]['path'] is None"
expect_exit 2 "$ADP" qp show mlx5_9
expect_exit 1 "$ADP" qp show mlx5_0 lqpn 0x1000000
expect_exit 1 "$ADP" qp show mlx5_0 lqpn
expect_exit 1 "$ADP" qp show mlx5_0 pid x
expect_exit 1 "$ADP" qp show mlx5_0 pid 1 pid 2
expect_exit 1 "$ADP" qp show mlx5_0 owner me
finish
