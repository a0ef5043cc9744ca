#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# answers.sh itself, tried where the right answers are known: on the emulated kernel.
. "$(dirname "$0")/../emukernel/lib.sh"
: "${ADP:?the tool}"
answers=$(dirname "$0")/answers.sh

# The tool on the emulated kernel; the script around it is not.
cat >"$emu_work/adp" <<END
#!/bin/sh
LD_PRELOAD='$(emu_preload "$ADP")' exec '$ADP' "\$@"
END
chmod +x "$emu_work/adp"

# ask STATUS [VARIABLE=VALUE]...: runs it; no case may have failed.
ask()
{
    local wanted=$1 status=0
    shift
    ADP=$emu_work/adp ADP_HW_RECORD=$emu_work/record timeout 200 env "$@" \
        bash "$answers" >"$emu_out" 2>"$emu_err" || status=$?
    [ "$status" -eq "$wanted" ] && ! grep -q '^not ok\|^Bail out' "$emu_out"
    result $? "answers.sh $*"
}

fresh_root
ask 0
expect_out '^1\.\.0 # SKIP no device is named'
ask 0 ADP_HW_DEVICE=mlx5_0 ADP_HW_WRITE=everything
expect_out '^1\.\.0 # SKIP ADP_HW_WRITE is fields or profile'

ask 0 ADP_HW_DEVICE=mlx5_0
expect_out '^# paths: .*devx'
expect_out '^# devx: reading the register works'
expect_out '^# question 4, profile 1 asked for: the answer names 1'
expect_calls 0 'rw=w'
first=$(register)

EMUKERNEL_FAULT='op=0xb0c,status=3,syndrome=0x77' ask 0 ADP_HW_DEVICE=mlx5_0
expect_out '^# devx: reading the register does not work: .*syndrome 0x0*77'

ask 0 ADP_HW_DEVICE=mlx5_0 ADP_HW_WRITE=fields
expect_out '^# writing by devx: accepted'
[ "$(register)" = "$first" ]
result $? "the register is as it was"
ask 0 ADP_HW_DEVICE=mlx5_0 ADP_HW_WRITE=profile
expect_out '# SKIP the firmware.s default profile is active'
[ "$(register)" = "$first" ]
result $? "the register is as it was"

# On a device with a profile of its own everything comes back.
LD_PRELOAD='' "$emu_work/adp" -y profile set mlx5_0 \
    file "$EMUKERNEL_SOURCE/tests/fixtures/roce_accl/set-named.txt" >"$emu_out" 2>"$emu_err"
result $? "a profile is set"
first=$(register)
ask 0 ADP_HW_DEVICE=mlx5_0 ADP_HW_WRITE=profile
expect_out '^# question 3, time_base 3, no power of two: .*status 0x03'
[ "$(register)" = "$first" ]
result $? "the profile is as it was"
grep -q "^roce_accl = [0-9a-f]\{8\} " "$emu_work/record/device.conf"
result $? "a description for the software ConnectX was recorded"
grep -q '402c' "$emu_work/record/trace.txt" && grep -q '"roce_accl"' "$emu_work/record/report.json"
result $? "trace and report were recorded"
finish
