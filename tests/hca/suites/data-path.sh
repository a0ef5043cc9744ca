# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Two RoCE functions that move data: applications nobody here wrote, a path that loses packets, and
# the time until a requester gives up, which must be the one that `adp retry` computes. Times are
# judged on the device's own log, which does not depend on the machine; it runs faster than real time
# where something waits.
. "$TOP/tests/hca/guest.sh"
vendor=$TOP/tests/fixtures/roce_accl

load_drivers
two_functions_up
exits 0 'the second has its GID'

# count FUNCTION COUNTER: as the kernel shows it, which asks the firmware anew after 10 ms.
count()
{
    sleep 0.02
    cat "/sys/class/infiniband/mlx5_$1/ports/1/hw_counters/$2"
}

# of FUNCTION LINE: to the control language about that function; then it is about 0 again.
of()
{
    hca function "$1"
    hca "${@:2}"
    hca function 0
}

# ---- what applications do -------------------------------------------------------------------
moved()
{
    run "$TRANSFER" "$@"
    exits 0 "data: $*"
}
moved op=send size=1
moved op=send size=10000 count=20
moved op=send size=64 inline=1
moved op=send srq=1 count=20
moved op=send events=1 count=20
moved op=send events=1 solicited=1 count=5
moved op=send_imm size=3000 count=5
moved op=write size=1000000 mtu=5
moved op=write_imm size=3000 count=5
moved op=read size=1000000 mtu=5
moved op=fetch_add count=20
moved op=compare_swap count=20
moved to=mlx5_0 gid=0 count=20

with_server mlx5_1 mlx5_0 ibv_rc_pingpong -c -g 3 -n 100
exits 0 'ibv_rc_pingpong, data compared'
with_server mlx5_1 mlx5_0 ibv_rc_pingpong -c -e -g 3 -n 50
exits 0 'with events'
with_server mlx5_1 mlx5_0 ibv_srq_pingpong -g 3 -n 50
exits 0 'ibv_srq_pingpong'
# measure SUFFIX COUNT PROGRAM...: programs of perftest, so many messages of 4 KiB.
measure()
{
    local suffix=$1 count=$2 program
    shift 2
    for program; do
        if command -v "$program" >/dev/null; then
            with_server mlx5_1 mlx5_0 "$program" -x 3 -n "$count" -s 4096 -F
            exits 0 "$program$suffix"
        else
            skip "$program$suffix" 'perftest is not installed'
        fi
    done
}
measure '' 50 ib_send_bw ib_write_bw ib_read_bw ib_write_lat
is "$(count 0 packet_seq_err) $(count 0 local_ack_timeout_err) $(count 1 out_of_sequence) $(count 1 duplicate_request)" \
    '0 0 0 0' 'nothing was repeated'

# ---- loss: what moves, and where ------------------------------------------------------------
hca data_path.speed = 20
hca path.seed = 7
of 1 path.seed = 2
for side in 0 1; do
    "$ADP" statistic snapshot mlx5_$side file "$tap_dir/before$side" >/dev/null 2>&1
done
hca path.tx.loss_ppm = 50000
moved op=write size=10000 count=100
hca path.tx.loss_ppm = 0
for side in 0 1; do
    "$ADP" statistic snapshot mlx5_$side file "$tap_dir/after$side" >/dev/null 2>&1
done
moves()
{
    local now
    now=$(count "$1" "$2")
    if [ "$now" -gt "$3" ]; then
        pass "$4: $2 $3 to $now"
    else
        fail "$4: $2 is still $now"
    fi
}
moves 0 packet_seq_err 0 'lost requests, requester'
moves 0 roce_adp_retrans 0 'lost requests, requester'
moves 1 out_of_sequence 0 'lost requests, responder'
is "$(count 1 packet_seq_err) $(count 0 out_of_sequence)" '0 0' 'and not on the other sides'
run "$ADP" -j statistic compare requester "$tap_dir/before0" "$tap_dir/after0" \
    responder "$tap_dir/before1" "$tap_dir/after1"
exits 3 'adp statistic compare'
like "$out" 'loss_towards_responder[^}]*(supported|possible)' 'names the loss'

duplicates=$(count 1 duplicate_request)
of 1 path.tx.loss_ppm = 50000
moved op=write size=1000 count=100
moves 1 duplicate_request "$duplicates" 'lost acknowledgements, responder'
implied=$(count 0 implied_nak_seq_err)
moved op=read size=10000 count=50
moves 0 implied_nak_seq_err "$implied" 'lost responses, requester'
hca path.tx.loss_ppm = 50000
with_server mlx5_1 mlx5_0 ibv_rc_pingpong -c -g 3 -n 100
exits 0 'ibv_rc_pingpong with 5 % lost in each direction'
measure ', likewise' 100 ib_send_bw ib_write_bw ib_read_bw
of 1 path.tx.loss_ppm = 0
hca path.tx.loss_ppm = 0
hca path.tx.reorder_ppm = 100000
hca path.tx.reorder_us = 3000
moved op=write size=10000 count=20
hca path.tx.reorder_ppm = 0
hca path.tx.delay_us = 5000
hca path.tx.jitter_us = 1000
moved op=send count=5
hca path.tx.delay_us = 0
hca path.tx.jitter_us = 0

