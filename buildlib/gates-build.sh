# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Gates that compile something. Each in its own folder in build-check/.

# The first of these commands that there is.
first_command()
{
    local name
    for name; do
        command -v "$name" >/dev/null && echo "$name" && return
    done
    return 1
}

# Sets clang_c and clang_cpp, or skips.
need_clang()
{
    clang_c=$(first_command clang-14 clang) || skip "there is no clang"
    clang_cpp=$(first_command clang++-14 clang++) || skip "there is no clang++"
}

# compile_gate NAME [MESON OPTION]...: warnings are errors.
compile_gate()
{
    local dir=build-check/$1
    shift
    compile "$dir" -Dwerror=true -Dtests=enabled "$@"
}

gate_gcc()
{
    compile_gate gcc
    run_suites build-check/gcc
}

gate_gcc-11()
{
    first_command g++-11 >/dev/null || skip "there is no g++-11"
    CC=gcc-11 CXX=g++-11 compile_gate gcc-11
    run_suites build-check/gcc-11 unit abi cli
}

gate_clang()
{
    need_clang
    CC=$clang_c CXX=$clang_cpp compile_gate clang
    run_suites build-check/clang
}

gate_builtin()
{
    compile_gate builtin -Dproviders=builtin -Dbuildtype=release
    run_suites build-check/builtin
}

gate_kernels()
{
    local kernel
    compile_gate gcc
    for kernel in trixie sid; do
        echo "-- kernel: $kernel"
        GUEST_KERNEL=$kernel run_suites build-check/gcc guest
    done
    run_suites build-check/gcc kernels
}

gate_timing()
{
    compile_gate gcc
    run_suites build-check/gcc timing
}

gate_sanitize()
{
    compile_gate sanitize -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debug \
        -Doptimization=1 -Dcpp_args=-fno-sanitize-recover=all -Dc_args=-fno-sanitize-recover=all
    export UBSAN_OPTIONS=print_stacktrace=1 ADP_TEST_SLOWDOWN=4
    # A preloaded part comes before the sanitizer's own library, which would refuse that. Programs of
    # other people under it leak what they like; another suite's programs cannot have it at all.
    local asan=verify_asan_link_order=0:strict_string_checks=1
    ASAN_OPTIONS=$asan run_suites build-check/sanitize unit abi cli
    ADP_SUITES=no ASAN_OPTIONS=$asan:detect_leaks=0 run_suites build-check/sanitize emukernel
}

gate_valgrind()
{
    local valgrind="valgrind -q --error-exitcode=99 --leak-check=full"
    valgrind+=" --errors-for-leak-kinds=definite,indirect --child-silent-after-fork=yes"
    valgrind+=" --suppressions=$PWD/tests/tools/valgrind.supp"
    compile_gate gcc
    ADP_TEST_SLOWDOWN=20 run_suites build-check/gcc unit -- --wrapper="$valgrind"
}

gate_tidy()
{
    local tidy
    need_clang
    tidy=$(first_command clang-tidy-14 clang-tidy) || skip "there is no clang-tidy"
    # Configured by the same clang, so that its arguments are ones that clang-tidy knows; compiled,
    # so that generated headers are there.
    CC=$clang_c CXX=$clang_cpp compile_gate clang
    project_files '*.cpp' | grep -z -E '^(libadp|providers|utils)/' |
        python3 buildlib/in-database.py build-check/clang |
        xargs -0 -r -n 1 -P "$(nproc)" "$tidy" -p build-check/clang --quiet --warnings-as-errors='*'
}

