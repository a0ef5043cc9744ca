# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# For tests written in bash: source it, use the words below, end with done_testing. Prints TAP.
# Each test has a folder of its own, $tap_dir, which goes away at the end.
#
#   run CMD...              runs it, no input; leaves $status, $out, $err
#   is GOT WANT NAME        equal texts
#   like TEXT REGEX NAME    extended regular expression, line by line
#   has TEXT PART NAME      PART is somewhere in TEXT;  lacks: it is nowhere
#   exits STATUS NAME       the last run ended so
#   json EXPRESSION NAME    Python, true of the last run's output as `d`
#   pass NAME, fail NAME [WHY]
#   skip NAME REASON        one case;  skip_all REASON: the whole test

tap_count=0
tap_done=
tap_dir=$(mktemp -d)
status=0 out='' err=''

tap_exit()
{
    rm -rf "$tap_dir"
    [ -n "$tap_done" ] || echo "Bail out! it ended before done_testing"
}
trap tap_exit EXIT

pass()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

fail()
{
    tap_count=$((tap_count + 1))
    echo "not ok $tap_count - $1"
    [ $# -lt 2 ] || printf '%s\n' "$2" | head -n 60 | sed 's/^/# /'
}

skip()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

skip_all()
{
    echo "1..0 # SKIP $*"
    tap_done=yes
    exit 0
}

done_testing()
{
    tap_done=yes
    echo "1..$tap_count"
}

run()
{
    status=0
    "$@" >"$tap_dir/.out" 2>"$tap_dir/.err" </dev/null || status=$?
    # Bytes that a shell variable cannot hold are left out; a test of those reads the files.
    out=$(tr -d '\0' <"$tap_dir/.out")
    err=$(tr -d '\0' <"$tap_dir/.err")
}

tap_last_run()
{
    printf 'exit status %s\nstdout:\n%s\nstderr:\n%s' "$status" "$out" "$err"
}

is()
{
    if [ "$1" = "$2" ]; then
        pass "$3"
    else
        fail "$3" "$(diff -u --label wanted --label got <(printf '%s\n' "$2") <(printf '%s\n' "$1"))"
    fi
}

like()
{
    if grep -qE -e "$2" <<<"$1"; then
        pass "$3"
    else
        fail "$3" "$(printf 'no line is like: %s\n%s' "$2" "$1")"
    fi
}

has()
{
    if [[ $1 == *"$2"* ]]; then
        pass "$3"
    else
        fail "$3" "$(printf 'not in it: %s\n%s' "$2" "$1")"
    fi
}

lacks()
{
    if [[ $1 != *"$2"* ]]; then
        pass "$3"
    else
        fail "$3" "$(printf 'in it: %s\n%s' "$2" "$1")"
    fi
}

exits()
{
    if [ "$status" = "$1" ]; then
        pass "$2"
    else
        fail "$2" "$(printf 'wanted exit status %s\n%s' "$1" "$(tap_last_run)")"
    fi
}

json()
{
    local why
    if why=$(python3 -c '
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(0 if eval(sys.argv[2]) else "not true: " + sys.argv[2])' "$tap_dir/.out" "$1" 2>&1); then
        pass "$2"
    else
        fail "$2" "$(printf '%s\n%s' "$why" "$(tap_last_run)")"
    fi
}