# ---- a black hole: the time until the error, of every model -----------------------------------
hca data_path.speed = 100
hca path.tx.hole = 1
dies()
{
    run "$TRANSFER" op=write "$@"
    has "$out" 'status 12 vendor 0x81' "${model:-} $*: status 12"
}
hca trace clear
while read -r model timeout retry; do
    hca data_path.model = "$model"
    dies "timeout=$timeout" "retry=$retry" </dev/null
done <<'TABLE'
nominal 14 7
nominal 10 3
ibta_min 14 7
ibta_max 12 1
mlx5_default 14 7
mlx5_default 10 3
mlx5_default 14 1
mlx5_default 18 7
mlx5_default 14 0
mlx5_floor_off 14 7
TABLE
model=
# keep WHAT [WORD]...: the device's log (trace, failures) is to be judged; WORDs as for retry_times.py.
keep()
{
    hca "$1" | sed "s|\$| \| ${*:2}|" | tee "$tap_dir/last" >>"$tap_dir/log"
    hca trace clear
}
keep trace

# The register decides, as it is at the moment.
hca data_path.model = auto
timeouts=$(count 0 local_ack_timeout_err) adaptive=$(count 0 roce_adp_retrans)
dies timeout=14 retry=7
is "$(($(count 0 local_ack_timeout_err) - timeouts)) $(($(count 0 roce_adp_retrans) - adaptive))" '6 8' \
    'regular and adaptive repetitions of the default firmware'
keep trace
set_register()
{
    run "$ADP" -y --via devx accl set mlx5_0 "$@"
    exits 0 "adp accl set $*"
}
set_register roce_adp_retrans_en 0
dies timeout=10 retry=3
# Measured on a ConnectX-5 by a third party: the floor stays, the adaptive phase goes; 3 * 536.870912 ms.
has "$(hca failures)" 'after_ns 1610612736 expiries 3 ' 'without adaptive retransmission'
hca trace clear
set_register roce_adp_retrans_en 1 min_ack_timeout_limit_disabled 1
dies timeout=10 retry=3
has "$(hca failures)" 'model mlx5_floor_off' 'without the floor'
keep failures
set_register min_ack_timeout_limit_disabled 0

# A profile, and the histogram of the time-outs that it makes.
run "$ADP" -y --via devx accl histogram mlx5_0 time_unit us bin_num 8 bin_width_mode fixed \
    bin0_width 8 bin1_width 8
exits 0 'a histogram with bins of 8 us'
run "$ADP" -y --via devx profile set mlx5_0 file "$vendor/set-named.txt"
exits 0 "the vendor's sample profile"
dies timeout=14 retry=7
keep failures profile "$vendor/set-named.txt"
expiries=$(sed -n 's/.* expiries \([0-9]*\) .*/\1/p' "$tap_dir/last")
run "$ADP" -j --via devx accl histogram mlx5_0
json "sum(b['count'] for b in d[0]['bins']) == $expiries and d[0]['bins'][2]['count'] >= $expiries - 2" \
    'the histogram has each time-out, all but the first two of 16 us'
# Frames of this and other profiles, for data-path.host.py: their times are the model's.
for profile in "$vendor/set-named.txt" "$TOP"/tests/hca/profiles/*.toml; do
    run "$ADP" -y --via devx profile set mlx5_0 file "$profile"
    exits 0 "profile $(basename "$profile")"
    hca capture "$CAPTURE.$(basename "$profile")"
    dies size=100 timeout=14 retry=7
    hca capture
done
hca trace clear
run "$ADP" -j retry plan survive 10s detect 30s file "$tap_dir/plan.toml"
run "$ADP" -y --via devx profile set mlx5_0 file "$tap_dir/plan.toml"
exits 0 'a profile planned to live through 10 s and to tell within 30 s'
dies timeout=14 retry=7
keep failures profile "$tap_dir/plan.toml"
like "$(sed -n 's/.*after_ns \([0-9]*\) .*/\1/p' "$tap_dir/last")" '^[12][0-9]{10}$' 'it tells within 30 s'
# shellcheck disable=SC2016 # for the shell within
run sh -c 'python3 "$1" "$2" <"$3"' sh "$TOP/tests/hca/retry_times.py" "$ADP" "$tap_dir/log"
is "$(tail -n 1 <<<"$out")" '14 of 14 agree' \
    'each error and each repetition is at the time that adp retry explain names'
awk '{ print "# " $0 }' <<<"$out"
hca path.tx.hole = 0
hca outage 10000000
moved op=write timeout=14 retry=7
hca data_path.model = nominal

# ---- outages, to the microsecond --------------------------------------------------------------
# The last of six repetitions leaves after 6 * 67.108864 ms.
hca outage 402653
moved op=write timeout=14 retry=7
hca outage 402654
dies timeout=14 retry=7
hca outage 0

