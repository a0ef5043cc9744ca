#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# demo.sh ADP: the main job, step by step: look at a device, check the vendor's sample profile, set
# it, read it back, see what it changed and what it means in time. A real device is only looked at;
# what writes is shown on the simulated one.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
adp=$(readlink -f "$1")
fixtures=tests/fixtures/roce_accl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

title()
{
    printf '\n## %s\n' "$*"
}

# step STATUSES WORD...: shows the command and its output; any other exit status ends the demo.
step()
{
    local allowed=$1 status=0 shown word
    shift
    shown='$ adp'
    for word; do
        case $word in
        *[!A-Za-z0-9_./,:=@%+-]*) shown+=" '$word'" ;;
        *) shown+=" $word" ;;
        esac
    done
    printf '\n%s\n' "${shown//$work/\$WORK}"
    "$adp" "$@" </dev/null 2>&1 | sed "s|$work|\$WORK|g" || status=${PIPESTATUS[0]}
    case " $allowed " in
    *" $status "*) ;;
    *)
        printf '\ndemo: exit status %s, expected %s\n' "$status" "$allowed" >&2
        exit 1
        ;;
    esac
    last_status=$status
}

# The devices of this machine whose register can be there, by their driver.
real_devices()
{
    "$adp" -j dev show 2>/dev/null </dev/null | python3 -c '
import json, sys
try:
    rows = json.load(sys.stdin)
except ValueError:
    rows = []
print(*sorted({r["dev"] for r in rows if r.get("driver") == "mlx5_core" and not r.get("simulated")}),
      sep="\n")' || true
}

mapfile -t devices < <(real_devices)
if [ -n "${devices[0]:-}" ]; then
    title "This machine's own devices, read only"
    for dev in "${devices[@]}"; do
        step "0 2" -d dev show "$dev"
        step "0 2" profile show "$dev"
        [ "$last_status" -eq 0 ] || echo "(refused or absent: the reason is above; the demo goes on)"
    done
else
    title "No ConnectX device on this machine: everything below is simulated"
fi

sim=--sim=$work/sim
title "A simulated device, as its firmware ships: no profile is active"
step 0 "$sim" dev show
step 0 "$sim" profile show sim0

title "The vendor's sample profile, as its document prints it, as a file, and checked"
step 0 profile decode "$fixtures/set-named.txt"
step 0 profile encode "$fixtures/set-named.txt" toml
"$adp" profile encode "$fixtures/set-named.txt" toml >"$work/sample.toml"
step 0 profile check "$work/sample.toml"

title "Kept for later, and what a set would write"
step 0 "$sim" profile save sim0 "$work/before.toml"
step 0 "$sim" -n profile set sim0 file "$work/sample.toml"

title "Set, verified by reading back, and shown with its times"
step 0 "$sim" -y profile set sim0 file "$work/sample.toml"
step 0 "$sim" profile show sim0

title "What changed (exit status 3: they differ)"
step 3 "$sim" profile diff file "$work/before.toml" dev sim0

title "The register that the vendor's document prints after its own set, decoded"
step 0 profile decode "$fixtures/named-after.txt"

title "The same as JSON, for a program"
step 0 -j -p "$sim" profile show sim0

printf '\ndemo: all steps ended as expected; nothing on this machine was changed\n'
