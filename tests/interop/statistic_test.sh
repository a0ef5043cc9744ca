#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# adp statistic on the emulated kernel, beside iproute2's rdma on the same one.
. "$(dirname "$0")/../emukernel/lib.sh"

# Names and values are those that rdma prints, from one message a port.
fresh_root
expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"dev":"mlx5_0","path":"netlink","simulated":0'
expect_out '"name":"local_ack_timeout_err","value":7,"state":"measured","concept":"ack_timeout","side":"requester","unit":"events","width_bits":32'
expect_out '"name":"roce_adp_retrans","value":11'
cp "$emu_out" "$emu_work/adp.json"
if command -v rdma >/dev/null; then
    expect_exit 0 rdma -j statistic show link mlx5_0/1
    python3 - "$emu_work/adp.json" "$emu_out" <<'END' >"$emu_work/differ" 2>&1
import json, sys
ours = json.load(open(sys.argv[1]))
theirs = json.load(open(sys.argv[2]))[0]
got = {c["name"]: c["value"] for c in ours[0]["counters"] if c["state"] == "measured"}
want = {k: v for k, v in theirs.items() if k not in ("ifindex", "ifname", "port")}
assert want and got == want, (got, want)
END
    result $? "the same names and values as rdma: $(cat "$emu_work/differ")"
else
    skip 2 "no rdma (package iproute2)"
fi
expect_exit 0 "$ADP" statistic
expect_out '^mlx5_0/1 .*\(netlink\)'
expect_out '^mlx5_1/1 '
expect_out ' 7  ack timeout +local_ack_timeout_err'
expect_exit 0 "$ADP" stat show mlx5_1 nonzero side requester
refuse_out mlx5_0
refuse_out out_of_sequence

# Without netlink: sysfs has the same.
EMUKERNEL_NETLINK=0 expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"path":"sysfs"'
expect_out '"source_reason":"RDMA netlink: open: '
expect_out '"name":"local_ack_timeout_err","value":7,"state":"measured"'
refuse_out '"name":"lifespan"'

# A software device beside them has other ways, and hides nothing.
EMUKERNEL_RXE=1 expect_exit 0 "$ADP" -j statistic
expect_out '"dev":"mlx5_1"'
expect_out '"dev":"rxe0"'

# Optional counters and counter sets of queue pairs; rdma sees what adp did, and the other way round.
fresh_root
EMUKERNEL_COUNTERS=$emu_work/counters.json
cat >"$EMUKERNEL_COUNTERS" <<'END'
{"mlx5_0": {"ports": {"1": {"counters": {"packet_seq_err": 5, "local_ack_timeout_err": 7},
                            "optional": {"cc_rx_ce_pkts": 41, "cc_rx_cnp_pkts": 42}}},
            "qps": [{"lqpn": 178, "pid": 31609}, {"lqpn": 179, "pid": 31609}, {"lqpn": 180}]}}
END
export EMUKERNEL_COUNTERS
expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"name":"cc_rx_ce_pkts","value":null,"state":"optional_off"'
expect_exit 0 "$ADP" statistic mode mlx5_0
expect_out '^mlx5_0/1: counter sets none; off: cc_rx_ce_pkts, cc_rx_cnp_pkts$'
expect_exit 0 "$ADP" statistic mode mlx5_0 optional cc_rx_cnp_pkts
expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"name":"cc_rx_cnp_pkts","value":42,"state":"measured"'
expect_out '"name":"cc_rx_ce_pkts","value":null,"state":"optional_off"'
expect_exit 1 "$ADP" statistic mode mlx5_0 optional packet_seq_err
expect_err 'no optional counter packet_seq_err'
expect_exit 0 "$ADP" statistic mode mlx5_0 optional none
expect_exit 0 "$ADP" statistic mode mlx5_0/1 bind 178
expect_err 'queue pair 178 counts in set 5'
expect_exit 0 "$ADP" statistic mode mlx5_0/1 bind 179 set 5
expect_exit 0 "$ADP" -j statistic qp mlx5_0
expect_out '"set_id":5,"mode":"manual","qp_type":"RC","pid":31609,"comm":(null,"comm_reason":"[^"]+"|"[^"]*"),"kernel_owner":null,"kernel_owner_reason":"a process owns them","lqpn":\[178,179\]'
expect_out '"name":"packet_seq_err","value":502,'
expect_exit 0 "$ADP" -j statistic qp mlx5_0 lqpn 179
expect_out '"set_id":5'
expect_exit 0 "$ADP" -j statistic qp mlx5_0 lqpn 180
refuse_out '"set_id"'
expect_exit 2 "$ADP" statistic mode mlx5_0 auto type pid
expect_err 'queue pairs are bound by hand'
if command -v rdma >/dev/null; then
    expect_exit 0 rdma -j statistic qp show link mlx5_0/1
    expect_out '"cntn":5.*"lqpn":\[178,179\]'
    expect_exit 0 rdma statistic qp unbind link mlx5_0/1 cntn 5 lqpn 178
