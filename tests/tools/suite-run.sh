#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# suite-run.sh FOLDER PROGRAM [ARGUMENT]...: runs a program that fetch-suite.sh unpacked, by its own
# loader and with its own libraries. PROGRAM is a path below FOLDER (usr/bin/mstreg) or a name that
# is in one of its folders for programs. LD_PRELOAD applies to it as to any other.
set -euo pipefail
[ $# -ge 2 ] || {
    sed -n 3,5p "$0" >&2
    exit 1
}
root=$(cd "$1" && pwd) program=$2
shift 2
for path in "$root/$program" "$root/usr/bin/$program" "$root/usr/sbin/$program"; do
    [ -x "$path" ] && [ ! -d "$path" ] && break
    path=
done
[ -n "$path" ] || {
    echo "suite-run: there is no program $program in $root" >&2
    exit 127
}
libraries=
for dir in "$root"/usr/lib/*-linux-gnu* "$root/usr/lib"; do
    [ ! -d "$dir" ] || libraries+=${libraries:+:}$dir
done
loader=
for loader in "$root"/lib64/ld-linux-*.so.* "$root"/usr/lib/ld-linux-*.so.* \
    "$root"/usr/lib/*-linux-gnu*/ld-linux-*.so.*; do
    [ ! -x "$loader" ] || break
done
[ -x "$loader" ] || {
    echo "suite-run: there is no loader in $root" >&2
    exit 127
}
exec "$loader" --library-path "$libraries" --argv0 "$path" "$path" "$@"
