#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# adp statistic watch and snapshot: wraps, resets, devices that go and come back, how it ends.
. "$(dirname "$0")/../emukernel/lib.sh"
fresh_root
EMUKERNEL_COUNTERS=$emu_work/counters.json
export EMUKERNEL_COUNTERS

# machine INDEX GONE SEQ ACK [BUFFER]: the device's number, whether it is there, its counters.
machine()
{
    printf '{"mlx5_0": {"index": %s, "gone": %s, "ports": {"1": {"counters": {
        "packet_seq_err": %s, "local_ack_timeout_err": %s, "out_of_buffer": %s}}}}}' \
        "$1" "$2" "$3" "$4" "${5:-9}" \
        >"$EMUKERNEL_COUNTERS.new"
    mv "$EMUKERNEL_COUNTERS.new" "$EMUKERNEL_COUNTERS"
}

# watch ARGUMENTS...: in the background, output to watch.txt.
watch()
{
    : >"$emu_work/watch.txt"
    (
        LD_PRELOAD=$(emu_preload "$ADP")
        export LD_PRELOAD
        exec "$ADP" "$@" >"$emu_work/watch.txt" 2>"$emu_err"
    ) &
    watcher=$!
}

# until_line EXPRESSION: waits for it, at most half a minute.
until_line()
{
    local i
    for ((i = 0; i < 300; i++)); do
        grep -Eq -- "$1" "$emu_work/watch.txt" && break
        sleep 0.1
    done
    grep -Eq -- "$1" "$emu_work/watch.txt"
    local status=$?
    cp "$emu_work/watch.txt" "$emu_out"
    result $status "watch says: $1"
}

# ended SIGNAL STATUS
ended()
{
    local status=0
    kill -s "$1" "$watcher"
    wait "$watcher" || status=$?
    [ "$status" -eq "$2" ]
    result $? "after SIG$1: exit $2 (was $status)"
}

# As lines of JSON: the first is the beginning, then differences.
machine 0 false 5 4294967290
watch -j statistic watch mlx5_0 interval 50ms
until_line '"interval_ms":null,"interval_ms_reason":"the first reading","event":null.*"name":"packet_seq_err","value":5,.*"delta":null'
machine 0 false 8 10
until_line '"name":"packet_seq_err","value":8,.*"delta":3,.*"step":"rose"'
until_line '"name":"local_ack_timeout_err","value":10,.*"delta":16,.*"step":"wrapped"'
machine 0 true 8 10
until_line '"event":"gone"'
machine 3 false 2 1
until_line '"event":"returned"'
machine 3 false 2 4
until_line '"name":"local_ack_timeout_err","value":4,.*"delta":3,'
# All of them fall together, by little: no wrap.
machine 3 false 1 0 0
until_line '"event":"reset"'
# Registered anew between two readings: higher numbers are no difference.
machine 4 false 100 100 100
until_line '"event":"reset","event_reason":"the driver was loaded again.*"value":100,[^}]*"delta":null'
ended INT 0
python3 -c 'import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert len(lines) > 8 and all(one["dev"] == "mlx5_0" and one["port"] == 1 for one in lines)
assert [one["event"] for one in lines].count("returned") == 1' "$emu_work/watch.txt"
result $? "each line is JSON, whole"

# As lines for a log: what moves and nothing else.
machine 0 false 5 5
watch -d statistic watch mlx5_0 interval 50ms
until_line '^nothing moved$' # it has its first reading
machine 0 false 9 5
until_line '^[0-9:]{8}Z mlx5_0/1 packet_seq_err \+4 [0-9.]+/s sequence_nak_received$'
refuse_out local_ack_timeout_err
ended TERM 0

# For people, on a terminal.
python3 - "$ADP" "$(emu_preload "$ADP")" >"$emu_out" 2>"$emu_err" <<'END'
import os, pty, sys, time
machine = '{"mlx5_0": {"ports": {"1": {"counters": {"packet_seq_err": %d}}}}}'
path = os.environ["EMUKERNEL_COUNTERS"]
open(path, "w").write(machine % 1)
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(LD_PRELOAD=sys.argv[2], TERM="xterm", NO_COLOR="")
    os.execv(sys.argv[1], [sys.argv[1], "statistic", "watch", "mlx5_0", "interval", "50ms"])
seen, value, end = b"", 1, time.time() + 30
while time.time() < end and b"\x1b[1mmlx5_0/1" not in seen:
    value += 1
    open(path + ".new", "w").write(machine % value)
    os.rename(path + ".new", path)
    seen += os.read(fd, 65536)
os.write(fd, b"\x03")
_, status = os.waitpid(pid, 0)
print(repr(seen[-600:]))
assert b"adp statistic watch, every 50ms" in seen, seen
assert b"\x1b[1mmlx5_0/1" in seen and b"sequence_nak_received" in seen, seen
assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, status
END
result $? "a screen, ended by ^C"

# A request that cannot be met.
expect_exit 1 "$ADP" statistic watch mlx5_0 interval 1ms
expect_exit 1 "$ADP" statistic watch mlx5_0 count 0
expect_exit 2 "$ADP" statistic watch mlx5_9 count 1
# shellcheck disable=SC2016 # the inner shell's
expect_exit 2 bash -c '"$ADP" -j statistic watch mlx5_0 interval 10ms count 5 >/dev/full'

# Snapshots: what moved in between, and where that cannot be said.
machine 0 false 5 4294967290
expect_exit 0 "$ADP" statistic snapshot file "$emu_work/a.json"
machine 0 false 8 10
expect_exit 0 "$ADP" statistic snapshot mlx5_0 file "$emu_work/b.json"
machine 7 false 9 11
expect_exit 0 "$ADP" statistic snapshot all file "$emu_work/c.json"
expect_exit 3 "$ADP" -j statistic diff "$emu_work/a.json" "$emu_work/b.json" dev mlx5_0
expect_out '"name":"packet_seq_err"[^}]*"before":5,"after":8,"delta":3'
expect_out '"name":"local_ack_timeout_err"[^}]*"delta":16,"step":"wrapped"'
"$ADP" -j statistic diff "$emu_work/b.json" "$emu_work/c.json" dev mlx5_0 >"$emu_out" 2>"$emu_err"
expect_out '"comparable":0,"reason":"the driver was loaded again'
expect_exit 1 "$ADP" statistic snapshot mlx5_0
expect_exit 2 "$ADP" statistic snapshot mlx5_9 file "$emu_work/d.json"
[ ! -e "$emu_work/d.json" ]
result $? "nothing is kept of nothing"
finish
