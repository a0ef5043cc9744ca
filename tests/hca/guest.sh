# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# For the suites that run in the guest: source it. It has the words of tests/tools/tap.sh, and
#
#   hca LINE          says it to the software ConnectX, prints the answer
#   load_drivers      mlx5_core, mlx5_ib and the user-space interfaces; waits for the RDMA device
#   unload_drivers
#   wait_for SECONDS CONDITION...   until the command succeeds; looks every 0.1 s, or every $wait_step
#   kernel_is_quiet NAME   no warning or call trace so far
#   statistic PORT COUNTER   of mlx5_0, by netlink
#   same_functions NAME COUNT   what adp says of the ports of mlx5_0 is what devlink lists; so many of them
#   two_functions_up  addresses 192.0.2.1 and .2 on mlx5_0 and mlx5_1 (GID index 3); each knows the other
#   connectable       then programs connect from 192.0.2.1 to 192.0.2.2 by rdma_cm
#   end_up NUMBER MAC   with run.sh -2: mlx5_0 is up at 192.0.2.NUMBER; MAC is the other end's
#   there COMMAND     in the first of them: done in the second; its output and its status
#   with_server DEVICE DEVICE PROGRAM...   runs it as server on the first and as client on the second
# shellcheck disable=SC2034 # variables for the suites
. "$TOP/tests/tools/tap.sh"
ibdev=/sys/class/infiniband/mlx5_0
port=$ibdev/ports/1

stty -F /dev/ttyS1 raw -echo
exec 3<>/dev/ttyS1

hca()
{
    local line
    printf '%s\n' "$*" >&3
    while IFS= read -r -t 10 line <&3; do
        [ "$line" != . ] || return 0
        printf '%s\n' "$line"
    done
    echo "no answer"
    return 1
}

wait_for()
{
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep "${wait_step:-0.1}"
    done
}

load_drivers()
{
    modprobe mlx5_core prof_sel=1
    modprobe -a mlx5_ib ib_uverbs ib_umad
    # Debian's kernels have fwctl off; run.sh may have built it.
    for module in ${FWCTL:+"$FWCTL/fwctl.ko" "$FWCTL/mlx5_fwctl.ko"}; do
        insmod "$module"
    done
    wait_for 20 test -d $ibdev
    # Nodes whose names udev makes on other machines.
    wait_for 5 test -e /dev/infiniband/uverbs0
}

unload_drivers()
{
    [ ! -d /sys/module/mlx5_fwctl ] || rmmod mlx5_fwctl fwctl
    modprobe -r ib_umad mlx5_ib && modprobe -r mlx5_core
}

link_is_active()
{
    rdma link | grep -q "mlx5_0/1 .*state ACTIVE"
}

kernel_is_quiet()
{
    is "$(dmesg | grep -cE 'WARNING:|BUG:|Call Trace')" 0 "$1"
}

statistic()
{
    rdma -j statistic show link "mlx5_0/$1" | python3 -c '
import json, sys
print(json.load(sys.stdin)[0].get(sys.argv[1], "none"))' "$2"
}

# Names are made here of devlink's numbers, by the kernel's rule, and compared with adp's.
same_functions()
{
    devlink -j port show >"$tap_dir/devlink"
    "$ADP" -j statistic show mlx5_0 >"$tap_dir/ports"
    run python3 - "$tap_dir/devlink" "$tap_dir/ports" "$2" <<'END'
import json, sys
listed = {}
for handle, port in json.load(open(sys.argv[1]))["port"].items():
    listed[port.get("netdev")] = dict(port, port=handle, **port.pop("function", {}))
seen = 0
for port in json.load(open(sys.argv[2])):
    if port["netdev"] is None:
        assert port["devlink"] is None and port["devlink_reason"], port["port"]
        continue
    want = listed[port["netdev"]]
    name = f"c{want['controller']}" if want.get("external") else ""
    name += f"pf{want.get('pfnum')}"
    for kind in ("vf", "sf"):
        if f"{kind}num" in want:
            name += f"{kind}{want[f'{kind}num']}"
    if want["flavour"] == "physical":
        name = "uplink"
    assert port["function"] == name, (port["function"], name)
    want = {k: int(v) if isinstance(v, bool) else v for k, v in want.items()
            if k in ("port", "flavour", "controller", "pfnum", "vfnum", "sfnum", "external",
                     "hw_addr", "state", "opstate")}
    assert port["devlink"] == want, (port["devlink"], want)
    print(port["port"], name, want)
    seen += 1
assert seen == int(sys.argv[3]), seen
END
    exits 0 "$1"
}

# The dwords of a register as mstreg prints it, in one line.
printed_register()
{
    sed -n 's/^0x[0-9a-f]* *| 0x\([0-9a-f]*\) *$/\1/p' "$1" | paste -sd ' '
}

# [ibdev_name=NAME] start_queue_pair COUNT [UDP_SPORT]: $qpn is ready to send.
start_queue_pair()
{
    rm -f "$tap_dir"/go
    mkfifo "$tap_dir/go"
    "$PROBE" qp "${ibdev_name:-mlx5_0}" "$@" <"$tap_dir/go" >"$tap_dir/qp" 2>&1 &
    qp_process=$!
    exec 4>"$tap_dir/go"
    wait_for 10 grep -q . "$tap_dir/qp"
    qpn=$(sed -n 's/^qpn //p' "$tap_dir/qp")
}

