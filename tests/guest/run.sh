#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# run.sh [OPTION]... [--] COMMAND [ARGUMENT]...: boots a stock kernel in QEMU, by software emulation,
# over this machine's own root file system and runs the command there as root, in this folder, with
# no input. What it prints comes out here, its exit status is the one of run.sh:
#
#   tests/guest/run.sh -m rdma_rxe -- build/utils/adp dev
#   tests/guest/run.sh -k sid -- sh -c 'uname -r; dmesg | tail'
#
#   -k KERNEL   bookworm (default, 6.1: its rxe is the one that the tests know), trixie, sid, or a
#               folder with an unpacked kernel package; GUEST_KERNEL
#   -q QEMU     machine (default: the one in PATH), or sid: that suite's, unpacked into the cache
#               and run by its own loader (it has the device vfio-user-pci); GUEST_QEMU
#   -t SECONDS  time limit, 300 unless told
#   -m MODULE   loaded before the command; more than once
#   -o FOLDER   is /out in the guest, for reading and writing
#   -l FILE     gets the guest's console and its kernel log, however it ends
#   -c WORDS    added to the kernel's command line
#   -a ARGUMENT added to QEMU's, one at a time: -a -device -a vfio-user-pci,socket=...
#   -s          the guest's memory is a memfd that other processes can map (vfio-user needs it)
#   -w          warnings and call traces of the kernel do not fail the run
#   -M MIB, -P NUMBER   memory (1024) and processors (2)
#   -r FOLDER   that folder's root file system is booted, its systemd being process 1: the command is a
#               unit of it, started after basic.target. Of this machine's files the folder that run.sh is
#               called in is where it is here, all of them are in /machine
#
# The machine's files are as they are, a build folder included, and read-only: what the guest writes
# stays in its memory, except in /out. It has no network and no device but those of -a; nothing
# listens. It needs no privilege and no /dev/kvm. The first serial line is the console; the others
# are free for -a. It dies with run.sh.
#
# Exit status: the command's; 77 this machine cannot do it (no QEMU, no kernel package); 124 time
# limit; 125 the guest failed: no result, or its log has a call trace or warning. Each with its
# reason on stderr.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

fail()
{
    local status=$1
    shift
    echo "guest: $*" >&2
    exit "$status"
}

kernel=${GUEST_KERNEL:-bookworm} qemu=${GUEST_QEMU:-machine} limit=300 memory=1024 processors=2
out='' log='' append='' shared='' warnings='' own_root='' modules=() more=()
while getopts k:q:t:m:o:l:c:a:swM:P:r: option; do
    case $option in
    k) kernel=$OPTARG ;;
    q) qemu=$OPTARG ;;
    t) limit=$OPTARG ;;
    m) modules+=("$OPTARG") ;;
    o) out=$(cd "$OPTARG" && pwd) || fail 1 "there is no folder $OPTARG" ;;
    l) log=$OPTARG ;;
    c) append=$OPTARG ;;
    a) more+=("$OPTARG") ;;
    s) shared=yes ;;
    w) warnings=yes ;;
    M) memory=$OPTARG ;;
    P) processors=$OPTARG ;;
    r) own_root=$(cd "$OPTARG" && pwd) || fail 1 "there is no folder $OPTARG" ;;
    *) fail 1 "see the head of $0" ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || fail 1 "no command; see the head of $0"
case $limit$memory$processors in
*[!0-9]*) fail 1 "-t, -M and -P take a number" ;;
esac
# Slow machines and builds: the same word that stretches the other tests' limits.
limit=$((limit * ${ADP_TEST_SLOWDOWN:-1}))
[ -z "$own_root" ] || [ -x "$own_root/lib/systemd/systemd" ] || fail 1 "there is no systemd in $own_root"

[ "$(uname -m)" = x86_64 ] || fail 77 "the guest is for x86-64 machines"
case $qemu in
machine)
    qemu_command=(qemu-system-x86_64)
    command -v qemu-system-x86_64 >/dev/null ||
        fail 77 "there is no qemu-system-x86_64 (package qemu-system-x86)"
    ;;
