# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Shell functions for tests of commands on the emulated kernel. Source it; results are TAP.
#
#   . "$(dirname "$0")/lib.sh"
#   fresh_root bond                        # an empty machine; a preset or nothing (two ConnectX-7)
#   expect_exit 0 rdma dev                 # runs it on the emulated kernel, one test
#   expect_out 'mlx5_bond_0'               # a line of its output has this regular expression
#   EMUKERNEL_NO_FWCTL=1 expect_exit 2 "$adp" --via fwctl accl show mlx5_bond_0
#   expect_err 'no fwctl node'
#   EMUKERNEL_FAULT='op=0x805,rw=w,status=3,syndrome=0x1234' expect_exit 2 "$adp" accl set ...
#   expect_calls 3 'call=rpc .* reg=0x402c'
#   expect_untainted
#   finish
#
# The build passes the programs in the environment: EMUKERNEL_PRELOAD (the interposer), and
# EMUKERNEL_RUN, EMUKERNEL_TREE, EMUKERNEL_REGISTER.
#
# What the emulated kernel takes from the environment of a command:
#   EMUKERNEL_ROOT       its files: state.json, calls.log, taint, sys/, dev/ (set by fresh_root)
#   EMUKERNEL_STATE      state file of the simulated devices (a path), or a preset
#   EMUKERNEL_FAULT      injected faults; words in providers/sim/firmware/fault.h. Counted over all
#                        processes of the root until the text changes
#   EMUKERNEL_OPEN_ERRNO 13, or uverbs=13,fwctl=1: opening the device nodes fails
#   EMUKERNEL_NO_FWCTL=1 EMUKERNEL_NO_UVERBS=1 EMUKERNEL_NETLINK=0   the kernel lacks it
#   EMUKERNEL_NO_DEVX=22 opening a context with DEVX fails with this errno
#   EMUKERNEL_ABI=write  basic verbs come by write(), as before INVOKE_WRITE
#   EMUKERNEL_KERNEL=legacy   a firmware status becomes an errno, the answer is lost
#   EMUKERNEL_LOCKDOWN   text of /sys/kernel/security/lockdown: 'none [integrity] confidentiality'
#   EMUKERNEL_NO_NET_ADMIN=1   the command has no CAP_NET_ADMIN
#   EMUKERNEL_SHORT_DUMP bytes of a queue pair's resource dump that arrive
#   EMUKERNEL_OOO_DP=1   the driver knows out-of-order data placement
#   EMUKERNEL_GID_TYPE   type of all GIDs: 'IB/RoCE v1'
#   EMUKERNEL_KIND       0000:1a:00.1=vf,0000:1b:00.0=sf, or switchdev
#   EMUKERNEL_COUNTERS   file with ports and counters; words in counter_state.h
#   EMUKERNEL_NETLINK_FAULT   how RDMA netlink misbehaves: truncate=N, garbage, cut=N, interrupted=N,
#                        errno=N; only for command=N (1005: devlink's PORT_GET)
#   EMUKERNEL_RXE=1      an rxe0 beside the others
#   EMUKERNEL_SIGNAL_AFTER_WRITE=2   the process gets this signal when it has written a register
#   EMUKERNEL_TRACE      file that gets a line for every call

# EMU_AS_ROOT=1 before this is sourced: mstreg, and so the access path, is for root alone. An ordinary user
# is root of a user namespace then.
if [ -n "${EMU_AS_ROOT:-}" ] && [ "$(id -u)" -ne 0 ]; then
    if unshare --user --map-root-user true 2>/dev/null; then
        exec unshare --user --map-root-user bash "$0" "$@"
    fi
    echo "1..0 # SKIP mstreg works for root alone, and there are no user namespaces here"
    echo "SKIPPED: mstreg works for root alone, and there are no user namespaces here" >&2
    exit 0
fi

: "${EMUKERNEL_PRELOAD:?is not set: run this by meson test}" "${EMUKERNEL_SOURCE:?is not set}"
emu_tests=0
emu_failures=0
emu_work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$emu_work"' EXIT
emu_out=$emu_work/out
emu_err=$emu_work/err
: >"$emu_out"
: >"$emu_err"

