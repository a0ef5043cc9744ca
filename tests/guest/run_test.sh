#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# run.sh itself: what a command's end, the guest's end and a missing guest look like from outside.
. "$(dirname "$0")/../tools/tap.sh"
guest=$(dirname "$0")/run.sh
in_guest=$(dirname "$0")/in-guest.sh

# Without a guest.
run "$guest"
exits 1 "no command"
run "$guest" -t soon true
exits 1 "a time limit that is no number"
run "$guest" -o "$tap_dir/nowhere" true
exits 1 "a folder that is not there"
run "$guest" -r "$tap_dir" true
exits 1 "a root without systemd"
has "$err" "no systemd in $tap_dir" "which is said"
run "$guest" -z true
exits 1 "an option that is not known"
run env ADP_SUITES=no "$guest" true
exits 77 "kernel packages switched off: it cannot be done here"
has "$err" ADP_SUITES "and why is said"
run env ADP_SUITES=no "$in_guest" true
like "$out" '^1\.\.0 # SKIP .*ADP_SUITES' "in TAP that is a skipped test with its reason"
mkdir "$tap_dir/bin"
for tool in bash cat dirname env sed tail tee mktemp rm uname; do
    ln -s "$(command -v $tool)" "$tap_dir/bin/$tool"
done
run env PATH="$tap_dir/bin" "$guest" true
exits 77 "no QEMU: it cannot be done here"
has "$err" qemu-system-x86 "the package is named"

# One boot: the command's own end.
mkdir "$tap_dir/shared"
# shellcheck disable=SC2016 # the guest's shell expands it
run "$guest" -o "$tap_dir/shared" -l "$tap_dir/log" -- bash -c \
    'echo "to stdout: $1"; echo "to stderr" >&2; cat; pwd >/out/file; printf "\0\1\n"; exit 7' bash "it's  a \$word"
if [ "$status" = 77 ]; then
    skip "a guest" "$(tail -n 1 <<<"$err")"
    done_testing
    exit
fi
exits 7 "the exit status is the command's"
is "$out" "to stdout: it's  a \$word"$'\n\1' "stdout, whatever the words"
is "$(tail -c 3 "$tap_dir/.out" | od -An -tx1)" " 00 01 0a" "byte for byte"
# The first to need the kernel says that it has fetched it.
is "$(grep -v "^fetch-suite: " <<<"$err")" "to stderr" "stderr, apart from it"
is "$(cat "$tap_dir/shared/file")" "$PWD" "/out is the folder; the command ran in this one"
like "$(cat "$tap_dir/log")" 'Linux version [67]\.' "the kernel's log was kept"

# The kernel's own troubles.
run "$guest" -- bash -c 'echo "<4>WARNING: CPU: 0 made up" >/dev/kmsg; echo done'
exits 125 "a warning of the kernel fails a run"
has "$out" "done" "which went to its end"
has "$err" "made up" "the line is shown"
run "$in_guest" -- bash -c 'echo "1..1"; echo "ok 1"; echo c >/proc/sysrq-trigger'
has "$out" "ok 1" "a panic: what was printed before came out"
like "$out" '^Bail out! guest: no result' "but in TAP it is a failure"
has "$err" "sysrq triggered crash" "the console is shown"

# Its end by force. Nothing may remain.
run "$guest" -t 1 -- sleep 1000
exits 124 "the time limit"
TMPDIR=$tap_dir "$guest" -t 100 -- sleep 1000 >/dev/null 2>&1 &
runner=$!
for _ in $(seq 300); do
    qemu=$(pgrep -f "^[^ ]*qemu-system-x86_64 .*$tap_dir") && break
    sleep 0.1
done
like "$qemu" '^[0-9]+$' "QEMU runs"
is "$(ss -H -lntupx | grep "pid=$qemu,")" "" "it listens nowhere"
kill -KILL "$runner"
for _ in $(seq 100); do
    kill -0 "$qemu" 2>/dev/null || break
    sleep 0.1
done
is "$(pgrep -f "$tap_dir/tmp")" "" "it dies with run.sh, however that died"
done_testing
