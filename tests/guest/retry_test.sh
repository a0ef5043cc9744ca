#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# In the guest: a real retry engine in a black hole and on a lossy wire, beside the model "rxe". What is
# counted must be equal; times are printed beside the model's, and not judged: a machine may be slow.
. "$(dirname "$0")/../tools/tap.sh"
. "$(dirname "$0")/wire.sh"
: "${ADP:?the tool}"

# model KEY TIMEOUT RETRY_CNT: what the tool says of it.
model()
{
    "$ADP" -j retry explain timeout "$2" retry_cnt "$3" | grep -o '"model":"rxe"[^}]*' |
        sed -n "s/.*\"$1\":\([^,]*\).*/\1/p"
}

counter() { cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"; }

# cut_off TIMEOUT RETRY_CNT: connects, writes, cuts the wire, writes once more. In between it waits
# two timeouts: rxe does not stop its timer when all is acknowledged, so that the first interval of a
# request that follows soon is shorter by what has gone of the last one's.
cut_off()
{
    written='' wc_status='' took_ns=''
    wire_heal
    probe_open timeout="$1" retry="$2" || return
    probe_write 3 || return
    is "$written $wc_status" "3 0" "timeout $1, retry_cnt $2: connected"
    wire_drop rxe1
    sleep "$(awk -v t="$1" 'BEGIN { print 2 * 4.096e-6 * 2 ^ t }')"
    exceeded=$(counter rxe0 retry_exceeded_err)
    probe_write 1
}

retry_exc_err=12 # IBV_WC_RETRY_EXC_ERR

# lossy TIMEOUT RETRY_CNT PERCENT: so many packets of both directions are lost; one write after
# another, until one has lost all its transmissions or their answers.
lossy()
{
    local before
    writes=0 sent='' wc_status='' took_ns=''
    wire_heal
    probe_open timeout="$1" retry="$2" || return
    wire_count rxe1
    wire_loss rxe1 "$3%"
    wire_loss rxe0 "$3%"
    for writes in $(seq 200); do
        before=$(wire_counted rxe1)
        exceeded=$(counter rxe0 retry_exceeded_err)
        probe_write 1 || return
        sent=$(($(wire_counted rxe1) - before))
        [ "$wc_status" = 0 ] || return 0
        sleep "$(awk -v t="$1" 'BEGIN { print 2 * 4.096e-6 * 2 ^ t }')"
    done
}

# ends_as_modelled TIMEOUT RETRY_CNT TRANSMISSIONS NAME: how the last write ended; the time it took is
# printed beside the model's.
ends_as_modelled()
{
    is "$wc_status" "$retry_exc_err" "$4 ends with retries exceeded"
    is "$3" "$(model transmissions "$1" "$2")" "$4: as many transmissions as the model says"
    sleep 0.1
    is "$(($(counter rxe0 retry_exceeded_err) - exceeded))" 1 "$4: retry_exceeded_err counts it"
    awk -v e="$(model time_to_error_ms "$1" "$2")" -v ns="$took_ns" -v name="$4" 'BEGIN {
        m = ns / 1e6; printf "# %s: model %s ms, measured %.1f ms, %+.1f %%\n", name, e, m, (m / e - 1) * 100 }'
}

wire_up || skip_all "no rxe devices"
for pair in "12 2" "14 0" "14 1" "14 6" "15 4" "16 3" "18 1"; do
    read -r timeout retry <<<"$pair"
    cut_off "$timeout" "$retry"
    ends_as_modelled "$timeout" "$retry" "$(wire_dropped rxe1)" "timeout $timeout, retry_cnt $retry"
    probe_close
done

# A lossy path instead of none: what ends in an error has waited as long as in a black hole.
for case in "12 1 60" "14 2 60" "14 6 85" "15 3 70" "16 1 60"; do
    read -r timeout retry percent <<<"$case"
    lossy "$timeout" "$retry" "$percent"
    ends_as_modelled "$timeout" "$retry" "$sent" \
        "timeout $timeout, retry_cnt $retry, $percent % loss: write $writes"
    probe_close
done

# Seven is "for ever" here.
is "$(model time_to_error_ms 14 7)" null "retry_cnt 7: the model knows no end"
probe_timeout=4 cut_off 14 7
is "$wc_status" "" "retry_cnt 7: no completion in the time that six would have taken eight times"
sent=$(wire_dropped rxe1)
is "$([ "$sent" -gt 8 ] && echo more)" more "retry_cnt 7: more than eight transmissions ($sent)"
wire_heal
read -r -t 60 line <&"$probe_out"
has "$line" "done=1 wc_status=0" "retry_cnt 7: when the wire is mended the request completes"
probe_close
done_testing
