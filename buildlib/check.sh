# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The gates of ./build.sh check: their table, running them, the summary. A gate is a function
# gate_NAME in one of the files gates-*.sh; it returns 0 (passed), 77 (cannot be run here; its last
# line says why) or anything else (failed).

. buildlib/gates-source.sh
. buildlib/gates-build.sh
. buildlib/gates-package.sh
. buildlib/gates-cross.sh
. buildlib/suite-root.sh
. buildlib/gates-suite.sh
. buildlib/gates-boot.sh

# name | package sections it needs | what it proves
gate_table()
{
    cat <<'TABLE'
spdx      |            | each source file names its licence, and the text of each is in LICENSES/
unicode   |            | no hidden or bidirectional characters in any file, and plain names
includes  |            | no part includes what it may not (buildlib/include-rules.txt)
shell     | check      | shellcheck has nothing to say
map       |            | libadp.map keeps the rules of versions, and all places agree on the version
spelling  | check      | codespell, also in the words that names of the ABI are made of
format    | check      | clang-format has nothing to change
headers   | build check | each installed header compiles alone: C11, C++17, C++20, gcc and clang
layout    | build check | no implicit padding in the structures of adp.h
gcc       | build test check | compiles without warnings by the default gcc, and the tests pass
gcc-11    | build test check | the same for the oldest gcc that is supported
clang     | build test check | the same for clang
builtin   | build test check | the same with the providers linked in, optimised
kernels   | build test check | the tests of the guest and the software ConnectX on the other kernels
timing    | build test check | the tests that need real time: a watch, retries of rxe, firmware that is silent
sanitize  | build test check | the tests pass under AddressSanitizer and UBSan
valgrind  | build test check | the unit tests pass under valgrind, with no leak
tidy      | build test check | clang-tidy has nothing to say
fuzz      | build test check | a minute for each fuzz target (ADP_FUZZ_SECONDS)
coverage  | build test check | lines and branches that the tests reach (a report)
man       | build test check | manual pages: mandoc and man have nothing to say
dist      | build test check | the release tarball is whole: it builds, and its unit tests pass
abi       | build test package | the ABI of the library is that of the stored description (abidiff)
units     | package    | the units of systemd: well made, and as closed as they can be
boot      | build test package | the units in a container of systemd: enabled, reset, wrong file, missing device
boot-guest | build test package | the same in a guest of systemd, udev and the mlx5 drivers with the software ConnectX
cross     | cross      | the pure parts on a big-endian and a 32-bit machine, tests under qemu-user
deb       | build test package | Debian packages from the tarball: tests, lintian, hardening, what is in them
deb-bookworm | build package | the same in a clean Debian 12: build, install, programs, upgrade, purge
deb-trixie | build package | the same in a clean Debian 13
deb-sid   | build package  | the same in a clean Debian sid
rpm       | build test package | RPM packages from the tarball: rpmlint, the contents of the Debian packages
reproducible | build package | two builds of the Debian packages have the same bytes
TABLE
}

gate_rows()
{
    sed -n 's/^\([a-z0-9-]*\) *| *\([a-z ]*[a-z]\)\{0,1\} *| *\(.*\)$/\1|\2|\3/p' < <(gate_table)
}

# A gate ends by this when it cannot be run here.
skip()
{
    echo "skipped: $*"
    exit 77
}

# Runs one gate in a shell of its own. Its status is the function's.
run_gate()
{
    local name=$1 sections=$2 log=build-check/logs/$1.log
    (
        set -euo pipefail
        # shellcheck disable=SC2086 # a list of words
        [ -z "$sections" ] || need_packages $sections
        "gate_$name"
    ) 2>&1 </dev/null | tee "$log"
    return "${PIPESTATUS[0]}"
}

run_gates()
{
    local wanted=("$@") name sections text status start failed=0 table=()
    if [ "${1:-}" = list ]; then
        gate_rows | awk -F'|' '{ printf "%-12s %s\n", $1, $3 }'
        return
    fi
    [ ${#wanted[@]} -gt 0 ] || mapfile -t wanted < <(gate_rows | cut -d '|' -f 1)
    for name in "${wanted[@]}"; do
        gate_rows | grep -q "^$name|" || die "no gate of the name $name (./build.sh check list)"
    done
    check_build_folder build-check
    mkdir -p build-check/logs
    for name in "${wanted[@]}"; do
        IFS='|' read -r name sections text < <(gate_rows | grep "^$name|")
        printf '\n=== %s: %s\n' "$name" "$text"
        start=$SECONDS
        status=0
        # Not as the condition of a list: that would switch "set -e" off within.
        set +e
        run_gate "$name" "$sections"
        status=$?
        set -e
        case $status in
        0) text=passed ;;
        77) text="SKIPPED  $(tail -n 1 "build-check/logs/$name.log" | sed 's/^skipped: //')" ;;
        *)
            text="FAILED   build-check/logs/$name.log"
            failed=$((failed + 1))
            ;;
        esac
        table+=("$(printf '%-12s %9s  %s' "$name" "$(duration $((SECONDS - start)))" "$text")")
    done
    printf '\n%-12s %9s  %s\n' gate time result
    printf '%s\n' "${table[@]}"
    [ "$failed" -eq 0 ] || die "$failed of ${#wanted[@]} gates failed"
}
