# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The pure parts for machines of another kind: big-endian (s390x) and 32-bit (i686), their tests run
# under qemu-user. Linked statically, with libraries that are headers alone, so that nothing of the
# other machine is needed but a compiler.
# shellcheck disable=SC2016 # what stands in single quotes is for another shell

# cross_compile COMPILER FOLDER SOURCE...: FOLDER/SOURCE.o of each, those that are out of date.
cross_compile()
{
    local compiler=$1 folder=$2 source
    shift 2
    for source; do
        [ "$folder/$source.o" -nt "$source" ] || printf '%s\0' "$source"
    done | xargs -0 -r -P "$(nproc)" -I '{}' bash -c '
        set -e
        mkdir -p "$(dirname "$1/$2.o")"
        "$0" -std=c++20 -O1 -Wall -Wextra -Wconversion -Werror -D_GNU_SOURCE -DFMT_HEADER_ONLY \
            -DADP_FIXTURES="\"$PWD/tests/fixtures\"" -I libadp/core -I libadp/include \
            -isystem build-check/cross/include -I /usr/src/googletest/googletest \
            -Wno-error=psabi -c "$2" -o "$1/$2.o.part"
        mv "$1/$2.o.part" "$1/$2.o"' "$compiler" "$folder" '{}'
}

# cross_target TRIPLET QEMU
cross_target()
{
    local triplet=$1 qemu=$2 folder=build-check/cross/$1 suite name core=() tests=()
    echo "-- $triplet"
    # A header that changed makes everything out of date.
    if [ ! -e "$folder/stamp" ] ||
        [ -n "$(find libadp tests/unit -name '*.h' -newer "$folder/stamp")" ]; then
        rm -rf "$folder"
    fi
    mkdir -p "$folder"
    touch "$folder/stamp"
    "$triplet-gcc" -std=c11 -Wall -Wextra -Wpadded -Werror -I libadp/include -static \
        tests/abi/layout.c -o "$folder/layout"
    "$qemu" "$folder/layout" | tail -n 1
    mapfile -t core < <(find libadp/core -name '*.cpp' | sort)
    cross_compile "$triplet-g++" "$folder" "${core[@]}" \
        /usr/src/googletest/googletest/src/gtest-all.cc \
        /usr/src/googletest/googletest/src/gtest_main.cc
    rm -f "$folder/core.a"
    core=("${core[@]/#/$folder/}")
    "$triplet-ar" rcs "$folder/core.a" "${core[@]/%/.o}"
    for suite in core flow retry; do
        # The capture library is no pure part; what lies deeper is a program of its own.
        mapfile -t tests < <(find "tests/unit/$suite" -maxdepth 1 -name '*.cpp' ! -name '*pcap*' |
            sort)
        cross_compile "$triplet-g++" "$folder" "${tests[@]}"
        name=$folder/test-$suite
        tests=("${tests[@]/#/$folder/}")
        "$triplet-g++" -static -pthread "${tests[@]/%/.o}" \
            "$folder"//usr/src/googletest/googletest/src/gtest*.o "$folder/core.a" -o "$name"
        "$qemu" "$name" --gtest_brief=1 | tail -n 3
    done
}

gate_cross()
{
    local target ran=0 header include=build-check/cross/include
    mkdir -p "$include"
    # Not all of /usr/include: the rest of it is this machine's.
    for header in fmt nlohmann toml++ gtest infiniband rdma; do
        [ ! -e "/usr/include/$header" ] || ln -sfn "/usr/include/$header" "$include/"
    done
    for target in s390x-linux-gnu:qemu-s390x-static i686-linux-gnu:qemu-i386-static; do
        if command -v "${target%:*}-g++" >/dev/null && command -v "${target#*:}" >/dev/null; then
            cross_target "${target%:*}" "${target#*:}"
            ran=$((ran + 1))
        else
            echo "no ${target%:*}-g++ or no ${target#*:} here"
        fi
    done
    [ $ran -eq 2 ] || skip "tried on $ran of 2 machines: no compiler for the other, or no qemu-user"
}
