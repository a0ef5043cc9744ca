#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every fault on every path and verb: the documented errno, a message with its reason, nothing half
# done.
EMU_AS_ROOT=1
. "$(dirname "$0")/../emukernel/lib.sh"
table=$EMUKERNEL_SOURCE/tests/fixtures/roce_accl
sample=$table/set-named.txt

read_verbs=("accl show mlx5_0" "profile show mlx5_0" "profile diff dev mlx5_0 file $sample"
    "profile save mlx5_0 $emu_work/saved.toml" "retry calibrate mlx5_0" "accl histogram mlx5_0")
write_verbs=("accl set mlx5_0 roce_tx_window_en 1" "-y profile set mlx5_0 file $sample"
    "profile disable mlx5_0" "-y profile enable mlx5_0" "-y profile restore mlx5_0 $sample"
    "accl set mlx5_0 roce_tx_window_en 1 for 1h" "accl restore mlx5_0"
    "apply mlx5_0 config $emu_work/apply" "accl histogram mlx5_0 bin_num 7")
install -D -m 644 /dev/stdin "$emu_work/apply/adp.toml" <<'TOML'
[[device]]
match = "mlx5_0"
[device.accl]
roce_tx_window_en = 1
TOML

# prepare VERB: the machine it is tried on. What it is then is kept, to compare with.
prepare()
{
    fresh_root "$([[ $1 == *histogram* || $1 == *calibrate* ]] && echo full)"
    case $1 in
    *"profile enable"*) emu "$ADP" profile disable mlx5_0 ;;
    "accl restore"*) emu "$ADP" accl set mlx5_0 roce_tx_window_en 1 for 1h ;;
    *) emu "$ADP" dev ;; # the state file is there from the first command on
    esac >/dev/null
    registers >"$emu_work/before"
}

# registers: ROCE_ACCL, and the histogram's configuration where the machine has it.
registers()
{
    register
    [ -z "$EMUKERNEL_STATE" ] || register "" 0xc01d
}

# untouched VERB: the registers as prepared; no file half written, nothing pending that was not set.
untouched()
{
    registers | diff "$emu_work/before" - >"$emu_out" 2>&1
    result $? "the registers are as before"
    case $1 in
    "profile save"*)
        [ ! -e "$emu_work/saved.toml" ]
        result $? "no file is left"
        ;;
    "accl restore"*)
        expect_exit 0 "$ADP" -j accl pending
        expect_out '"field":"roce_tx_window_en","new":1,"old":0'
        ;;
    *"for 1h")
        expect_exit 0 "$ADP" -j accl pending
        expect_out '^\[\]$'
        ;;
    esac
}

# fault VIA FAULT ERRNO TEXT VERB: the verb fails so, says so in JSON as well, and nothing has changed.
fault()
{
    local via=$1 text=$2 name=$3 message=$4 verb=$5 words
    prepare "$verb"
    read -ra words <<<"$verb"
    EMUKERNEL_FAULT=$text expect_exit 2 "$ADP" -j --via "$via" "${words[@]}"
    expect_out "\"error\":\"$name\""
    expect_err "$message"
    # A device that is gone shows nothing any more.
    [ "$name" = ENODEV ] || untouched "$verb"
}

declare -A op=([fwctl]=0x805 [devx]=0xb0c)
for via in fwctl devx; do
    for verb in "${read_verbs[@]}" "${write_verbs[@]}"; do
        o=op=${op[$via]}
        fault $via "$o,errno=1" EPERM 'Operation not permitted' "$verb"
        fault $via "$o,errno=13" EACCES 'Permission denied' "$verb"
        fault $via "$o,errno=5" EIO 'Input/output error' "$verb"
        fault $via "$o,status=3,syndrome=0x1234" EREMOTEIO 'status 0x0?3.*bad parameter.*0x0*1234' "$verb"
        fault $via "$o,gone=1" ENODEV 'No such device' "$verb"
    done
    for verb in "${write_verbs[@]}"; do
        w=op=${op[$via]},rw=w
        fault $via "$w,errno=5" EIO 'nothing was changed' "$verb"
        fault $via "$w,status=3,syndrome=0xabc" EREMOTEIO 'nothing was changed' "$verb"
        fault $via "$w,ignore=1" ESTALE 'asked .*, the device shows' "$verb"
    done
