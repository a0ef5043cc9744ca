#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# In the guest: which side's counters move with which fault, on a real kernel and a real wire.
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/wire.sh"
: "${ADP:?the tool}"

# snapshot NAME: all counters of both ends, by the kernel's files and by the tool. The kernel reads
# them anew after 12 ms.
snapshot()
{
    sleep 0.2
    rm -f "$tap_dir/$1.json"
    "$ADP" statistic snapshot file "$tap_dir/$1.json" >/dev/null
    grep -H . /sys/class/infiniband/rxe?/ports/1/hw_counters/* |
        sed 's|.*/\(rxe[01]\)/.*/\([a-z_]*\):|\1 \2 |' >"$tap_dir/$1"
}

# moved DEVICE COUNTER: by how much between the snapshots "before" and "after".
moved()
{
    awk -v d="$1" -v c="$2" '$1 == d && $2 == c { v[FILENAME] = $3; n++; last = $3 }
        NR == FNR && $1 == d && $2 == c { first = $3 }
        END { if (n == 2) print last - first; else print "not there" }' \
        "$tap_dir/before" "$tap_dir/after"
}

# The tool's own answer to what moved between the two, for all counters of both devices: the same
# as the files say.
agrees()
{
    "$ADP" -j statistic diff "$tap_dir/before.json" "$tap_dir/after.json" >"$tap_dir/diff.json"
    python3 - "$tap_dir" >"$tap_dir/odd" 2>&1 <<'END'
import json, sys
folder = sys.argv[1]
files = [dict((tuple(words[:2]), int(words[2])) for words in map(str.split, open(f"{folder}/{name}")))
         for name in ("before", "after")]
told = {(e["dev"], c["name"]): c["delta"]
        for e in json.load(open(f"{folder}/diff.json")) for c in e["counters"]}
files[0] = {key: n for key, n in files[0].items() if key[1] != "lifespan"}  # of the cache: no counter
for key, before in files[0].items():
    if told.get(key, "not there") != files[1][key] - before:
        print(*key, "files:", files[1][key] - before, "adp:", told.get(key, "not there"))
print(len(told), "counters") if len(told) < len(files[0]) else None
END
    is "$(head -n 3 "$tap_dir/odd")" '' "$1: adp statistic says the same of every counter"
}

# supports PATTERN WHAT [VERDICT]: what the tool makes of it, rxe0 being the requester.
supports()
{
    local verdict
    "$ADP" -j statistic compare requester "$tap_dir/before.json" "$tap_dir/after.json" port rxe0/1 \
        responder "$tap_dir/before.json" "$tap_dir/after.json" port rxe1/1 >"$tap_dir/compare.json"
    verdict=$(python3 -c '
import json, sys
print(next(f["verdict"] for f in json.load(open(sys.argv[1]))[0]["findings"] if f["pattern"] == sys.argv[2]))' \
        "$tap_dir/compare.json" "$1" 2>&1 | tail -n 1)
    [ "$verdict" != "${3:-}" ] || verdict=supported
    is "$verdict" supported "$2: compare supports $1${3:+ or says $3}"
}

still() { is "$(moved "$1" "$2")" 0 "$3: $2 of $1 stands still"; }

moves()
{
    local by
    by=$(moved "$1" "$2")
    is "$([ "$by" -gt 0 ] && echo up || echo "$by")" up "$3: $2 of $1 moves (by $by)"
}

# transfer NUMBER KEY=VALUE...: writes of four packets each, between two snapshots.
transfer()
{
    snapshot before
    probe_open size=4096 "${@:2}" && probe_write "$1"
    probe_close
    snapshot after
}

errors="completer_retry_err rcvd_seq_err out_of_seq_request duplicate_request retry_exceeded_err"
wire_up || skip_all "no rxe devices"

transfer 100 timeout=22
is "$written $wc_status" "100 0" "no fault: all is written"
is "$(moved rxe0 sent_pkts)" 400 "no fault: four packets a write"
agrees "no fault"
for counter in $errors rcvd_rnr_err send_rnr_err link_downed; do
    still rxe0 "$counter" "no fault"
    still rxe1 "$counter" "no fault"
done

wire_loss rxe1 5%
transfer 300 timeout=14
is "$written $wc_status" "300 0" "lost data: all is written in the end"
agrees "lost data"
# Which packets came twice is chance; with many of them reordering looks the same in these counters.
supports loss_towards_responder "lost data" possible
moves rxe0 completer_retry_err "lost data"
moves rxe0 rcvd_seq_err "lost data"
moves rxe1 out_of_seq_request "lost data"
still rxe0 out_of_seq_request "lost data"
still rxe1 completer_retry_err "lost data"
still rxe1 rcvd_seq_err "lost data"
still rxe0 retry_exceeded_err "lost data"

wire_heal
wire_loss rxe0 10%
transfer 300 timeout=14
is "$written $wc_status" "300 0" "lost acknowledgements: all is written in the end"
agrees "lost acknowledgements"
supports lost_acknowledgements "lost acknowledgements"
moves rxe0 completer_retry_err "lost acknowledgements"
moves rxe1 duplicate_request "lost acknowledgements"
still rxe0 rcvd_seq_err "lost acknowledgements"
still rxe1 out_of_seq_request "lost acknowledgements"
still rxe0 retry_exceeded_err "lost acknowledgements"

wire_heal
wire_delay rxe1 3ms 2ms
transfer 60 timeout=18
is "$written $wc_status" "60 0" "reordering: all is written in the end"
agrees "reordering"
moves rxe0 rcvd_seq_err "reordering"
moves rxe1 out_of_seq_request "reordering"
still rxe0 retry_exceeded_err "reordering"

wire_heal
wire_drop rxe1
transfer 1 timeout=14 retry=2
is "$written $wc_status" "0 12" "black hole: retries exceeded"
agrees "black hole"
supports dead_peer "black hole"
is "$(moved rxe0 retry_exceeded_err)" 1 "black hole: retry_exceeded_err of rxe0 counts one"
moves rxe0 completer_retry_err "black hole"
for counter in $errors sent_pkts rcvd_pkts; do
    still rxe1 "$counter" "black hole"
done

# One flow of two is broken, as one path of many would be.
wire_heal
wire_drop rxe1 58177
probe_open label=0x12345 timeout=14 retry=1
probe_write 1
is "$wc_status" 12 "one flow dropped: its queue pair fails"
probe_close
probe_open label=0x12346 timeout=20
probe_write 5
is "$written $wc_status" "5 0" "one flow dropped: the other goes through"
probe_close
done_testing