# ---- source ports and ways --------------------------------------------------------------------
hca path.sport.0xc123.hole = 1
run "$TRANSFER" op=write pairs=2 count=2 sports=0xc123,0xc124 timeout=12 retry=2
like "$out" '^send wr 0 status 12 ' 'the queue pair on a dead port dies'
has "$out" 'done 1 of 2 bad 0' 'and the other lives'
hca path.sport.0xc123.hole = 0
run "$ADP" -j flow plan qps 4 paths 2 hash crc32 src 192.0.2.1 dst 192.0.2.2
exits 0 'ports planned for two ways'
read -r ports dead < <(python3 -c '
import json, sys
flows = [f for f in json.load(open(sys.argv[1])) if "udp_sport" in f]
print(",".join(str(f["udp_sport"]) for f in flows), "".join(str(f["path"]) for f in flows))' "$tap_dir/.out")
hca path.hash = crc32
hca path.ways = 2
run "$TRANSFER" op=write size=100 pairs=4 count=40 "sports=$ports" timeout=12 retry=2
exits 0 'four queue pairs over two ways'
is "$(hca packets | grep '^way')" 'way 0 packets 20
way 1 packets 20' 'spread as planned'
# The frames of it, as the machine's own programs read them.
hca capture "$CAPTURE"
moved op=write size=100 pairs=4 count=8 "sports=$ports"
hca capture
if command -v tcpdump >/dev/null; then
    run tcpdump -nr "$CAPTURE" "$("$ADP" flow filter)"
    is "$(grep -c '192.0.2.1.[0-9]* > 192.0.2.2.4791:' <<<"$out") $(grep -c '192.0.2.2.[0-9]* > 192.0.2.1.4791:' <<<"$out")" \
        '8 8' 'a capture has eight requests and eight acknowledgements'
    grep '192.0.2.1.[0-9]* >' "$tap_dir/.out" >"$tap_dir/flows"
    run "$ADP" -j flow audit paths 2 hash crc32 "$tap_dir/flows"
    json 'd[-1]["load"] == [2, 2]' 'adp flow audit sees them spread'
else
    skip 'a capture' 'tcpdump is not installed'
fi
hca path.way.1.hole = 1
run "$TRANSFER" op=write pairs=4 count=4 "sports=$ports" timeout=12 retry=2
is "$(sed -n 's/^send wr \([0-9]\) status 12 .*/\1/p' <<<"$out" | paste -sd ' ')" \
    "$(grep -o . <<<"$dead" | grep -n 1 | cut -d : -f 1 | while read -r n; do echo $((n - 1)); done | paste -sd ' ')" \
    'a dead way kills those that are planned on it, and no other'
hca path.ways = 0

# ---- what a queue pair shows while it waits -----------------------------------------------------
# A timer of 17 s: faster until the first has run out, then slow enough to look at what is there on
# any machine. The seventh would be the end.
hca data_path.speed = 4
hca path.tx.hole = 1
"$TRANSFER" op=write size=5000 timeout=22 retry=7 >"$tap_dir/live" 2>&1 &
waiting=$!
budget_shrinks() { hca qps | grep -q ' type 0 .* cur_retry_count [3-6] '; }
run wait_for 30 budget_shrinks
exits 0 'its budget shrinks'
hca data_path.speed = 1
qpn=$(sed -n 's/^qp \(0x[0-9a-f]*\) .*/\1/p' "$tap_dir/live")
run rdma -j -r resource show qp link mlx5_0/1 lqpn $((qpn))
json '(lambda c: 0 < c[0x73] >> 5 < 7 and (c[0x7b] - c[0x8b]) % 256 == 6)(d[0]["data"][0x4c:])' \
    "the kernel's resource dump: what is left of it, and five packets under way"
run "$ADP" -j qp show mlx5_0 lqpn $((qpn))
json 'd[0]["timer_armed"] == 1 and d[0]["retry_cnt"] == 7 and 0 < d[0]["retry_left"] < 7' \
    'adp qp show: the timer runs, and its budget is no longer whole'
hca path.tx.hole = 0
hca data_path.speed = 1000
wait $waiting
has "$(cat "$tap_dir/live")" 'done 1 of 1 bad 0' 'it completes all the same'

# ---- refusals and the receiver ------------------------------------------------------------------
run "$TRANSFER" op=send receive=0 rnr=3 min_rnr=21
has "$out" 'status 13 vendor 0x87' 'no receive: status 13'
is "$(count 0 rnr_nak_retry_err)" 4 'with each refusal counted'
moves 1 out_of_buffer 0 'no receive, responder'
hca data_path.speed = 1
moved op=send late_ms=50 min_rnr=21
run "$TRANSFER" op=write bad_key=1 queue=2
is "$(grep '^send' <<<"$out")" 'send wr 0 status 10 vendor 0x88
send wr 1 status 5 vendor 0xf9
send wr 2 status 5 vendor 0xf9' 'a wrong key: refused, and what is behind it flushed'

run unload_drivers
exits 0 'the drivers unload'
is "$(hca unknown)" '' 'the drivers use no command that the device does not know'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
