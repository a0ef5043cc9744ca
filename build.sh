#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The one entry to building, trying and testing libadp. ./build.sh help
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

usage()
{
    cat <<'USAGE'
./build.sh [--no-install] COMMAND

  demo              build, then show what the tool does: on a real device read-only, else simulated
  build             build into build/; the tool runs in place: build/utils/adp
  test [SUITE]...   build, then run the tests: all suites that this machine can run, or these
  check [GATE]...   the long list of gates, or these; "check list" names them
  bench             build, then run the benchmarks
  clean             remove build/ and build-check/
  help              this text

What is missing from the distribution is installed by its package manager when run as root.
With --no-install, or without root, the missing packages are named and nothing is done (exit 1).
USAGE
}

bad_usage()
{
    echo "build.sh: $*; see ./build.sh help" >&2
    exit 1
}

install=yes
while [ $# -gt 0 ]; do
    case $1 in
    --no-install) install=no ;;
    -h | --help) usage && exit 0 ;;
    -*) bad_usage "unknown option $1" ;;
    *) break ;;
    esac
    shift
done
command=${1:-help}
[ $# -eq 0 ] || shift
# Only these two take words.
case $command in
test | check) ;;
*) [ $# -eq 0 ] || bad_usage "$command takes no words" ;;
esac

export ADP_INSTALL=$install
. buildlib/common.sh
. buildlib/packages.sh
. buildlib/compile.sh

case $command in
demo)
    need_packages build
    compile build
    bash buildlib/demo.sh build/utils/adp
    ;;
build)
    need_packages build
    compile build
    note "built; try: build/utils/adp --sim profile show"
    ;;
test)
    . buildlib/test.sh
    need_packages build test
    compile build -Dtests=enabled
    run_suites build "$@"
    ;;
check)
    . buildlib/test.sh
    . buildlib/check.sh
    run_gates "$@"
    ;;
bench)
    need_packages build test
    compile build -Dtests=enabled
    bash buildlib/bench.sh build
    ;;
clean) clean build build-check ;;
help) usage ;;
*) bad_usage "unknown command $command" ;;
esac
