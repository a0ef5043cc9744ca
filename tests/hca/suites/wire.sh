# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Two guests, each with a software ConnectX of its own, on one wire that carries RoCE v2 frames; this is
# the first of them. Programs exchange what they must know of each other by a network beside it.
. "$TOP/tests/hca/guest.sh"

end_up 1 0c:42:a1:a1:c2:c0
is "$(cat "$port/gids/3")" '0000:0000:0000:0000:0000:ffff:c000:0201' 'the first has its GID'
modprobe rdma_ucm
wait_for 200 there true
run there 'cat /sys/class/infiniband/mlx5_0/ports/1/gids/3'
has "$out" 'c000:0202' 'and the second its own'

# between PROGRAM...: its server in the second guest, its client here. Two guests on a busy machine are
# slow: the limits are wide.
between()
{
    local server
    there "timeout 150 $* -d mlx5_0" >"$tap_dir/server" &
    server=$!
    there "for i in \$(seq 1000); do grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6 && exit 0; sleep 0.1; done; exit 1" >/dev/null
    run timeout 150 "$@" -d mlx5_0 198.51.100.2
    wait $server || status=$?
}
hca capture "$CAPTURE"
between ibv_rc_pingpong -c -g 3 -s 4096 -m 1024 -n 10
exits 0 'ibv_rc_pingpong between two guests, data compared'
sed 's/^/# first: /' "$tap_dir/.out"
hca capture
like "$(hca packets)" 'wire sent [1-9][0-9]* received [1-9][0-9]* damaged 0' 'over the wire'
between ibv_rc_pingpong -c -e -g 3 -n 20
exits 0 'with events'
between ibv_ud_pingpong -g 3 -n 20
exits 0 'ibv_ud_pingpong'

# Two in a row, of few: with 5 % all 7 retries of one of the 200 messages would be lost once in a
# hundred runs.
hca path.tx.loss_ppm = 10000
hca path.tx.burst = 2
hca path.rx.loss_ppm = 10000
hca path.rx.burst = 2
between ibv_rc_pingpong -c -g 3 -n 100
exits 0 'ibv_rc_pingpong with losses in each direction, two packets at a time'
like "$(hca packets)" '^function 0 lost [1-9]' 'and some were lost'
hca path.rx.loss_ppm = 0
hca path.tx.loss_ppm = 0

if command -v rping >/dev/null; then
    there 'timeout 150 rping -s -a 192.0.2.2 -C 20 -S 3000 -V' >"$tap_dir/server" &
    server=$!
    # shellcheck disable=SC2016 # for the shell there
    there 'for i in $(seq 1000); do rdma resource show cm_id | grep -q "state LISTEN" && exit 0; sleep 0.1; done; exit 1' >/dev/null
    run timeout 150 rping -c -a 192.0.2.2 -C 20 -S 3000 -V
    wait $server || status=$?
    exits 0 'rping, data compared'
else
    skip 'rping' 'rdmacm-utils is not installed'
fi

# The other end goes dark: the time until the error is the model's, by this end's clock.
hca trace clear
dark() { sleep 3 && hca path.tx.hole = 1; }
dark &
between timeout 50 ibv_rc_pingpong -g 3 -n 10000000
has "$out$err" 'status transport retry counter exceeded (12)' 'the other end goes dark: status 12'
wait
hca failures | python3 "$TOP/tests/hca/retry_times.py" "$ADP" >"$tap_dir/judged"
is "$(tail -n 1 "$tap_dir/judged")" '1 of 1 agree' 'at the time that adp retry explain names'
hca path.tx.hole = 0
run there end
exits 0 'the second ends'
kernel_is_quiet 'the kernel of the first has nothing to complain of'
done_testing
