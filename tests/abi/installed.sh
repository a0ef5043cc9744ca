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
sanitizer=
case $(readelf -d "$libdir"/libadp.so.0) in
*libasan* | *libubsan*) sanitizer=-fsanitize=address,undefined ;;
esac
flags="$flags $sanitizer"

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

# find_package(libadp $1): configured, built and run.
# shellcheck disable=SC2317 # called by try
by_cmake()
{
    rm -rf "$dir/client"
    mkdir "$dir/client"
    cat >"$dir/client/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(client C)
$lib64
find_package(libadp $1 CONFIG REQUIRED)
file(WRITE "$dir/client/found" "\${libadp_CONFIG}\n")
add_executable(show $source_root/examples/show.c)
target_link_libraries(show PRIVATE libadp::libadp)
CMAKE
    cmake -S "$dir/client" -B "$dir/client/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_FLAGS="$sanitizer" && cmake --build "$dir/client/build" && "$dir/client/build/show" sim0
}
# shellcheck disable=SC2317
refused_by_cmake()
{
    ! by_cmake "$1" && grep -q "version: $version" "$dir/out" # it was found, and is another one
}
version=$(pkg-config --modversion libadp)
# Where Debian's CMake does not look although the library was configured for it.
lib64=
case $libdir in
*/lib64) lib64='set_property(GLOBAL PROPERTY FIND_LIBRARY_USE_LIB64_PATHS TRUE)' ;;
esac
prefix=$(dirname "$(dirname "$tool")")
if command -v cmake >/dev/null; then
    for wanted in "" "${version%.*}" "$version" "$version EXACT"; do
        try "CMake finds libadp ${wanted:-of any version}, a program is built and runs" by_cmake "$wanted"
    done
    for wanted in "${version%.*}.99" 0.0 "${version%%.*}.99" 1.0 "${version%.*}.0.99 EXACT"; do
        try "CMake is refused libadp $wanted" refused_by_cmake "$wanted"
    done
    # Where /lib is a link to usr/lib and the package is found through it.
    usr=$prefix top=${libdir#"$prefix"/}
    top=${top%%/*}
    prefix=$dir/merged
    mkdir "$prefix"
    ln -s "$usr" "$prefix/usr"
    ln -s "usr/$top" "$prefix/$top"
    try "CMake finds libadp through a link to its folder" by_cmake ""
    try "and through that" grep -q "^$prefix/$top/" "$dir/client/found"
else
    n=$((n + 1))
    echo "ok $n - find_package(libadp) # SKIP there is no cmake here"
fi
echo "1..$n"
exit $failed