*/*) suite=$(cd "$qemu" && pwd) || fail 1 "there is no folder $qemu" ;;
*) suite=$("$top/buildlib/fetch-suite.sh" "$qemu" qemu-system-x86) || exit ;;
esac
if [ -n "${suite:-}" ]; then
    export QEMU_MODULE_DIR=$suite/usr/lib/x86_64-linux-gnu/qemu
    qemu_command=("$top/tests/tools/suite-run.sh" "$suite" usr/bin/qemu-system-x86_64
        -L "$suite/usr/share/qemu" -L "$suite/usr/share/seabios")
fi
root=$("$here/kernel.sh" "$kernel") || exit
boot=$root/boot/guest
kernel=$(cat "$boot/version")

# This run's own files, as a second archive behind the first stage's modules.
work=$(mktemp -d)
qemu_pid=
# shellcheck disable=SC2317 # reached by the trap
finish()
{
    set +e # it may be gone already
    [ -z "$qemu_pid" ] || kill -KILL "$qemu_pid" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT HUP
mkdir -p "$work/archive/guest" "$work/result"
cp "$here/init" "$work/archive/init"
cp "$here/stage2" "$work/archive/guest/stage2"
chmod 755 "$work/archive/init"
printf '%q ' exec "$@" >"$work/archive/guest/command"
printf '%s=%q\n' GUEST_KERNEL "$root" GUEST_CWD "$PWD" GUEST_MODULES "${modules[*]}" \
    GUEST_OUT "$out" GUEST_ROOT "$own_root" >"$work/archive/guest/settings"
(cd "$work/archive" && find . -mindepth 1 | sort | cpio -o -H newc -R 0:0 --quiet) >"$work/run.cpio"
cat "$boot/initrd" "$work/run.cpio" >"$work/initrd"

machine=(-machine q35 -m "$memory")
[ -z "$shared" ] || machine=(-machine "q35,memory-backend=ram" -m "$memory"
    -object "memory-backend-memfd,id=ram,size=${memory}M,share=on")
[ -z "$own_root" ] || {
    machine+=(-virtfs "local,path=$own_root,mount_tag=root,security_model=none,readonly=on,multidevs=remap")
    append+=" guest.root=root systemd.getty_auto=no systemd.show_status=no systemd.firstboot=no"
    # What takes time and has no part in it: drivers of what QEMU has besides, logins.
    append+=" module_blacklist=ahci,i2c_i801,lpc_ich,iTCO_wdt,psmouse,pcspkr,button,joydev,parport_pc"
    append+=",aesni_intel,ghash_clmulni_intel,sha512_ssse3,crc32_pclmul,crct10dif_pclmul,kvm_amd"
    for unit in systemd-logind systemd-journal-flush systemd-random-seed systemd-update-utmp \
        modprobe@drm modprobe@fuse modprobe@dm_mod modprobe@loop modprobe@efi_pstore; do
        append+=" systemd.mask=$unit.service"
    done
}
[ -z "$out" ] || machine+=(-virtfs "local,path=$out,mount_tag=out,security_model=none")

# The output comes by pipes: QEMU would truncate a file, and cannot open a socket by name. They are
# open here too, so that nobody waits for QEMU where it does not come as far.
mkfifo "$work/stdout" "$work/stderr"
exec 4<>"$work/stdout" 5<>"$work/stderr"
cat "$work/stdout" 4>&- 5>&- &
cats=$!
cat "$work/stderr" >&2 4>&- 5>&- &
cats+=" $!"

# Its own group would keep Ctrl-C from it (--foreground), and each dies with its parent (setpriv).
# "Soft" lock-ups and stalls are what a busy machine looks like from within.
setpriv --pdeathsig KILL timeout --foreground -k 5 "$limit" setpriv --pdeathsig KILL \
    "${qemu_command[@]}" "${machine[@]}" \
    -accel tcg,thread=multi -cpu max -smp "$processors" \
    -nodefaults -no-user-config -nographic -no-reboot -monitor none -net none \
    -serial "file:$work/console" \
    -device isa-debug-exit,iobase=0xf4,iosize=0x04 \
    -device virtio-serial \
    -chardev "file,id=stdout,path=$work/stdout,append=on" \
    -device virtserialport,chardev=stdout,name=stdout \
    -chardev "file,id=stderr,path=$work/stderr,append=on" \
    -device virtserialport,chardev=stderr,name=stderr \
    -virtfs local,path=/,mount_tag=machine,security_model=none,readonly=on,multidevs=remap \
    -virtfs "local,path=$work/result,mount_tag=result,security_model=none" \
    "${more[@]}" \
    -kernel "$boot/kernel" -initrd "$work/initrd" \
    -append "console=ttyS0 quiet loglevel=4 panic=-1 oops=panic mitigations=off nokaslr tsc=reliable no_timer_check nowatchdog rcupdate.rcu_cpu_stall_suppress=1 random.trust_cpu=on $append" \
    </dev/null >"$work/qemu" 2>&1 4>&- 5>&- &
qemu_pid=$!
status=0
wait "$qemu_pid" || status=$?
qemu_pid=
exec 4>&- 5>&-
lost=
for pid in $cats; do
    wait "$pid" || lost=yes # nobody took it, or the disk is full
done

touch "$work/console"
# A guest that did not come far has left no kernel log.
[ -e "$work/result/dmesg" ] || touch "$work/result/dmesg"
[ -z "$log" ] || cat "$work/console" "$work/result/dmesg" >"$log" || echo "run.sh: no log in $log" >&2
tell()
{
    # The firmware's own clearing of the screen aside, whole lines.
    awk '{ sub(/\r$/, ""); gsub(/\033[[c][0-9?;]*[A-Za-z]?/, ""); print "guest: | " $0 }' "$@" |
        tail -n 60 >&2
}
case $status in
124 | 137)
    tell "$work/console"
    fail 124 "time limit ($limit s) on kernel $kernel"
    ;;
esac
[ -s "$work/result/status" ] || {
    tell "$work/qemu" "$work/console"
    fail 125 "no result from kernel $kernel (QEMU ended with $status)"
}
traces=$(grep -nE 'Call Trace|WARNING:|BUG:|Oops|general protection|unable to handle|refcount_t:|UBSAN|KASAN|hung task|blocked for more than' \
    "$work/result/dmesg" || true)
if [ -n "$traces" ] && [ -z "$warnings" ]; then
    tell "$work/result/dmesg"
    fail 125 "the kernel $kernel complained: $(head -n 1 <<<"$traces")"
fi
[ -z "$lost" ] || fail 125 "not all of the guest's output could be passed on"
exit "$(cat "$work/result/status")"
