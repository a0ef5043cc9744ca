#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# kernel.sh SUITE|FOLDER: a stock kernel ready to boot. Prints a folder that holds
#
#   boot/guest/version   the release, as uname -r will say
#   boot/guest/kernel    what QEMU starts
#   boot/guest/initrd    modules of the first stage, in order, and busybox
#   usr/lib/modules/     the kernel's modules, with their dependencies
#
# SUITE is a Debian suite (bookworm, trixie, sid): its newest kernel package is fetched into the
# cache of buildlib/fetch-suite.sh once, and used again until ADP_CACHE_REFRESH=1. FOLDER is one in
# which somebody has unpacked a kernel package. Nothing is installed; no privilege is needed.
#
# Exit status: 0; 77 cannot be had here, the reason is on stderr.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

give_up()
{
    echo "guest: $*" >&2
    exit 77
}

# The kernel proper out of the bzImage: QEMU starts it by its PVH entry, and unpacking it there, by
# emulated instructions, would take longer than all the rest of the boot (5 to 7 s).
unpack_kernel()
{
    python3 - "$1" "$2" <<'PYTHON'
import lzma
import subprocess
import sys

image = open(sys.argv[1], "rb").read()
# Documentation/arch/x86/boot.rst: sectors of the real-mode part at 0x1f1 (0 means 4), payload's
# offset within the protected-mode part at 0x248, its length at 0x24c.
start = ((image[0x1F1] or 4) + 1) * 512 + int.from_bytes(image[0x248:0x24C], "little")
payload = image[start:start + int.from_bytes(image[0x24C:0x250], "little")]
if payload.startswith(b"\xfd7zXZ\0"):
    kernel = lzma.LZMADecompressor().decompress(payload)
elif payload.startswith(b"\x28\xb5\x2f\xfd"):
    # The size of the kernel stands behind what zstd made.
    kernel = subprocess.run(["zstd", "-dcq"], input=payload[:-4], stdout=subprocess.PIPE,
                            check=True).stdout
else:
    sys.exit("a payload that is not known here")
if not kernel.startswith(b"\x7fELF"):
    sys.exit("what was in it is no ELF file")
open(sys.argv[2], "wb").write(kernel)
PYTHON
}

# make_initrd ROOT VERSION OUT: busybox and the modules by which the root file system comes.
make_initrd()
{
    local root=$1 version=$2 out=$3 dir module file name
    dir=$(mktemp -d -p "$(dirname "$out")")
    mkdir -p "$dir"/{bin,modules,dev,proc,sys}
    cp "$busybox" "$dir/bin/busybox"
    for module in virtio_pci virtio_console 9pnet_virtio 9p overlay; do
        modprobe -d "$root" -S "$version" --show-depends "$module" ||
            give_up "$version has no module $module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
        name=$(basename "$file")
        case $name in
        *.xz) xz -dc "$file" >"$dir/modules/${name%.xz}" ;;
        *.zst) zstd -dcq "$file" >"$dir/modules/${name%.zst}" ;;
        *) cp "$file" "$dir/modules/$name" ;;
        esac
        name=${name%.xz}
        echo "${name%.zst}" >>"$dir/modules/order"
    done
    [ -s "$dir/modules/order" ] || give_up "no modules for the first stage of $version"
    (cd "$dir" && find . -mindepth 1 | sort | cpio -o -H newc -R 0:0 --quiet) >"$out"
    rm -rf "$dir"
}

PATH=$PATH:/usr/sbin:/sbin
for tool in cpio xz python3 depmod modprobe; do
    command -v "$tool" >/dev/null || give_up "needs the command $tool"
done
# The first stage has no libraries.
busybox=$(command -v busybox) || give_up "needs the command busybox (package busybox-static)"
! ldd "$busybox" >/dev/null 2>&1 || give_up "needs a static busybox (package busybox-static)"

case ${1:?a Debian suite or a folder} in
*/*) root=$(cd "$1" && pwd) || give_up "there is no folder $1" ;;
*)
    # The kernel packages of newer suites are split.
    root=$("$here/../../buildlib/fetch-suite.sh" --only 'linux-@(image|base|binary|modules)-[0-9]*' \
        "$1" linux-image-amd64) || exit
    ;;
esac

mkdir -p "$root/boot"
exec 8>"$root/boot/guest.lock"
flock -w 300 8 || give_up "another process holds $root/boot/guest.lock"
made=$root/boot/guest
if ! [ "$made/version" -nt "${BASH_SOURCE[0]}" ]; then
    rm -rf "$made".*.tmp
    work=$(mktemp -d "$made.XXXXXX.tmp")
    trap 'rm -rf "$work"' EXIT
    for modules in "$root"/usr/lib/modules/* "$root"/lib/modules/*; do
        [ ! -d "$modules/kernel" ] || break
    done
    [ -d "$modules/kernel" ] || give_up "no kernel modules in $root"
    version=$(basename "$modules")
    image=$root/boot/vmlinuz-$version
    [ -e "$image" ] || image=$modules/vmlinuz
    [ -r "$image" ] || give_up "no kernel image in $root"
    depmod -b "$root" "$version" || give_up "depmod failed for $version"
    unpack_kernel "$image" "$work/kernel" || cp "$image" "$work/kernel"
    make_initrd "$root" "$version" "$work/initrd"
    echo "$version" >"$work/version"
    chmod 755 "$work"
    # A guest that runs keeps what it has opened.
    rm -rf "$made"
    mv "$work" "$made"
fi
echo "$root"
