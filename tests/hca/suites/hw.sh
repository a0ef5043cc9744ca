# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# What tests/hw asks a real device, asked here: under the stock drivers, where the right answers are
# known. First it reads, then it writes a field and profiles; each time the register is afterwards as
# before. What it recorded describes this device.
. "$TOP/tests/hca/guest.sh"
vendor=$TOP/tests/fixtures/roce_accl
record=$tap_dir/record

# ask NAME [VARIABLE=VALUE]...: runs it; $out is what it printed.
ask()
{
    local name=$1
    shift
    run timeout 200 env ADP_HW_DEVICE=mlx5_0 "ADP_HW_RECORD=$record" "$@" bash "$TOP/tests/hw/answers.sh"
    exits 0 "$name"
    is "$(grep -c '^not ok\|^Bail out' <<<"$out")" 0 "$name: no case fails"
    [ "$(grep -c '^ok' <<<"$out")" -gt 5 ]
    is $? 0 "$name: there are cases"
}

answered()
{
    has "$(cat "$record/answers.txt")" "$1" "$2"
}

one_function_up
paths=(devx)
if [ -e /dev/fwctl/fwctl0 ]; then
    paths+=(fwctl)
else
    skip 'fwctl' "$NO_FWCTL"
fi
before=$(hca reg 0x402c)
ask 'reading'
is "$(hca reg 0x402c)" "$before" 'reading leaves the register'
answered 'firmware 28.47.1026, board MT_0000000838' 'the device is named'
answered 'simulated: 0' 'it is none of the tool'\''s own devices'
for path in "${paths[@]}"; do
    answered "$path: reading the register works" "$path is answered"
done
answered 'question 4, profile 1 asked for: the answer names 1' 'which profile an answer names'

run "$ADP" -y profile set mlx5_0 file "$vendor/set-named.txt"
exits 0 'a profile of its own'
before=$(hca reg 0x402c)
ask 'a field and profiles' ADP_HW_WRITE=profile
for path in "${paths[@]}"; do
    answered "writing by $path: accepted" "$path writes"
done
answered 'example profile: exit status 0' 'the example is taken'
for attempt in 'time_base 3, no power of two' 'time_base 2, below the least' 'ranges not in order'; do
    [ "$(grep -c "question 3, $attempt: .*status 0x03" "$record/answers.txt")" = 1 ]
    is $? 0 "refused by the firmware, with its status: $attempt"
done
is "$(hca reg 0x402c)" "$before" 'the profile is as it was'

# What was recorded: a report that is replayed, and a description that a software ConnectX takes.
run "$ADP" -j "--sim=$record/report.json" accl show
json "' '.join(x[2:] for x in d[0]['raw']) == '$before'" \
    'the report shows the same register'
has "$(cat "$record/trace.txt")" '402c' 'the trace has the register'
cp "$TOP"/tests/hca/devices/*.conf "$tap_dir"
cp "$record/device.conf" "$tap_dir/recorded.conf"
mkdir "$tap_dir/nic"
# shellcheck disable=SC2153 # of run.sh, not the one below
"$SERVER" "$tap_dir/nic" "$tap_dir/recorded.conf" >"$tap_dir/ready" 2>"$tap_dir/log" &
server=$!
run wait_for 10 test -s "$tap_dir/ready"
exits 0 'a software ConnectX takes the description'
kill $server
is "$(sed -n 's/^roce_accl = //p' "$record/device.conf")" "$before" 'and has its register'

# Firmware that lets users reach no register: an answer too, and no failure.
hca fault op=0xb0c,status=8,syndrome=0x12345
record=$tap_dir/refused
ask 'firmware that refuses the command'
answered 'devx: reading the register does not work' 'is an answer'
answered 'syndrome 0x00012345' 'with its syndrome'
hca clear

kernel_is_quiet 'the kernel has nothing to say about it'
unload_drivers
done_testing
