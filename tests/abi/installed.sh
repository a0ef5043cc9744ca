#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A C and a C++ program built by pkg-config against an installed tree, and the tool from there.
set -u
source_root=$1 build_root=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 failed=0
try()
{
    local what=$1
    shift
    n=$((n + 1))
    mv "$dir/out" "$dir/last" 2>/dev/null
    if "$@" >"$dir/out" 2>&1; then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        sed 's/^/# /' "$dir/out"
        failed=1
    fi
}

# Copied, not re-linked: nothing is built here that the build did not build.
DESTDIR=$dir/root meson install -C "$build_root" --no-rebuild --quiet >"$dir/log" 2>&1 || {
    sed 's/^/# /' "$dir/log"
    echo "Bail out! meson install failed"
    exit 1
}
pc=$(find "$dir/root" -name libadp.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dir/root LD_LIBRARY_PATH=$libdir
flags=$(pkg-config --cflags --libs libadp)
# A sanitized library wants the sanitizer in the program too.
case $(readelf -d "$libdir"/libadp.so.0) in
*libasan* | *libubsan*) flags="$flags -fsanitize=address,undefined" ;;
esac

# shellcheck disable=SC2086 # the flags are words
try "C example builds" cc -Wall -Wextra -Werror -std=c11 "$source_root/examples/show.c" $flags -o "$dir/show"
try "and runs" "$dir/show" sim0
try "and says what is the case" grep -q "sim0 over sim: adaptive retransmission on, profile 0 of 1" "$dir/last"
# shellcheck disable=SC2086
try "C++ example builds" c++ -Wall -Wextra -Werror -std=c++17 "$source_root/examples/set.cpp" $flags -o "$dir/set"
try "and runs" "$dir/set" sim0
try "with four commands" grep -q "with 4 firmware commands" "$dir/last"
tool=$(find "$dir/root" -path '*/bin/adp')
try "the installed tool runs" "$tool" --sim -j accl show sim0
try "only adp.h and adp.hpp are installed as headers" \
    test "$(find "$dir/root" -name '*.h' -o -name '*.hpp' | sed 's/.*\///' | sort | tr '\n' ' ')" = "adp.h adp.hpp "
try "the plugins stand in libadp/" test -f "$libdir/libadp/mlx5-adpv1.so" -a -f "$libdir/libadp/sim-adpv1.so"
echo "1..$n"
exit $failed