# The sanitizer runtime that a file needs, if any. That of the programs of every test is looked up once.
emu_runtime()
{
    if [ -n "${emu_runtimes[$1]+known}" ]; then
        printf %s "${emu_runtimes[$1]}"
    else
        ldd "$1" 2>/dev/null | sed -n 's/.*=> \(.*lib[at]san[^ ]*\) .*/\1/p' | head -1
    fi
}
declare -A emu_runtimes=()
for emu_file in "$EMUKERNEL_PRELOAD" ${ADP:+"$ADP"}; do
    emu_runtimes[$emu_file]=$(emu_runtime "$emu_file")
done

# A sanitizer's runtime must be first: that of the interposer, or of the command.
emu_preload()
{
    local runtime
    runtime=$(emu_runtime "$EMUKERNEL_PRELOAD")
    [ -n "$runtime" ] || runtime=$(emu_runtime "$(command -v -- "${1:-true}")")
    printf %s "${runtime:+$runtime:}$EMUKERNEL_PRELOAD"
}

# A program that is not ours may leak when the interposer brings the checker along.
emu_sanitizer_options()
{
    printf %s "${ASAN_OPTIONS:-}"
    [ -n "$(emu_runtime "$(command -v -- "$1")")" ] || printf %s ":detect_leaks=0"
}

# fresh_root [PRESET]: a new machine, nothing logged.
fresh_root()
{
    EMUKERNEL_ROOT=$(mktemp -d "$emu_work/root.XXXXXX")
    EMUKERNEL_STATE=${1:-}
    XDG_STATE_HOME=$EMUKERNEL_ROOT/state # an ordinary user's journal is no file of the emulated machine
    export EMUKERNEL_ROOT EMUKERNEL_STATE XDG_STATE_HOME
}

# emu COMMAND...: runs it on the emulated kernel.
emu() { ASAN_OPTIONS=$(emu_sanitizer_options "$1") LD_PRELOAD=$(emu_preload "$1") "$@"; }

# emu_boxed COMMAND...: the same from outside the process: also static programs, no netlink.
emu_boxed() { "$EMUKERNEL_RUN" "$@"; }