# Lets it send, and waits for its end: $out is what it said.
end_queue_pair()
{
    echo >&4
    exec 4>&-
    wait "$qp_process" || true # judged by what it said
    out=$(sed 1d "$tap_dir/qp")
}

# The last run did not succeed.
fails()
{
    if [ "$status" = 0 ]; then
        fail "$1" "$(tap_last_run)"
    else
        pass "$1"
    fi
}

eswitch()
{
    devlink dev eswitch set pci/0000:01:00.0 mode "$1"
}

# mstreg of Debian sid in PATH; false: it cannot be had here.
with_mstreg()
{
    [ -n "$MSTFLINT" ] || return 1
    mkdir -p "$tap_dir/bin"
    printf '#!/bin/sh\nexec bash %s %s mstreg -a %s/usr/share/mstflint/prm_dbs/hca/ext/register_access_table.adb "$@"\n' "$TOP/tests/tools/suite-run.sh" "$MSTFLINT" "$MSTFLINT" >"$tap_dir/bin/mstreg"
    chmod 755 "$tap_dir/bin/mstreg"
    PATH=$tap_dir/bin:$PATH
}

# The drivers, and the port of mlx5_0 up as 192.0.2.1 with its GIDs; $netdev is its netdev.
one_function_up()
{
    load_drivers
    netdev=$(ls "$ibdev/device/net" | head -n 1)
    ip addr add 192.0.2.1/24 dev "$netdev"
    ip link set "$netdev" up
    run wait_for 10 link_is_active
    exits 0 'the port is active'
    wait_for 5 grep -q c000:0201 "$port/gids/3"
}

# No Ethernet frames travel between two functions here: neighbours are told.
two_functions_up()
{
    local i
    local -a netdevs
    wait_for 20 test -d /sys/class/infiniband/mlx5_1
    for i in 0 1; do
        netdevs[i]=$(ls "/sys/class/infiniband/mlx5_$i/device/net" | head -n 1)
        ip addr add "192.0.2.$((i + 1))/24" dev "${netdevs[i]}"
        ip link set "${netdevs[i]}" up
    done
    for i in 0 1; do
        ip neigh add "192.0.2.$((2 - i))" dev "${netdevs[i]}" nud permanent \
            lladdr "$(cat "/sys/class/net/${netdevs[1 - i]}/address")"
    done
    run wait_for 10 grep -q c000:0202 /sys/class/infiniband/mlx5_1/ports/1/gids/3
}

# Both ends are in one namespace, where two addresses would find each other by "lo", which is no RDMA
# device: routing rules send what is for the other end out of its own port. TCP keeps to 127.0.0.1.
connectable()
{
    modprobe -a rdma_ucm
    wait_for 5 test -e /dev/infiniband/rdma_cm
    ip route add 192.0.2.2 dev "$(ls /sys/class/infiniband/mlx5_0/device/net)" src 192.0.2.1 table 101
    ip route add 192.0.2.1 dev "$(ls /sys/class/infiniband/mlx5_1/device/net)" src 192.0.2.2 table 102
    ip rule add pref 10 from 192.0.2.1 to 192.0.2.2 lookup 101
    ip rule add pref 11 from 192.0.2.2 to 192.0.2.1 lookup 102
    ip rule add pref 12 iif lo to 192.0.2.2 lookup 101
    ip rule add pref 100 lookup local
    ip rule del pref 0
}

# end_up NUMBER MAC: mlx5_0 at 192.0.2.NUMBER, that of the other end known; the network between the guests at 198.51.100.NUMBER.
end_up()
{
    local other=$((3 - $1)) netdev
    load_drivers
    modprobe virtio_net
    wait_for 10 test -d /sys/bus/virtio/drivers/virtio_net
    ip addr add "198.51.100.$1/24" dev "$(basename /sys/bus/virtio/drivers/virtio_net/virtio*/net/*)"
    ip link set "$(basename /sys/bus/virtio/drivers/virtio_net/virtio*/net/*)" up
    netdev=$(ls "$ibdev/device/net" | head -n 1)
    ip addr add "192.0.2.$1/24" dev "$netdev"
    ip link set "$netdev" up
    # No Ethernet frames travel by the software ConnectX: its neighbour is told.
    ip neigh add "192.0.2.$other" dev "$netdev" nud permanent lladdr "$2"
    wait_for 60 link_is_active
    wait_for 60 grep -q "c000:020$1" "$port/gids/3"
}

there()
{
    local answer
    exec 5<>/dev/tcp/198.51.100.2/7000 || return 1
    printf '%s\n' "$*" >&5
    answer=$(cat <&5)
    exec 5>&-
    printf '%s\n' "${answer%$'\n'*}"
    return "${answer##*$'\n'}"
}

with_server()
{
    local server client=$2
    timeout 120 "${@:3}" -d "$1" >"$tap_dir/server" 2>&1 &
    server=$!
    # ibv_*_pingpong and perftest listen at port 18515.
    wait_for 20 grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6
    run timeout 120 "${@:3}" -d "$client" 127.0.0.1
    wait $server || status=$?
}
