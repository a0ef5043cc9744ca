# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Two RoCE functions that move data: programs that find each other by the kernel's connection manager,
# whose messages are datagrams of QP1, datagrams of programs, and the events of queue pairs.
. "$TOP/tests/hca/guest.sh"

load_drivers
two_functions_up
exits 0 'the second has its GID'
connectable

both_lose()
{
    hca path.tx.loss_ppm = "$1"
    hca function 1
    hca path.tx.loss_ppm = "$1"
    hca function 0
}

# ---- datagrams ------------------------------------------------------------------------------
with_server mlx5_1 mlx5_0 ibv_ud_pingpong -g 3 -s 1000 -n 50
exits 0 'ibv_ud_pingpong'
has "$out" '50 iters' 'all of them come'
is "$(hca packets | sed 1q)" 'sent 100 delivered 100 nobody 0' 'a packet for each message, and nothing else'
# A lost one is lost: nobody repeats it.
hca path.tx.loss_ppm = 1000000
timeout 60 ibv_ud_pingpong -d mlx5_1 -g 3 -n 5 >/dev/null 2>&1 &
wait_for 20 grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6
run timeout 5 ibv_ud_pingpong -d mlx5_0 -g 3 -n 5 127.0.0.1
exits 124 'what waits for a lost one waits for ever'
kill %% 2>/dev/null
wait
hca path.tx.loss_ppm = 0
is "$(hca packets | sed -n 's/^sent \([0-9]*\) .*/\1/p') $(hca qps | grep -c ' type 2 ')" '101 0' 'one went, and not again'

# ---- the connection manager -----------------------------------------------------------------
# pings COUNT SIZE
pings()
{
    local server
    timeout 120 rping -s -a 192.0.2.2 -C "$1" -S "$2" -V >"$tap_dir/server" 2>&1 &
    server=$!
    wait_for 60 listens
    run timeout 120 rping -c -I 192.0.2.1 -a 192.0.2.2 -C "$1" -S "$2" -V
    wait $server || status=$?
}
listens() { rdma resource show cm_id 2>/dev/null | grep -q 'state LISTEN'; }
# perftest listens by the connection manager too.
performs()
{
    local server
    timeout 120 "$@" -R -x 3 -n 20 -F -d mlx5_1 >"$tap_dir/server" 2>&1 &
    server=$!
    wait_for 60 listens
    run timeout 120 "$@" -R -x 3 -n 20 -F -d mlx5_0 192.0.2.2
    wait $server || status=$?
}
if command -v rping >/dev/null; then
    pings 20 3000
    exits 0 'rping, data compared'
    both_lose 50000
    pings 50 5000
    exits 0 'rping with 5 % lost in each direction'
    like "$(hca packets)" '^function 0 lost [1-9]' 'and some were lost'
    both_lose 0
else
    skip 'rping' 'rdmacm-utils is not installed'
fi
if command -v ib_send_lat >/dev/null; then
    for program in 'ib_send_lat -s 64' 'ib_write_bw -s 4096' 'ib_read_lat -s 4096'; do
        # shellcheck disable=SC2086 # words
        performs $program
        exits 0 "$program, connected by rdma_cm"
    done
else
    skip 'perftest by rdma_cm' 'perftest is not installed'
fi

# ---- events of queue pairs ------------------------------------------------------------------
# Numbers of enum ibv_event_type: 3 access error, 4 connection established, 16 the last receive of a
# shared queue.
events()
{
    run "$TRANSFER" async=1 "${@:2}"
    is "$(grep event <<<"$out" | paste -sd ' ')" "$1" "events: ${*:2}"
}
events '' op=send
events 'receive event 4' op=send receiver_rtr=1 count=3
events 'receive event 3' op=write bad_key=1
events 'send event 16 receive event 3 receive event 16' op=write bad_key=1 srq=1

run unload_drivers
exits 0 'the drivers unload'
is "$(hca unknown)" '' 'the drivers use no command that the device does not know'
kernel_is_quiet 'the kernel has nothing to complain of'
done_testing
