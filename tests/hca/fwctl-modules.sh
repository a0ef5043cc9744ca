#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# fwctl-modules.sh SUITE: prints a folder with fwctl.ko and mlx5_fwctl.ko for the kernel that
# tests/guest/kernel.sh has of that suite. Debian's kernels have CONFIG_FWCTL off, though their
# mlx5_core makes the device that the driver binds to: the two are compiled from the suite's own
# kernel source, unmodified, once, in the cache. No Kbuild: its programs are the suite's and would
# need the suite's compiler; two files need neither.
#
# Exit status: 0; 77 cannot be had here, the reason is on stderr.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..

give_up()
{
    echo "fwctl-modules: $*" >&2
    exit 77
}

suite=${1:?a Debian suite}
kernel=$("$top/tests/guest/kernel.sh" "$suite") || exit
version=$(cat "$kernel/boot/guest/version")
root=$("$top/buildlib/fetch-suite.sh" --only 'linux-@(headers|kbuild|source)-[0-9]*' "$suite" \
    linux-headers-amd64 linux-source) || exit
specific=$root/usr/src/linux-headers-$version
common=$root/usr/src/linux-headers-${version%-amd64}-common
modpost=$root/usr/lib/linux-kbuild-${version%-amd64}/scripts/mod/modpost.real-lsb-64
[ -d "$specific" ] || give_up "the headers in the cache are not those of $version (ADP_CACHE_REFRESH=1)"
[ -x "$modpost" ] || give_up "no modpost for $version"
# modpost is a program of the suite; QEMU's folder has the suite's loader and C library.
loader=$("$top/buildlib/fetch-suite.sh" "$suite" qemu-system-x86) || exit
command -v gcc >/dev/null || give_up "needs gcc"

exec 8>"$root/fwctl.lock"
flock -w 600 8 || give_up "another process holds $root/fwctl.lock"
made=$root/fwctl-$version
if [ ! -e "$made/mlx5_fwctl.ko" ]; then
    work=$(mktemp -d -p "$root")
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    # --occurrence ends the reading when both are there.
    tar -x --strip-components=1 --occurrence=1 --wildcards -f "$root"/usr/src/linux-source-*.tar.xz \
        'linux-source-*/drivers/fwctl/main.c' 'linux-source-*/drivers/fwctl/mlx5/main.c' ||
        give_up "no source of fwctl for $version"
    # As Kbuild has them for x86-64, without what only hardens or traces.
    flags=(-D__KERNEL__ -DMODULE -DCC_USING_FENTRY -O2 -w -std=gnu11 -fms-extensions -fshort-wchar
        -funsigned-char -fno-common -fno-PIE -fno-strict-aliasing -fno-delete-null-pointer-checks
        -fno-asynchronous-unwind-tables -fcf-protection=none -fno-stack-protector -fno-jump-tables
        -m64 -mcmodel=kernel -mno-red-zone -mno-sse -mno-mmx -mno-sse2 -mno-3dnow -mno-avx -mno-80387
        -nostdinc "-I$common/arch/x86/include" "-I$specific/arch/x86/include/generated"
        "-I$common/include" "-I$specific/include" "-I$common/arch/x86/include/uapi"
        "-I$specific/arch/x86/include/generated/uapi" "-I$common/include/uapi"
        "-I$specific/include/generated/uapi" -include "$common/include/linux/compiler-version.h"
        -include "$common/include/linux/kconfig.h" -include "$common/include/linux/compiler_types.h")
    compile() # MODULE SOURCE OBJECT
    {
        gcc "${flags[@]}" "-DKBUILD_MODFILE=\"$1\"" "-DKBUILD_BASENAME=\"$(basename "$2" .c)\"" \
            "-DKBUILD_MODNAME=\"$1\"" "-D__KBUILD_MODNAME=kmod_$1" -c "$2" -o "$3" >>log 2>&1 ||
            give_up "compiling $2: $(grep -m 1 error log)"
    }
    compile fwctl drivers/fwctl/main.c fwctl.o
    compile mlx5_fwctl drivers/fwctl/mlx5/main.c mlx5_fwctl.o
    "$loader"/lib64/ld-linux-x86-64.so.2 --library-path "$loader/usr/lib/x86_64-linux-gnu" "$modpost" -M -e \
        -i "$specific/Module.symvers" -o symvers fwctl.o mlx5_fwctl.o >>log 2>&1 ||
        give_up "modpost: $(tail -n 1 log)"
    cp "$common/scripts/module-common.c" . 2>/dev/null || cp "$specific/scripts/module-common.c" .
    mkdir modules
    for module in fwctl mlx5_fwctl; do
        compile $module $module.mod.c $module.mod.o
        compile $module module-common.c $module.common.o
        ld -r -m elf_x86_64 --build-id=sha1 -T "$specific/arch/x86/module.lds" -o "modules/$module.ko" \
            $module.o $module.mod.o $module.common.o >>log 2>&1 || give_up "ld: $(tail -n 1 log)"
    done
    chmod 755 modules
    rm -rf "$made"
    mv modules "$made"
fi
echo "$made"