done

# The mstreg path, with programs that stand in for the tool; the real one is in mstreg_test.sh.
stand_in() # BODY ERRNO TEXT VERB
{
    printf '#!/bin/sh\n%s\n' "$1" >"$emu_work/bin/mstreg"
    chmod 755 "$emu_work/bin/mstreg"
    fault mstreg '' "${@:2}"
}
mkdir "$emu_work/bin"
whole_path=$PATH
PATH=$emu_work/bin:$PATH
export EMUKERNEL_NO_FWCTL=1
for verb in "${read_verbs[@]}" "${write_verbs[@]}"; do
    stand_in 'echo "-E- Failed to open device: Permission denied" >&2; exit 1' EACCES \
        'Permission denied' "$verb"
    stand_in 'echo "-E- Failed send access register: ME_REG_ACCESS_BAD_PARAM"; exit 1' EREMOTEIO \
        'ME_REG_ACCESS_BAD_PARAM' "$verb"
    stand_in 'echo hello' EPROTO 'printed no register: "hello"' "$verb"
    stand_in 'head -c 100000 /dev/urandom' EPROTO 'printed no register' "$verb"
    stand_in 'exit 3' EIO 'failed without a word' "$verb"
    stand_in 'kill -SEGV $$' EIO 'ended by signal 11' "$verb"
done
rm "$emu_work/bin/mstreg"
mkdir "$emu_work/tools"
for tool in basename bash cat diff env grep head mktemp rm sed timeout; do
    ln -s "$(command -v $tool)" "$emu_work/tools/$tool"
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$emu_work/tools/python3"
# shellcheck disable=SC2123 # that the tool is nowhere is what is tried
PATH=$emu_work/tools
for verb in "accl show mlx5_0" "accl set mlx5_0 roce_tx_window_en 1"; do
    fault mstreg '' ENOENT 'neither mstreg nor mlxreg found in PATH' "$verb"
done
PATH=$whole_path
unset EMUKERNEL_NO_FWCTL

# The kernel's own EINVAL is no wrong request.
fresh_root
EMUKERNEL_FAULT='op=0x805,rw=w,errno=22' expect_exit 2 "$ADP" -j --via fwctl accl set mlx5_0 roce_tx_window_en 1
expect_out '"error":"EIO"'

# An old kernel maps the firmware's status to an errno (mlx5's cmd_status_to_err()) and loses the
# answer. Its EINVAL is no fault of the request: it is told as a status that was not passed on.
for status in '3 EREMOTEIO' '1 EIO' '6 EBUSY'; do
    fresh_root
    EMUKERNEL_KERNEL=legacy EMUKERNEL_FAULT="op=0xb0c,status=${status% *}" \
        expect_exit 2 "$ADP" -j --via devx accl show mlx5_0
    expect_out "\"error\":\"${status#* }\""
    expect_err 'devx'
    expect_register "$table/raw-before.txt"
done

# Replies that cannot be right.
fresh_root
EMUKERNEL_FAULT='op=0x805,short=8' expect_exit 2 "$ADP" -j --via fwctl accl show mlx5_0
expect_out '"error":"EPROTO"'
EMUKERNEL_FAULT='op=0x805,short=40' expect_exit 2 "$ADP" -j --via fwctl profile show mlx5_0
expect_out '"error":"EPROTO"'

