# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# One RoCE function under the stock drivers: the device, its port and counters, what adp says of it,
# and the register by every path that the kernel has.
. "$TOP/tests/hca/guest.sh"
vendor=$TOP/tests/fixtures/roce_accl
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

one_function_up
is "$(cat $port/link_layer)" Ethernet 'link layer'
is "$(cat $ibdev/fw_ver)" 28.47.1026 'firmware version'
is "$(cat $ibdev/board_id)" MT_0000000838 'board id'
is "$(cat $port/gids/3)" 0000:0000:0000:0000:0000:ffff:c000:0201 'RoCE v2 GID of the IPv4 address'
is "$(cat $port/gid_attrs/types/3)" 'RoCE v2' 'and its type'

# What adp says of the device, capability by capability; it asks the firmware through the kernel.
run "$ADP" -j -d dev show mlx5_0
exits 0 'adp dev show'
json 'd[0]["driver"] == "mlx5_core" and d[0]["fw_ver"] == "28.47.1026" and d[0]["port_type"] == "ethernet"' \
    'driver, firmware, kind of port'
json 'd[0]["pci"] == "0000:01:00.0" and d[0]["function"] == "pf" and d[0]["switchdev"] == 0' 'the function'
json "d[0]['netdev'] == '$netdev'" 'the network device'
json 'd[0]["adp"]["adp_profile"] == 1 and d[0]["adp"]["max_id"] == 1 and d[0]["adp"]["base_timeout_min_ns"] == 4000' \
    'what the register can'
json 'all(d[0]["caps"][k] == 1 for k in ("udp_sport_modify", "devx", "retransmission_q_counters", "out_of_seq_cnt", "enhanced_error_q_counters", "roce_accl_counters"))' \
    'all capabilities are there'
for pair in rts2rts_qp_udp_sport:udp_sport_modify roce_accl:roce_accl_counters out_of_seq_cnt:out_of_seq_cnt \
    retransmission_q_counters:retransmission_q_counters enhanced_error_q_counters:enhanced_error_q_counters \
    access_register_user:access_register_user; do
    hca "general.${pair%:*} = 0"
    run "$ADP" -j -d dev show mlx5_0
    json "d[0]['caps']['${pair#*:}'] == 0" "without ${pair%:*}"
    json "sum(1 for k, v in d[0]['caps'].items() if v == 0) == 1" 'and only without it'
    hca "general.${pair%:*} = 1"
done

# DEVX: the kernel lets the command for users pass, and no other.
run "$PROBE" devx mlx5_0 0x805 0x402c
has "$out" 'errno 22 ' 'ACCESS_REG is refused by the kernel'
run "$PROBE" devx mlx5_0 0xb0c 0x402c
has "$out" 'errno 0 status 0 syndrome 0 1800065f 00000005 41000fa0' 'ACCESS_REGISTER_USER reaches the firmware'
run "$PROBE" devx mlx5_0 0xb0c 0x5004
has "$out" 'errno 121 status 0x3' 'a register that is not for users: the status comes back with EREMOTEIO'
hca fault op=0xb0c,status=8,syndrome=0x12345,count=1
run "$PROBE" devx mlx5_0 0xb0c 0x402c
has "$out" 'errno 121 status 0x8 syndrome 0x12345' 'status and syndrome of a refusal'

# The vendor's sample profile, by every path; the register then holds the vendor's dwords.
paths=(devx)
if [ -e /dev/fwctl/fwctl0 ]; then
    paths+=(fwctl)
    run "$ADP" -j accl show mlx5_0
    json 'd[0]["path"] == "fwctl"' 'fwctl is what adp takes when it is there'
else
    skip 'fwctl' "$NO_FWCTL"
fi
for path in "${paths[@]}"; do
    run "$ADP" -y --via "$path" profile set mlx5_0 file "$vendor/set-named.txt"
    exits 0 "profile set by $path"
    is "$(hca reg 0x402c)" "$(printed_register "$vendor/raw-set-preview.txt")" "$path: the vendor's dwords are in the register"
    run "$ADP" -j --via "$path" profile show mlx5_0
    exits 0 "$path: read back"
    json 'd[0]["path"] == "'"$path"'"' "by $path"
    run "$ADP" --via "$path" profile set mlx5_0 time_base 8
    exits 0 "$path: one field"
    run "$ADP" -j --via "$path" accl show mlx5_0
    json 'd[0]["fields"]["time_base"] == 8 and d[0]["fields"]["range_size_0"] == 2' "$path: nothing else changed"
    run "$ADP" --via "$path" profile set mlx5_0 time_base 3
    exits 1 "$path: a base that is no power of two is refused before it is sent"
done

is "$(($(cat /proc/sys/kernel/tainted) >> 19 & 1))" 0 'no scope was used that taints the kernel'

