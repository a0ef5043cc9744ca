#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# run.sh [-f] [-k KERNEL] [-t SECONDS] [-d DESCRIPTION] [-l LOG] [-r ROOT] [-2] SUITE [ARGUMENT]...: one
# software ConnectX, one guest with a stock kernel, in it SUITE of tests/hca/suites; what that prints (TAP)
# comes out here. SERVER is the built adp-hca, PROBE, TRANSFER and SPORT the programs beside it, ADP the tool
# (in the environment).
#
#   -k KERNEL       bookworm (default), trixie, sid: see tests/guest/run.sh
#   -d DESCRIPTION  of tests/hca/devices; default: that of SUITE's name, or roce
#   -l LOG          keeps the server's log
#   -f              the kernel gets the driver of fwctl: see fwctl-modules.sh
#   -r ROOT         the guest is that root with its systemd: see tests/guest/run.sh
#   -2              two of all that: the servers on one wire, the guests on a network of their own (virtio)
#                   for what programs say beside RDMA. SUITE runs in the first guest, there.py in the
#                   second, where it does what the suite says; see guest.sh
#
# Where there is a SUITE.host.py, it looks afterwards at the frames that the suite let be captured, and goes
# on with its TAP.
#
# The guest's second serial line is the server's control socket: one language for the suite to move
# counters, inject faults and read back. QEMU is Debian sid's: it needs the device vfio-user-pci.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${SERVER:?is not set: run this by meson test}"
kernel=bookworm limit=240 device='' log='' fwctl='' wire='' end='' more=()
while getopts fk:t:d:l:r:2w:e: option; do
    case $option in
    f) fwctl=yes ;;
    k) kernel=$OPTARG ;;
    t) limit=$OPTARG ;;
    d) device=$OPTARG ;;
    l) log=$OPTARG ;;
    r) more=(-r "$OPTARG") ;;
    2) end=first ;;
    w) wire=$OPTARG ;; # of the second's own call
    e) end=$OPTARG ;;
    *) exit 1 ;;
    esac
done
shift $((OPTIND - 1))
suite=$1
shift
description=$here/devices/${device:-$suite}.conf
[ -e "$description" ] || description=$here/devices/roce.conf
work=$(mktemp -d)
server='' second=''
# shellcheck disable=SC2317 # called by the trap
finish()
{
    set +e # they may be gone already
    [ -z "$server" ] || kill "$server" 2>/dev/null
    [ -z "$second" ] || kill -- "-$second" 2>/dev/null || kill "$second" 2>/dev/null
    [ -z "$log" ] || cp "$work/log" "$log" || echo "run.sh: no log in $log" >&2
    rm -rf "$work"
}
trap finish EXIT

# The ends of a wire; the second's addresses are others.
lines=() network=()
case $end in
first)
    wire=$work/wire
    mkdir "$wire"
    lines=("wire.listen = $wire/roce")
    network=(-a -netdev -a "stream,id=between,server=on,addr.type=unix,addr.path=$wire/network")
    ;;
second)
    lines=("wire.connect = $wire/roce" 'guid = 0x0c42a10300a1c2c0')
    network=(-a -netdev -a "stream,id=between,server=off,addr.type=unix,addr.path=$wire/network")
    ;;
esac
[ -z "$end" ] || network+=(-a -device -a "virtio-net-pci,netdev=between,romfile=")

setpriv --pdeathsig TERM "$SERVER" "$work" "$description" "${lines[@]}" >"$work/ready" 2>"$work/log" &
server=$!
for ((i = 0; i < 200; i++)); do
    [ ! -s "$work/ready" ] || break
    kill -0 "$server" 2>/dev/null || {
        cat "$work/log" >&2
        exit 1
    }
    sleep 0.05
done

if [ "$end" = first ]; then
    # Begins when there is a network to join: QEMU of the first makes it.
    (
        for ((i = 0; i < 1200; i++)); do
            [ ! -S "$wire/network" ] || break
            sleep 0.1
        done
        exec setpriv --pdeathsig TERM setsid "$0" -k "$kernel" -t "$limit" -d "${device:-$suite}" -w "$wire" \
            -e second there
    ) </dev/null >"$work/second" 2>&1 &
    second=$!