# result STATUS NAME: one line of TAP; on failure what the last command printed.
result()
{
    emu_tests=$((emu_tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $emu_tests - $2"
        return
    fi
    emu_failures=$((emu_failures + 1))
    echo "not ok $emu_tests - $2"
    sed 's/^/# out: /' "$emu_out" | head -60
    sed 's/^/# err: /' "$emu_err" | head -40
}

# expect_exit STATUS COMMAND...: its output is kept for expect_out and expect_err. A command that
# hangs is ended after emu_timeout seconds (default 60) and has failed.
expect_exit()
{
    local wanted=$1 status=0
    shift
    # shellcheck disable=SC2016 # the inner shell expands it
    LD_PRELOAD='' EMU_COMMAND_PRELOAD=$(emu_preload "$1") ASAN_OPTIONS=$(emu_sanitizer_options "$1") \
        timeout -k 5 "${emu_timeout:-60}" \
        bash -c 'export LD_PRELOAD=$EMU_COMMAND_PRELOAD; exec "$@"' bash "$@" \
        >"$emu_out" 2>"$emu_err" </dev/null || status=$?
    [ "$status" -eq "$wanted" ]
    result $? "$(basename "$1") ${*:2}: exit $wanted$([ "$status" -eq "$wanted" ] || echo ", was $status")"
    # Whatever the tool says as JSON has a reason for each null.
    if [ "$1" = "${ADP:-}" ] && [[ $(head -c 1 "$emu_out") == '[' ]]; then
        LD_PRELOAD='' python3 "$EMUKERNEL_SOURCE/tests/tools/reasons.py" "$emu_out" >"$emu_out.nulls" 2>&1 ||
            result 1 "null without a reason: $(head -c 500 "$emu_out.nulls")"
    fi
}

# boxed_exit STATUS COMMAND...: expect_exit by emu_boxed.
boxed_exit()
{
    local wanted=$1 status=0
    shift
    timeout -k 5 "${emu_timeout:-60}" "$EMUKERNEL_RUN" "$@" >"$emu_out" 2>"$emu_err" </dev/null ||
        status=$?
    [ "$status" -eq "$wanted" ]
    result $? "boxed $(basename "$1") ${*:2}: exit $wanted$([ "$status" -eq "$wanted" ] || echo ", was $status")"
}

# The last command's stdout, or stderr, has a line that matches; refuse_out: has none.
expect_out() { grep -Eq -- "$1" "$emu_out"; result $? "stdout has: $1"; }
expect_err() { grep -Eq -- "$1" "$emu_err"; result $? "stderr has: $1"; }
refuse_out() { ! grep -Eq -- "$1" "$emu_out"; result $? "stdout has not: $1"; }
expect_no_err() { [ ! -s "$emu_err" ]; result $? "stderr is empty"; }

# calls [EXPRESSION]: how many lines of calls.log match.
calls()
{
    [ -e "$EMUKERNEL_ROOT/calls.log" ] || { echo 0; return; }
    grep -Ec -- "${1:-.}" "$EMUKERNEL_ROOT/calls.log" || :
}

# expect_calls NUMBER EXPRESSION
expect_calls()
{
    local n
    n=$(calls "$2")
    [ "$n" -eq "$1" ]
    result $? "$1 calls: $2$([ "$n" -eq "$1" ] || echo " (was $n)")"
}

# forget_calls: what comes now is counted from nothing.
forget_calls() { rm -f "$EMUKERNEL_ROOT/calls.log"; }

expect_untainted() { [ ! -e "$EMUKERNEL_ROOT/taint" ]; result $? "the kernel is not tainted"; }
expect_tainted() { [ -s "$EMUKERNEL_ROOT/taint" ]; result $? "the kernel is tainted"; }

# register [PCI [ID]]: a register as the firmware model holds it, in mlxreg's raw table form.
register()
{
    local state=${EMUKERNEL_STATE:-}
    case $state in
    */*) ;;
    *) state=$EMUKERNEL_ROOT/state.json ;;
    esac
    "$EMUKERNEL_REGISTER" "$state" "${1:-0000:1a:00.0}" ${2:+"$2"}
}

# The dwords of a raw table, whatever stands around it.
dwords() { sed -n 's/^0x0*\([0-9a-f]*\)[[:space:]]*|[[:space:]]*\(0x[0-9a-f]\{8\}\).*/\1 \2/p' "$@"; }

# expect_register TABLE [PCI]: ROCE_ACCL of the model is what the file has.
expect_register()
{
    register "${2:-}" >"$emu_work/register" 2>"$emu_err"
    [ -s "$emu_work/register" ] && diff <(dwords "$1") <(dwords "$emu_work/register") >"$emu_out"
    result $? "the register is as in $(basename "$1")"
}

# skip_all REASON: ends the test; the reason is shown, and counted as skipped.
skip_all()
{
    echo "1..0 # SKIP $*"
    echo "SKIPPED: $*" >&2
    exit 0 # meson takes the plan for its word, and any other status for an error
}

# skip NUMBER REASON: so many tests are not made here.
skip()
{
    local i
    for ((i = 0; i < $1; i++)); do
        emu_tests=$((emu_tests + 1))
        echo "ok $emu_tests # SKIP $2"
    done
}

# finish: the plan, and the exit status.
finish()
{
    echo "1..$emu_tests"
    [ "$emu_failures" -eq 0 ]
    exit
}

# mstreg_here: makes a command "mstreg" of Debian sid's mstflint in a folder of its own and prints
# the folder; for use as PATH=$(mstreg_here):$PATH. Exit status 77: it cannot be had, said on stderr.
# The program has its own loader and libraries; the interposer comes along by LD_PRELOAD.
mstreg_here()
{
    local suite dir=$emu_work/mstreg
    suite=$("$EMUKERNEL_SOURCE/buildlib/fetch-suite.sh" sid mstflint) || return
    mkdir -p "$dir"
    cat >"$dir/mstreg" <<END
#!/bin/sh
# mstreg finds its register database below /usr/share only when it is told where it is instead.
export ASAN_OPTIONS="\$ASAN_OPTIONS:detect_leaks=0"
exec '$EMUKERNEL_SOURCE/tests/tools/suite-run.sh' '$suite' usr/bin/mstreg \\
    -a '$suite/usr/share/mstflint/prm_dbs/hca/ext/register_access_table.adb' "\$@"
END
    chmod +x "$dir/mstreg"
    printf '%s\n' "$dir"
}