else
    skip 3 "no rdma (package iproute2)"
    emu "$ADP" statistic mode mlx5_0/1 unbind 178 set 5
fi
expect_exit 0 "$ADP" statistic mode mlx5_0/1 unbind 179 set 5
# What a dry run would do, and that it did not.
expect_exit 0 "$ADP" -n statistic mode mlx5_0 auto type pid
expect_out '^mlx5_0/1: would be set to auto by type and pid$'
expect_exit 0 "$ADP" -n statistic mode mlx5_0/1 bind 178
expect_out '^mlx5_0/1: queue pair 178 would be bound to a new set$'
expect_exit 0 "$ADP" -j -n statistic mode mlx5_0 optional cc_rx_ce_pkts
expect_out '"dry_run":1,"would":"mlx5_0/1: optional counters that would be on: cc_rx_ce_pkts"'
expect_exit 0 "$ADP" statistic mode mlx5_0
expect_out 'counter sets none; off: cc_rx_ce_pkts, cc_rx_cnp_pkts$'
expect_exit 0 "$ADP" statistic qp mlx5_0
expect_err 'note: no counter sets of queue pairs'
expect_exit 0 "$ADP" --sim statistic qp
expect_err 'note: sim0: .*the device is simulated'
expect_exit 0 "$ADP" statistic mode mlx5_0
expect_out 'counter sets none'
expect_exit 0 "$ADP" statistic mode mlx5_0 auto type pid
expect_err 'queue pairs that run already are never counted'
expect_err 'a firmware command for each of its 2 counters and each set'
expect_exit 0 "$ADP" -j statistic mode mlx5_0
expect_out '"mode":"auto","by":\["type","pid"\]'
# A right request that the kernel refuses: named, with what its rules leave for a reason.
expect_exit 2 "$ADP" statistic mode mlx5_0/1 bind 178
expect_err 'queue pair 178: STAT_SET: Invalid argument'
expect_err "not while the port's mode is auto"
expect_exit 2 "$ADP" statistic mode mlx5_0/1 unbind 178 set 99
expect_err 'queue pair 178: STAT_DEL: No such file or directory'
expect_exit 0 "$ADP" statistic mode mlx5_0 off
expect_out '^mlx5_0/1: counter sets none;'
expect_exit 1 "$ADP" statistic mode auto
expect_exit 1 "$ADP" statistic mode mlx5_0 unbind 178
expect_exit 1 "$ADP" statistic mode mlx5_0 bind 0x1000000
unset EMUKERNEL_COUNTERS

# A kernel that misbehaves: nothing from a broken answer, sysfs in its place.
fresh_root
for fault in truncate=30 truncate=100 garbage cut=8 cut=100000 'errno=90'; do
    EMUKERNEL_NETLINK_FAULT="command=17,$fault" expect_exit 0 "$ADP" -j statistic show mlx5_0
    expect_out '"path":"sysfs".*"name":"local_ack_timeout_err","value":7,'
done
EMUKERNEL_NETLINK_FAULT='command=17,errno=22' expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"name":"local_ack_timeout_err","value":null,"state":"unreadable".*"errno":"EINVAL"'
EMUKERNEL_NETLINK_FAULT='command=1,interrupted=1' expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"path":"sysfs"'
EMUKERNEL_NETLINK_FAULT='errno=1' expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"path":"sysfs"'

# More counters than fit in one answer.
fresh_root
python3 - >"$emu_work/many.json" <<'END'
import json
names = {f"a_counter_with_a_long_name_{i}": i for i in range(300)}
print(json.dumps({"mlx5_0": {"ports": {"1": {"counters": names}}}}))
END
EMUKERNEL_COUNTERS=$emu_work/many.json expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"path":"sysfs".*"source_reason":"STAT_GET: Message too long"'
expect_out '"name":"a_counter_with_a_long_name_299","value":299'

# Names that could be taken for something else, by netlink: a line of their own, a key, a format.
printf '{"mlx5_0": {"ports": {"1": {"counters": {"two\\nlines": 1, "port": 2, "%%n%%s": 3, "a, b c": 4, "\\u001b[1m": 5}}}}}' >"$emu_work/names.json"
EMUKERNEL_COUNTERS=$emu_work/names.json expect_exit 0 "$ADP" -j statistic show mlx5_0
expect_out '"path":"netlink"'
for value in '"two\\nlines","value":1' '"port","value":2' '"%n%s","value":3' '"a, b c","value":4' '"\\u001b\[1m","value":5'; do
    expect_out "\"name\":$value,"
