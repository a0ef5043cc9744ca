# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# By hand: run.sh -d data-path rates. Messages per second of 4 KiB through the software ConnectX and,
# in the same guest, through rxe. Numbers for people; nothing is asserted about them.
. "$TOP/tests/hca/guest.sh"
. "$TOP/tests/guest/wire.sh"

wire_up || skip_all 'rxe cannot be had'
load_drivers
two_functions_up

# rates NAME DEVICE DEVICE GID
rates()
{
    local program
    with_server "$2" "$3" ibv_rc_pingpong -g "$4" -s 4096 -n 2000
    exits 0 "$1, ibv_rc_pingpong: $(sed -n 's/.*= \([0-9.]*\) usec.iter/\1/p' <<<"$out") us for two messages"
    for program in ib_send_bw ib_write_bw ib_read_bw; do
        with_server "$2" "$3" $program -x "$4" -s 4096 -n 5000 -F
        exits 0 "$1, $program: $(awk '$1 == 4096 { printf "%d", $5 * 1e6 }' <<<"$out") messages per second"
    done
}
rates 'software ConnectX' mlx5_1 mlx5_0 3
rates rxe rxe1 rxe0 1
done_testing
