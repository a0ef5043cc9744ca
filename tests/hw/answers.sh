#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The first test on a device: it holds the tool to what can be held of any ConnectX, and asks the
# device what nobody could tell without one. It runs only for a device that is named:
#
#   ADP_HW_DEVICE=mlx5_0 meson test -C build --suite hw -v                       reads only
#   ADP_HW_DEVICE=mlx5_0 ADP_HW_WRITE=fields meson test ...                      one field there and back
#   ADP_HW_DEVICE=mlx5_0 ADP_HW_WRITE=profile ADP_HW_SURE=yes meson test ...     sets profiles, bad ones too
#
# "fields" turns roce_slow_restart_idle_en over and back. "profile" needs a device whose active
# profile is not the firmware's default, as that one may come back by a firmware reset alone;
# ADP_HW_SURE=yes goes on even so. What was changed is restored, whatever happens in between.
# ADP_HW_RECORD=FOLDER keeps what the device said: answers.txt, report.json (with the trace),
# trace.txt and device.conf, a description for the software ConnectX of tests/hca.
. "$(dirname "$0")/../tools/tap.sh"
: "${ADP:?the tool}"
device=${ADP_HW_DEVICE:-} level=${ADP_HW_WRITE:-}
[ -n "$device" ] || skip_all "no device is named: ADP_HW_DEVICE=mlx5_0 (reads; ADP_HW_WRITE=fields or profile)"
case $level in
'' | fields | profile) ;;
*) skip_all "ADP_HW_WRITE is fields or profile, not $level" ;;
esac
record=${ADP_HW_RECORD:-$tap_dir/record}
mkdir -p "$record" || skip_all "cannot make $record"
: >"$record/answers.txt"
: >"$record/trace.txt"
field=roce_slow_restart_idle_en
valid=$(dirname "$0")/../fixtures/roce_accl/set-named.txt

# adp WORD...: the tool, traced; $out, $err (without the trace) and $status.
adp()
{
    run "$ADP" -d -d "$@"
    grep 'trace: ' "$tap_dir/.err" >>"$record/trace.txt"
    err=$(grep -v 'trace: ' "$tap_dir/.err")
}

# value EXPRESSION: Python, of the last answer's first object as `d`; no line where there is none.
value()
{
    python3 -c '
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))[0]
v = eval(sys.argv[2])
print(*v if isinstance(v, list) else [v])' "$tap_dir/.out" "$1" 2>/dev/null
}

answer()
{
    echo "# $*"
    echo "$*" >>"$record/answers.txt"
}

# What was said when something did not go, in a line.
why() { grep -v 'warning' <<<"$err" | tail -n 1; }

dwords() { "$ADP" -j accl show "$device" >"$tap_dir/.out" 2>/dev/null && value 'd["raw"]'; }

# --- what the device is
adp -j dev show "$device"
exits 0 "the device is there"
[ "$status" = 0 ] || {
    done_testing
    exit
}
simulated=$(value 'd["simulated"]')
functions=$(value '"%s, port type %s, %s" % (d.get("function"), d.get("port_type"), d.get("pci"))')
paths=$(value '[a["path"] for a in d["access"] if a["usable"]]')
unusable=$(value '"; ".join("%s: %s" % (a["path"], a["reason"]) for a in d["access"] if not a["usable"])')
max_id=$(value 'd["adp"]["max_id"]')
firmware=$(value '"%s, firmware %s, board %s" % (d["driver"], d["fw_ver"], d["board_id"])')
answer "device: $firmware; $functions; kernel $(uname -r); simulated: $simulated"
answer "paths: ${paths:-none}; not usable: ${unusable:-none}"
python3 - "$tap_dir/.out" >"$record/device.conf" <<'PYTHON'
import json
import sys

# The names of the capabilities in the device's own answer.
names = {"udp_sport_modify": "rts2rts_qp_udp_sport", "roce_accl_counters": "roce_accl",
         "out_of_seq_cnt": "out_of_seq_cnt", "retransmission_q_counters": "retransmission_q_counters",
         "enhanced_error_q_counters": "enhanced_error_q_counters",
         "access_register_user": "access_register_user"}
device = json.load(open(sys.argv[1], encoding="utf-8"))[0]
print("# Recorded of a device with firmware", device["fw_ver"])
print("include roce.conf" if device.get("port_type") != "infiniband" else "include ib.conf")
for name, value in (device.get("caps") or {}).items():
    if name in names and value in (0, 1):
        print("general.%s = %d" % (names[name], value))
PYTHON
adp report show "$device" file "$record/report.json"
exits 0 "a report of it"

# --- reading, by every path
before=$(dwords)
like "$before" '^0x[0-9a-f]{8}( 0x[0-9a-f]{8}){15}$' "the register is read: 16 dwords"
echo "roce_accl = ${before//0x/}" >>"$record/device.conf"
answer "register: $before"
for path in $paths; do
    adp -j --via "$path" accl show "$device"
    if [ "$status" = 0 ]; then
        is "$(value 'd["raw"]')" "$before" "$path: the same dwords"
        answer "$path: reading the register works"
    else
        answer "$path: reading the register does not work: $(why)"
    fi
done
case " $paths " in
*" devx "*) answer "question 2, ACCESS_REGISTER_USER (0xb0c) for register 0x402c: see devx" ;;
*) answer "question 2, ACCESS_REGISTER_USER (0xb0c) for register 0x402c: not asked, no path devx here" ;;
esac

