# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The real mstreg through PCI configuration space, beside adp: both see one register.
. "$TOP/tests/hca/guest.sh"
vendor=$TOP/tests/fixtures/roce_accl
pci=0000:01:00.0
with_mstreg || skip_all 'mstreg of Debian sid cannot be had here'
load_drivers

# agree NAME: mstreg, adp by DEVX and adp by mstreg show the same 16 dwords, those of the device.
agree()
{
    local held
    held=$(hca reg 0x402c)
    run mstreg -d $pci --reg_id 0x402c --reg_len 0x40 --get
    is "$(printed_register "$tap_dir/.out")" "$held" "$1: mstreg"
    for path in devx mstreg; do
        run "$ADP" -j --via $path accl show mlx5_0
        is "$(python3 -c 'import json, sys; print(*(w[2:] for w in json.load(open(sys.argv[1]))[0]["raw"]))' "$tap_dir/.out" 2>&1)" \
            "$held" "$1: adp by $path"
    done
}

run mstreg -d $pci --reg_id 0x9999 --reg_len 0x40 --get
has "$out$err" 'Register not supported' 'a register that is not there'
agree 'before any write'
run mstreg -d $pci --reg_id 0x402c --reg_len 0x40 --yes --set "$(cat "$vendor/set-raw.txt")"
exits 0 'the documented set by mstreg'
is "$(hca reg 0x402c)" "$(printed_register "$vendor/raw-set-preview.txt")" "the vendor's dwords are in the register"
agree 'after it'
run "$ADP" --via devx accl set mlx5_0 roce_tx_window_en 1
exits 0 'adp by DEVX'
agree 'after a set by DEVX'
run "$ADP" --via mstreg profile set mlx5_0 time_base 8
exits 0 'adp by mstreg'
agree 'after a set by mstreg'
run mstreg -d $pci --reg_name ROCE_ACCL --get
has "$out" 'roce_adp_retrans_en' 'mstreg knows it by name'
run "$ADP" -j -d dev show mlx5_0
json 'any(x["path"] == "mstreg" and x["usable"] == 1 for x in d[0]["access"])' 'adp says that the path can be used'

# What firmware refuses comes through mstreg in other words.
hca fault op=0x805,reg=0x402c,rw=w,status=3,syndrome=0x55,count=1
run "$ADP" --via mstreg profile set mlx5_0 time_base 4
exits 2 'a refused write by mstreg'
is "$(hca reg 0x402c | cut -d ' ' -f 5)" 90400008 'nothing was changed'

# Lockdown: the kernel forbids writing configuration space, and adp says why the path is none.
if echo integrity >/sys/kernel/security/lockdown 2>/dev/null; then
    run "$ADP" -j -d dev show mlx5_0
    json 'any(x["path"] == "mstreg" and x["usable"] == 0 and "lockdown" in x["reason"] for x in d[0]["access"])' \
        'lockdown=integrity: adp tells'
    run "$ADP" --via devx accl show mlx5_0
    exits 0 'lockdown=integrity: DEVX works'
else
    skip 'lockdown=integrity' 'this kernel has no lockdown'
fi
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