# What the firmware and the kernel refuse, in words.
hca fault op=0xb0c,status=8,syndrome=0x12345
run "$ADP" --via devx accl show mlx5_0
exits 2 'firmware that refuses the register'
has "$err" 'status 0x08' 'the status is told'
has "$err" 'syndrome 0x00012345' 'and the syndrome'
hca clear
hca fault op=0xb0c,rw=w,status=3,syndrome=0x77
run "$ADP" -y --via devx profile set mlx5_0 file "$vendor/set-named.txt"
exits 2 'firmware that refuses the write'
has "$err" 'syndrome 0x00000077' 'with its syndrome'
hca clear
run "$ADP" --via fwctl accl show mlx5_0
[ -e /dev/fwctl/fwctl0 ] || exits 2 'a kernel without fwctl'
chmod 600 /dev/infiniband/uverbs0
run "${nobody[@]}" "$ADP" accl show mlx5_0
exits 2 'a user who may not open the device'
has "$err" 'Permission denied' 'is told so'
chmod 666 /dev/infiniband/uverbs0
run "${nobody[@]}" "$ADP" -j dev show mlx5_0
exits 0 'an ordinary user sees the device'

# Counters: the kernel's names, the values of the firmware, 32 bits wide.
hca q.local_ack_timeout_err = 42
hca q.packet_seq_err = 3
is "$(statistic 1 local_ack_timeout_err)" 42 'a counter by netlink'
sleep 0.05
is "$(cat $port/hw_counters/local_ack_timeout_err)" 42 'and in sysfs'
hca q.local_ack_timeout_err = 4294967295
is "$(statistic 1 local_ack_timeout_err)" 4294967295 'at its widest'
hca q.local_ack_timeout_err += 1
is "$(statistic 1 local_ack_timeout_err)" 0 'then it begins again'
hca congestion.rp_cnp_handled = 5000000000
hca port.rx_icrc_encapsulated = 99
sleep 0.05
is "$(cat $port/hw_counters/rp_cnp_handled)" 5000000000 'a congestion counter has 64 bits'
is "$(cat $port/hw_counters/rx_icrc_encapsulated)" 99 'a counter of the port'
hca fault op=0x773,status=3,count=1
run rdma statistic show link mlx5_0/1
fails 'a query that the firmware refuses is an error'

# A queue pair: what was set is there, and an error moves the counters of its set.
start_queue_pair 3 0xc123
is "$(hca qps | grep "^qp $qpn " | grep -o ' ack_timeout [0-9]* retry_count [0-9]* rnr_retry [0-9]*')" \
    ' ack_timeout 14 retry_count 7 rnr_retry 6' 'timers and retries of a queue pair'
has "$(hca qps | grep "^qp $qpn ")" "udp_sport $((0xc123))" 'its source port, set by mlx5dv'
has "$(hca qps | grep "^qp $qpn ")" 'min_rnr_nak 12' 'its RNR timer'
hca qp "$qpn" cur_retry_count 5
run rdma -j -r resource show qp link mlx5_0/1 lqpn $((qpn))
# Segments of 16 and 20 bytes, the head of the third, that of QUERY_QP's answer; then the context.
json '(lambda c: (c[0x3a] << 8 | c[0x3b], c[0x71] & 7, c[0x73] >> 5))(d[0]["data"][0x4c:]) == (0xc123, 7, 5)' \
    "the kernel's resource dump: source port, retries, retries in use"
run rdma statistic qp bind link mlx5_0/1 lqpn $((qpn))
exits 0 'bind a counter set to it'
set=$(rdma -j statistic qp show | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["cntn"])')
has "$(hca qps | grep "^qp $qpn ")" "counter_set_id $set" 'the set is in its context'
hca "q@$set.packet_seq_err = 104"
has "$(rdma statistic qp show)" 'packet_seq_err 104' 'the value of the set'
sleep 0.05
is "$(cat $port/hw_counters/packet_seq_err)" 107 "the port's value is the sum"
hca work_fault "$qpn" 0x15 0x81
end_queue_pair
is "$out" 'status 12 vendor 0x81
status 5 vendor 0xf9
status 5 vendor 0xf9
state 6 timeout 14 retry_cnt 7' 'retries exceeded, then flushed'
sleep 0.05
is "$(cat $port/hw_counters/local_ack_timeout_err)" 8 'and counted'
is "$(cat $port/hw_counters/roce_adp_retrans_to)" 8 'as adaptive ones too: the register enables them'

hca link down
run wait_for 5 sh -c 'rdma link | grep -q "state DOWN"'
exits 0 'the port goes down'
hca link up
run wait_for 5 link_is_active
exits 0 'and up'

run unload_drivers
exits 0 'the drivers unload'
is "$(hca unknown)" '' 'the drivers use no command that the device does not know'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