# Which id an answer names, the one asked for or the active one.
for ((id = 0; id <= max_id && id <= 7; id++)); do
    before_lines=$(wc -l <"$record/trace.txt")
    adp -j profile show "$device" id "$id"
    exits 0 "profile $id can be asked for"
    named=$(tail -n "+$((before_lines + 1))" "$record/trace.txt" |
        sed -n 's/.*answer: [0-9a-f]* \([0-9a-f]\{8\}\) .*/\1/p' | while read -r word; do
        echo $((0x$word >> 28 & 7))
    done | tail -n 1)
    answer "question 4, profile $id asked for: the answer names $named; it has $(value 'd["profile"]["range_num"]') ranges"
done
is "$(dwords)" "$before" "asking has changed nothing"

# Who else sees the same register: other ports and functions of the card.
for other in /sys/class/infiniband/*; do
    other=$(basename "$other")
    case $other in
    "$device" | '*') continue ;;
    esac
    run "$ADP" -j accl show "$other"
    theirs=$(value 'd["raw"]')
    [ -n "$theirs" ] || continue
    [ "$theirs" = "$before" ] && same="the same" || same="another"
    answer "question 5, $other ($(value 'd["pci"]')): $same content as $device"
done
answer "question 6, ps_metadata: the dwords above are all that is known"

# --- writing
active=$(("0x$(cut -d ' ' -f 2 <<<"$before" | cut -c 3-)" >> 28 & 7))
saved=
restore()
{
    [ -z "$level" ] || [ "$(dwords)" = "$before" ] && return
    if [ -n "$saved" ]; then
        "$ADP" -y profile restore "$device" "$saved" >/dev/null 2>&1
    fi
    [ -z "$original" ] || "$ADP" -y accl set "$device" "$field" "$original" >/dev/null 2>&1
    [ "$(dwords)" = "$before" ]
}
# shellcheck disable=SC2154 # set below
trap 'restore; tap_exit' EXIT
trap 'exit 1' INT TERM HUP

original=
if [ -n "$level" ]; then
    "$ADP" -j accl show "$device" >"$tap_dir/.out" 2>/dev/null
    original=$(value "d['fields']['$field'] if d['fields']['roce_slow_restart_idle_field_select'] else ''")
    [ -n "$original" ] || answer "writing: $field cannot be set on this device"
fi
if [ -n "$original" ]; then
    for path in $paths; do
        adp -y --via "$path" accl set "$device" "$field" $((1 - original))
        if [ "$status" != 0 ]; then
            answer "writing by $path: refused: $(why)"
            is "$(dwords)" "$before" "$path: a refused write changes nothing"
            continue
        fi
        answer "writing by $path: accepted"
        "$ADP" -j accl show "$device" >"$tap_dir/.out" 2>/dev/null
        is "$(value "d['fields']['$field']")" $((1 - original)) "$path: what was written is read"
        adp -y --via "$path" accl set "$device" "$field" "$original"
        is "$(dwords)" "$before" "$path: written back"
    done
    answer "question 1, a write through fwctl at scope 0: see fwctl"
fi

# attempt NAME WORD...: a profile that the firmware should refuse; how, and whether anything moved.
attempt()
{
    local name=$1 now
    shift
    now=$(dwords)
    adp -y -f profile set "$device" "$@"
    if [ "$status" = 0 ]; then
        answer "question 3, $name: accepted"
        "$ADP" -y profile restore "$device" "$example" >/dev/null 2>&1
    else
        answer "question 3, $name: $(why)"
        is "$(dwords)" "$now" "a refused profile changes nothing: $name"
    fi
}

if [ "$level" = profile ] && [ "$active" = 0 ] && [ "${ADP_HW_SURE:-}" != yes ]; then
    skip "profiles" "the firmware's default profile is active and may not come back: ADP_HW_SURE=yes goes on"
elif [ "$level" = profile ]; then
    [ "$active" = 0 ] || {
        saved=$record/saved.toml
        adp profile save "$device" "$saved"
        exits 0 "the active profile is saved"
    }
    adp -y profile set "$device" file "$valid"
    answer "the vendor's example profile: exit status $status${err:+, $(why)}"
    if [ "$status" = 0 ]; then
        example=$record/example.toml
        "$ADP" profile save "$device" "$example" >/dev/null 2>&1
        attempt "time_base 3, no power of two" time_base 3
        attempt "time_base 2, below the least" time_base 2
        attempt "ranges not in order" range_num 2 range_low_bound_0 4 range_size_0 2 range_low_bound_1 0 \
            range_size_1 2 prev_range_index_1 0
        attempt "profile $((max_id + 1)), above the highest" adp_retx_profile_id $((max_id + 1))
        attempt "profile 0 with parameters" adp_retx_profile_id 0 time_base 8
        adp -y -f profile set "$device" adp_retx_profile_id 0
        answer "question 4, back to profile 0: exit status $status${err:+, $(why)}"
    fi
fi
if [ -n "$level" ]; then
    if [ "$level" = profile ] && [ "$active" = 0 ] && ! restore; then
        answer "left: profile 1 is active; a firmware reset or a reboot brings the default back"
    else
        restore
        is "$(dwords)" "$before" "the register is as it was"
    fi
fi
done_testing
