#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The worked example: N queue pairs to one peer with planned ports, by labels and in RTS.
. "$(dirname "$0")/../emukernel/lib.sh"
[ -n "${SPREAD_PORTS:-}" ] || skip_all "examples/spread_ports was not built: no libibverbs"

# check_spread QPS [PATHS]: the ports of the queue pairs are different and even over the paths.
check_spread()
{
    [ "$(grep -c '^queue pair' "$emu_out")" -eq "$1" ]
    result $? "$1 queue pairs"
    [ "$(sed -n 's/.*has //p' "$emu_out" | sort -u | wc -l)" -eq "$1" ]
    result $? "$1 different ports"
    [ -n "${2:-}" ] || return 0
    [ "$(sed -n 's/.*path \([0-9]*\),.*/\1/p' "$emu_out" | sort | uniq -c | sort -n | tail -1 |
        awk '{ print $1 }')" -eq $(($1 / $2)) ]
    result $? "at most $(($1 / $2)) on a path"
}

fresh_root
expect_exit 0 "$SPREAD_PORTS" mlx5_0 1 10.0.0.1 10.0.1.7 0x100 8 crc32 4
check_spread 8 4
expect_out '^fullest path: 2 queue pairs, without a plan about 3'
cp "$emu_out" "$emu_work/by_label"
expect_exit 0 "$SPREAD_PORTS" mlx5_0 1 10.0.0.1 10.0.1.7 0x100 8 crc32 4 live
check_spread 8 4
diff <(sed -n 's/.*has //p' "$emu_work/by_label") <(sed -n 's/.*has //p' "$emu_out") >/dev/null
result $? "the same ports in both ways"
# The other end plans with its own view and comes to the same ports.
expect_exit 0 "$SPREAD_PORTS" mlx5_1 1 10.0.1.7 10.0.0.1 0x200 8 crc32 4
diff <(sed -n 's/.*has //p' "$emu_work/by_label") <(sed -n 's/.*has //p' "$emu_out") >/dev/null
result $? "the same ports at the other end"
expect_exit 0 "$SPREAD_PORTS" mlx5_0 1 10.0.0.1 10.0.1.7 0x100 16
check_spread 16
fresh_root cx4
expect_exit 0 "$SPREAD_PORTS" mlx5_0 1 10.0.0.1 10.0.1.7 0x100 8 crc32 4
expect_exit 1 "$SPREAD_PORTS" mlx5_0 1 10.0.0.1 10.0.1.7 0x100 8 crc32 4 live
expect_err 'rts2rts_qp_udp_sport'
fresh_root
expect_exit 1 "$SPREAD_PORTS" mlx5_0 1 10.0.0.1 10.0.1.7 0x100 8 md5 4
expect_err 'md5'
expect_exit 1 "$SPREAD_PORTS" mlx5_9 1 10.0.0.1 10.0.1.7 0x100 8
expect_exit 2 "$SPREAD_PORTS" mlx5_0
finish
