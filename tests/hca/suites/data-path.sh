# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Two RoCE functions that move data: applications nobody here wrote, a path that loses packets, and
# the time until a requester gives up, which must be the one that `adp retry` computes.
. "$TOP/tests/hca/guest.sh"

load_drivers
wait_for 20 test -d /sys/class/infiniband/mlx5_1
# Two functions in one kernel: no Ethernet frames travel between them, so neighbours are told.
netdev() { ls "/sys/class/infiniband/mlx5_$1/device/net" | head -n 1; }
for i in 0 1; do
    ip addr add "192.0.2.$((i + 1))/24" dev "$(netdev $i)"
    ip link set "$(netdev $i)" up
done
for i in 0 1; do
    ip neigh add "192.0.2.$((2 - i))" dev "$(netdev $i)" nud permanent \
        lladdr "$(cat "/sys/class/net/$(netdev $((1 - i)))/address")"
done
run wait_for 10 grep -q c000:0202 /sys/class/infiniband/mlx5_1/ports/1/gids/3
exits 0 'the second has its GID'

run "$TRANSFER" op=send count=20
exits 0 'sends'
run "$TRANSFER" op=write size=10000 count=20
exits 0 'RDMA writes'
run "$TRANSFER" op=read size=10000 count=20
exits 0 'RDMA reads'
run "$TRANSFER" to=mlx5_0 gid=0 count=20
exits 0 'two queue pairs of one device'

# A program and its server, each with a device.
pair()
{
    timeout 30 "$@" -d mlx5_1 >"$tap_dir/server" 2>&1 &
    local server=$!
    sleep 1
    run timeout 30 "$@" -d mlx5_0 127.0.0.1
    wait $server || status=$?
}
pair ibv_rc_pingpong -c -g 3 -n 500
exits 0 'ibv_rc_pingpong, data compared'

hca path.tx.hole = 1
run "$TRANSFER" op=write timeout=14 retry=7
has "$out" 'status 12 vendor 0x81' 'a black hole ends in status 12'
hca failures
hca path.tx.hole = 0

run unload_drivers
exits 0 'the drivers unload'
is "$(hca unknown)" '' 'the drivers use no command that the device does not know'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