# Gone between the write and the read-back: the write may have been made, and that is said.
fresh_root
EMUKERNEL_FAULT='reg=0x402c,rw=r,skip=1,gone=1' \
    expect_exit 2 "$ADP" -j --via fwctl accl set mlx5_0 roce_tx_window_en 1
expect_err 'effect is not known'
expect_out '"error":"ENODEV"'

# Refused once while reading back.
fresh_root
EMUKERNEL_FAULT='reg=0x402c,rw=r,skip=1,count=1,errno=5' \
    expect_exit 2 "$ADP" --via fwctl accl set mlx5_0 roce_tx_window_en 1
expect_err 'while reading back'

# A signal between write and read-back: the state is reported, the lock is free, then it ends by it.
fresh_root
EMUKERNEL_SIGNAL_AFTER_WRITE=2 expect_exit 130 "$ADP" accl set mlx5_0 roce_tx_window_en 1
expect_out 'roce_tx_window_en 0 -> 1'
expect_exit 0 "$ADP" accl set mlx5_0 roce_tx_window_en 0

# The kernel wants a wider scope for writes: what -f has set is restored by -f, and without saying it.
fresh_root
wider='op=0x805,rw=w,errno=74,count=1;op=0x805,rw=w,errno=74,skip=1,count=1'
EMUKERNEL_FAULT=$wider expect_exit 0 "$ADP" -f accl set mlx5_0 roce_tx_window_en 1 for 1h
EMUKERNEL_FAULT=$wider expect_exit 0 "$ADP" accl restore mlx5_0
expect_register "$table/raw-before.txt"

# The second function of a bond refuses: the first one is put back.
fresh_root bond
expect_exit 0 "$ADP" -j dev
bond=$(sed -n 's/.*"dev":"\([^"]*\)".*/\1/p' "$emu_out" | head -1)
second=$(sed -n 's/.*"pci":\["[^"]*","\([^"]*\)".*/\1/p' "$emu_out" | head -1)
first=$(sed -n 's/.*"pci":\["\([^"]*\)".*/\1/p' "$emu_out" | head -1)
register "$first" >"$emu_work/before"
python3 - "$EMUKERNEL_ROOT/state.json" "$second" <<'END'
import json, sys
state = json.load(open(sys.argv[1]))
for device in state["devices"]:
    if device["pci"] == sys.argv[2]:
        device["faults"] = "reg=0x402c,rw=w,status=5"
json.dump(state, open(sys.argv[1], "w"))
END
expect_exit 2 "$ADP" --via fwctl accl set "$bond" roce_tx_window_en 1
expect_err "bond member $second: .*$first was put back"
expect_register "$emu_work/before" "$first"

# The same for the histogram's configuration, which the register map of that machine has to have.
fresh_root full
expect_exit 0 "$ADP" -j dev
cp "$EMUKERNEL_ROOT/state.json" "$emu_work/full.json"
fresh_root bond
expect_exit 0 "$ADP" -j dev
python3 - "$EMUKERNEL_ROOT/state.json" "$second" "$emu_work/full.json" <<'END'
import json, sys
state, full = (json.load(open(f)) for f in (sys.argv[1], sys.argv[3]))
for device in state["devices"]:
    for key in ("nic_cap", "histogram"):
        device[key] = full["devices"][0][key]
    if device["pci"] == sys.argv[2]:
        device["faults"] = "reg=0xc01d,rw=w,status=5"
json.dump(state, open(sys.argv[1], "w"))
END
register "$first" 0xc01d >"$emu_work/before"
expect_exit 2 "$ADP" --via fwctl accl histogram "$bond" bin_num 1
expect_err "bond member $second: .*$first was put back"
register "$first" 0xc01d >"$emu_work/after"
cmp "$emu_work/before" "$emu_work/after" >"$emu_out" 2>&1
result $? "the first function's configuration is as it was"
expect_exit 1 "$ADP" --via fwctl accl histogram "$bond" bin_num 4000
expect_err "bin_num"

finish
