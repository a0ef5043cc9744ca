# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# A device that disappears while a profile is being written, firmware that needs its time, firmware
# that dies and comes back.
. "$TOP/tests/hca/guest.sh"
sample=$TOP/tests/fixtures/roce_accl/set-named.txt
load_drivers

hca fault op=0xb0c,rw=w,delay_ms=1500,count=1
run "$ADP" -y --via devx profile set mlx5_0 file "$sample"
exits 0 'firmware that takes 1.5 s for the write'
is "$(hca reg 0x402c)" "$(printed_register "$TOP/tests/fixtures/roce_accl/raw-set-preview.txt")" 'it is written'

# Firmware that does not answer holds the process in the kernel, deaf to signals. The tool says what
# it waits for, and ends when it is told to all the same.
ask_in_background()
{
    "$ADP" "$@" >"$tap_dir/slow.out" 2>"$tap_dir/slow.err" &
    asking=$!
}
hca fault op=0xb0c,delay_ms=12000,count=1
ask_in_background --via devx accl show mlx5_0
run wait_for 10 grep -q 'no answer yet' "$tap_dir/slow.err"
has "$(cat "$tap_dir/slow.err")" '0000:01:00.0 devx: query register 0x402c: no answer yet' 'it says what it waits for'
kill -INT $asking
status=0
wait $asking || status=$?
is $status 130 'it ends by the signal'
has "$(cat "$tap_dir/slow.err")" 'interrupted without an answer' 'and says how'
held() { grep -q '^State:.*D' /proc/[0-9]*/status; }
run held
exits 0 'while the kernel still waits'
wait_for 20 eval '! held'
run "$ADP" --via devx accl show mlx5_0
exits 0 'once the firmware has answered everything is as before'
before=$(hca reg 0x402c)
hca fault op=0xb0c,rw=w,delay_ms=6000,count=1
ask_in_background -y --via devx accl set mlx5_0 roce_slow_restart_idle_en 1
run wait_for 10 grep -q 'write register 0x402c: no answer yet' "$tap_dir/slow.err"
exits 0 'a write too'
run "$ADP" -y --via devx accl set mlx5_0 roce_tx_window_en 1
exits 0 'another one waits for its lock'
wait $asking
is $? 0 'and both are done'
run "$ADP" -j --via devx accl show mlx5_0
json 'd[0]["fields"]["roce_slow_restart_idle_en"] == 1 and d[0]["fields"]["roce_tx_window_en"] == 1' 'both are in the register'
hca "roce_accl = $before"

# A fatal error: the driver resets the firmware, and makes the device anew.
hca health.syndrome = 1
hca health.fatal = 1
recovered() { dmesg | grep -qE 'recovery (succeeded|failed)'; }
run wait_for 30 recovered
has "$(dmesg)" 'recovery succeeded' 'the driver recovers from a fatal error'
run wait_for 20 test -d $ibdev
run "$ADP" -j --via devx accl show mlx5_0
exits 0 'and adp finds the device again'

# Gone between the query and the write.
hca fault op=0xb0c,rw=w,gone=1,count=1
run timeout 100 "$ADP" --via devx profile set mlx5_0 time_base 8
exits 2 'gone between the query and the write'
like "$err" 'mlx5_0: .*(No such device|Input/output error|Remote I/O error|timed out|disappeared|gone)' 'is told'
echo 1 >/sys/bus/pci/devices/0000:01:00.0/remove
run wait_for 30 test ! -e $ibdev
exits 0 'the kernel removes it'
run "$ADP" accl show mlx5_0
exits 2 'then there is no such device'
has "$err" 'mlx5_0' 'and it is named'
done_testing