fi

arguments=(-a -chardev -a "socket,id=control,path=$work/control" -a -serial -a chardev:control "${network[@]}")
# A port for each function; virtual functions are at device 1 of their physical one's bus.
sockets=("$work"/function*)
count=${#sockets[@]}
virtual=$(sed -n 's/^sriov.total_vfs *= *//p' "$description")
driven=$(grep -c '^vport\.[0-9]*\.function' "$description" || true)
port=0 place=00.0
for ((i = 0; i < count; i++)); do
    if [ $i -lt $((count - driven)) ]; then
        port=$i place=00.0
        arguments+=(-a -device -a "pcie-root-port,id=port$i,chassis=$((i + 1)),slot=$((i + 1))")
    else
        place=01.$((i - count + driven))
    fi
    arguments+=(-a -device -a "{\"driver\":\"vfio-user-pci\",\"bus\":\"port$port\",\"addr\":\"$place\",\"multifunction\":true,\"socket\":{\"type\":\"unix\",\"path\":\"$work/function$i\"}}")
done
# The kernel reads the head of each virtual function's configuration space: somebody must answer.
for ((i = driven; i < ${virtual:-0}; i++)); do
    arguments+=(-a -device -a "pci-testdev,bus=port0,addr=1.$i,multifunction=on,membar=0")
done

guest=${GUEST_RUN:-$here/../guest/run.sh}
[ -x "$guest" ] || {
    echo "1..0 # SKIP there is no $guest"
    exit 0
}
# Debian sid's mstreg, for the suites that want it; "" where it cannot be had.
mstflint=$("$here/../../buildlib/fetch-suite.sh" sid mstflint 2>"$work/mstflint") || mstflint=''
no_fwctl="this kernel has no fwctl"
if [ -n "$fwctl" ]; then
    fwctl=$("$here/fwctl-modules.sh" "$kernel" 2>"$work/fwctl") || {
        fwctl='' no_fwctl=$(tail -n 1 "$work/fwctl")
        echo "# no fwctl: $no_fwctl"
    }
fi
# What is to be looked at on this machine afterwards goes on counting.
after=$here/suites/$suite.host.py
[ -e "$after" ] || after=''
status=0
"$guest" -k "$kernel" -q sid -s -P 1 -M 768 -t "$limit" "${more[@]}" "${arguments[@]}" -- \
    env "TOP=$here/../.." "ADP=${ADP:-}" "PROBE=${PROBE:-}" "TRANSFER=${TRANSFER:-}" "SERVER=$SERVER" "CAPTURE=$work/frames.pcap" "SPORT=${SPORT:-}" "MSTFLINT=$mstflint" "FWCTL=$fwctl" "NO_FWCTL=$no_fwctl" "KERNEL_NAME=$kernel" \
    bash "$here/suites/$suite.sh" "$@" | tee "$work/output" | sed -u "${after:+/^1\\.\\.[1-9]/d}" ||
    status=${PIPESTATUS[0]}
if [ "$status" = 77 ]; then
    echo "1..0 # SKIP QEMU with vfio-user-pci or the kernel of $kernel cannot be had here"
    exit 0
fi
[ -z "$after" ] || python3 "$after" "$work/frames.pcap" "$work/output"
if grep 'unknown command' "$work/log" | sort | uniq -c | sort -rn >"$work/unknown"; then
    sed 's/^/# /' "$work/unknown"
fi
[ "$status" = 0 ] || tail -n 30 "$work/log" | sed 's/^/# server: /'
if [ -n "$second" ]; then
    # It was told to end, or the first came to grief and did not say so.
    for ((i = 0; i < 300; i++)); do
        kill -0 "$second" 2>/dev/null || break
        sleep 0.1
    done
    if [ "$i" = 300 ] || ! wait "$second" || grep -q '^not ok' "$work/second"; then
        status=1
        echo "Bail out! the second guest failed"
    fi
    sed 's/^/# second: /' "$work/second"
fi
exit "$status"
