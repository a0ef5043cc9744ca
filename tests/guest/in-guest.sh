#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# in-guest.sh [OPTION OF run.sh]... -- COMMAND...: run.sh for a command that prints TAP, as meson
# wants to hear it: where there is no guest to be had, the whole test is skipped; where the guest
# failed, that is a failure whatever was printed before.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
"$(dirname "$0")/run.sh" "$@" </dev/null > >(tee "$work/out") 2> >(tee "$work/err" >&2) || status=$?
wait
case $status in
0) ;;
77)
    # The guest's own plan stands, if there is one.
    [ -s "$work/out" ] || echo "1..0 # SKIP $(tail -n 1 "$work/err")"
    ;;
*) echo "Bail out! $(tail -n 1 "$work/err")" ;;
esac