gate_fuzz()
{
    local targets target name corpus seconds=${ADP_FUZZ_SECONDS:-60}
    need_clang
    echo 'extern "C" int LLVMFuzzerTestOneInput(const char *, unsigned long) { return 0; }' |
        "$clang_cpp" -x c++ -fsanitize=fuzzer - -o build-check/logs/fuzzer-there 2>/dev/null ||
        skip "$clang_cpp has no fuzzer library"
    CC=$clang_c CXX=$clang_cpp configure build-check/fuzz -Dtests=enabled -Dfuzz=enabled \
        -Db_lundef=false -Dbuildtype=debug -Doptimization=1
    # Each executable below tests/fuzz/ is a target; its seeds are in tests/fuzz/corpus/NAME/.
    mapfile -t targets < <(meson introspect --targets build-check/fuzz | python3 -c '
import json, sys
for t in json.load(sys.stdin):
    if t["type"] == "executable" and "/tests/fuzz/" in t["defined_in"]:
        print(t["filename"][0])')
    [ ${#targets[@]} -gt 0 ] || skip "there is no fuzz target"
    for target in "${targets[@]}"; do
        name=$(basename "$target")
        ninja -C build-check/fuzz "${target#"$PWD/build-check/fuzz/"}"
        corpus=build-check/fuzz/corpus/$name
        mkdir -p "$corpus"
        echo "-- $name: $seconds s"
        set -- "$corpus"
        [ ! -d "tests/fuzz/corpus/$name" ] || set -- "$corpus" "tests/fuzz/corpus/$name"
        "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="build-check/fuzz/$name-" "$@" 2>&1 | tail -n 12
    done
}

gate_coverage()
{
    compile build-check/coverage -Dtests=enabled -Db_coverage=true -Dbuildtype=debug
    find build-check/coverage -name '*.gcda' -delete
    run_suites build-check/coverage
    gcovr --root . --filter libadp/ --filter providers/ --filter utils/ --print-summary \
        --exclude-throw-branches --sort-percentage build-check/coverage
}

gate_headers()
{
    local header compiler standard language
    for compiler in gcc $(first_command clang-14 clang); do
        for header in libadp/include/adp/*.h*; do
            case $header in
            *.hpp) set -- c++17 c++20 ;;
            *) set -- c11 c++17 c++20 ;;
            esac
            for standard; do
                language=c
                [ "$standard" = c11 ] || language=c++
                echo "$compiler -std=$standard $header"
                echo "#include <adp/$(basename "$header")>" |
                    "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Wshadow \
                        -Wconversion -Werror -fsyntax-only -I libadp/include -
            done
        done
    done
}

gate_layout()
{
    local standard
    for standard in c11 c++17; do
        echo '#include <adp/adp.h>' |
            gcc -x "${standard%1[17]}" -std="$standard" -Wpadded -Werror -fsyntax-only \
                -I libadp/include -
    done
    # Pointers of four bytes must not open holes either (as on 32-bit Arm).
    [ "$(uname -m)" != x86_64 ] || echo '#include <adp/adp.h>' |
        gcc -x c -m32 -malign-double -ffreestanding -Wpadded -Werror -fsyntax-only \
            -I libadp/include -
}

gate_man()
{
    local page pages
    first_command mandoc >/dev/null || skip "there is no mandoc"
    compile_gate gcc -Dman=enabled
    mapfile -t pages < <(find build-check/gcc/man -name '*.[3578]' | sort)
    [ ${#pages[@]} -gt 0 ] || skip "there is no manual page"
    mandoc -T lint -W warning "${pages[@]}"
    for page in "${pages[@]}"; do
        LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 \
            man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null | sed "s|^|$page: |" |
            { ! grep .; }
    done
    echo "${#pages[@]} pages"
}

gate_dist()
{
    local work tarball
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "a release tarball is made of a commit"
    configure build-check/gcc -Dwerror=true -Dtests=enabled
    rm -rf build-check/gcc/meson-dist
    meson dist -C build-check/gcc --no-tests --formats xztar --allow-dirty
    tarball=$(readlink -f build-check/gcc/meson-dist/*.tar.xz)
    work=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf '$work'" EXIT
    tar -x -C "$work" -f "$tarball"
    cd "$work"/*/ || return 1
    compile build -Dtests=enabled
    run_suites build unit abi
}