done
expect_out '"dev":"mlx5_0",.*"port":1,'
EMUKERNEL_COUNTERS=$emu_work/names.json expect_exit 0 "$ADP" statistic show mlx5_0
expect_out '^ +1 +two\?lines$'
expect_out '^ +5 +\?\[1m$'
EMUKERNEL_COUNTERS=$emu_work/names.json expect_exit 0 "$ADP" export mlx5_0
expect_out 'name="two\\nlines"'

# Gone or renamed between the list and the reading.
fresh_root
EMUKERNEL_NETLINK_FAULT='command=17,errno=19' expect_exit 2 "$ADP" -j statistic show mlx5_0
expect_err 'No such device'
expect_out '"counters":null,"counters_reason":"'
refuse_out '"value":'
printf '{"mlx5_0": {"gone": true}}' >"$emu_work/gone.json"
EMUKERNEL_COUNTERS=$emu_work/gone.json expect_exit 2 "$ADP" -j statistic show mlx5_0
refuse_out '"value":'

# The textfile form: names from outside are escaped.
printf '{"mlx5_0": {"ports": {"1": {"counters": {"a \\"b\\" \\\\ %%s": 1}}}}}' >"$emu_work/odd.json"
EMUKERNEL_COUNTERS=$emu_work/odd.json expect_exit 0 "$ADP" export mlx5_0 file "$emu_work/adp.prom"
grep -qF 'name="a \"b\" \\ %s"' "$emu_work/adp.prom" && tail -1 "$emu_work/adp.prom" | grep -qx '# EOF'
result $? "a name with quotes and a backslash"

# Bad requests reach no device.
expect_exit 1 "$ADP" statistic show mlx5_0 side both
expect_err 'requester, responder or unknown'
expect_exit 1 "$ADP" statistic show mlx5_0 concept timeouts
expect_exit 1 "$ADP" statistic show mlx5_0 name
expect_exit 2 "$ADP" statistic show mlx5_0/2
expect_exit 2 "$ADP" statistic show mlx5_9

# A captured tree is read as it is, and netlink is not asked.
"$EMUKERNEL_TREE" "$emu_work/tree" >"$emu_out" 2>"$emu_err"
hw=$(readlink -f "$emu_work/tree/sys/class/infiniband/mlx5_0")/ports/1/hw_counters
printf -- '-1\n' >"$hw/packet_seq_err"
printf '99999999999999999999999\n' >"$hw/roce_adp_retrans"
head -c 1000000 /dev/zero | tr '\0' 7 >"$hw/roce_slow_restart"
: >"$hw/rnr_nak_retry_err"
echo 5 >"$hw/a name, with %s"
echo 6 >"$hw/port"
mkdir "$hw/folder"
ADP_SYSFS_ROOT=$emu_work/tree/sys "$ADP" -j statistic show mlx5_0 >"$emu_out" 2>"$emu_err"
result $? "a captured tree with strange files"
expect_out '"path":"sysfs"'
expect_out '"name":"packet_seq_err","value":null,"state":"unreadable"[^}]*"errno":"EPROTO"'
expect_out '"name":"roce_adp_retrans","value":null,"state":"unreadable"[^}]*"errno":"ERANGE"'
expect_out '"name":"roce_slow_restart","value":null,"state":"unreadable"[^}]*"errno":"EFBIG"'
expect_out '"name":"rnr_nak_retry_err","value":null,"state":"unreadable"'
expect_out '"name":"a name, with %s","value":5,"state":"measured","concept":"unknown","side":"unknown","unit":"unknown","width_bits":null'
expect_out '"name":"port","value":6'
refuse_out '"name":"folder"'
expect_out '"name":"local_ack_timeout_err","value":7'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$emu_work"
    chmod 0 "$hw/roce_adp_retrans_to"
    ADP_SYSFS_ROOT=$emu_work/tree/sys setpriv --reuid 65534 --regid 65534 --clear-groups "$ADP" -j statistic show mlx5_0 >"$emu_out" 2>"$emu_err"
    result $? "a file that may not be read"
    expect_out '"name":"roce_adp_retrans_to","value":null,"state":"unreadable"[^}]*"errno":"EACCES"'
    expect_out '"name":"local_ack_timeout_err","value":7'
else
    skip 3 "for root, with setpriv (package util-linux)"
fi

# A container without this part of sysfs (report R58: DPDK's reader said ENOENT alone).
rm -r "$hw"
status=0
ADP_SYSFS_ROOT=$emu_work/tree/sys "$ADP" statistic show mlx5_0 >"$emu_out" 2>"$emu_err" || status=$?
[ "$status" = 2 ]
result $? "no folder of counters: exit 2, was $status"
expect_err '/ports/1/hw_counters: No such file or directory'
for cause in 'another network namespace' 'not mounted whole' 'the driver has none here'; do
    expect_err "$cause"
done
finish
