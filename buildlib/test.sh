# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Running the tests, suite by suite, each under a time limit that no hanging test can outlive.

# Seconds that a suite may take; a suite that comes near it is too slow, not the limit too short.
suite_limit()
{
    case $1 in
    emukernel | guest | hca | kernels) echo 1200 ;;
    *) echo 600 ;;
    esac
}

# The suites of a build folder. Those on real hardware (hw), in real time (timing) and on the other
# kernel of the two (kernels) run only when asked for by name.
all_suites()
{
    meson introspect --tests "$1" | python3 -c '
import json, sys
names = {s.split(":")[-1] for t in json.load(sys.stdin) for s in t["suite"]}
print(*sorted(names - {"hw", "timing", "kernels"}))'
}

# run_suites FOLDER [SUITE]... [-- WORD OF MESON TEST]...: runs them and prints the summary. Fails
# when a test failed, and when none ran.
run_suites()
{
    local dir=$1 suites=() words=() suite limit status
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        suites+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    words=("$@")
    # shellcheck disable=SC2207 # words without blanks
    [ ${#suites[@]} -gt 0 ] || suites=($(all_suites "$dir"))
    # Results of an earlier run must not pass for those of a test that crashes now.
    rm -f "$dir"/*.xml "$dir"/meson-logs/adp-*
    for suite in "${suites[@]}"; do
        limit=$(suite_limit "$suite")
        limit=$((limit * ${ADP_TEST_SLOWDOWN:-1}))
        echo "== $suite"
        status=0
        # In the foreground, so that Ctrl-C reaches meson; on TERM meson ends its tests.
        timeout --foreground -k 30 "$limit" meson test -C "$dir" --no-rebuild --suite "$suite" \
            --logbase "adp-$suite" --timeout-multiplier "${ADP_TEST_SLOWDOWN:-1}" \
            "${words[@]}" </dev/null || status=$?
        # The exit status of meson test says nothing that its records do not say better, but for
        # the one of timeout (124, or 137 after the second blow).
        echo "$status $limit" >"$dir/meson-logs/adp-$suite.status"
    done
    python3 buildlib/summary.py "$dir" "${suites[@]}"
}
