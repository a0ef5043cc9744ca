# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""wire.host.py CAPTURE OUTPUT: on the machine itself, after the suite `wire`: what tshark reads in the
frames of its first run, `ibv_rc_pingpong -s 4096 -m 1024 -n 10`, against what that must have sent. OUTPUT
is what the suite printed: the numbers that the program told, and how many cases there were. Prints more
TAP."""
import re
import shutil
import subprocess
import sys

from host_tap import Tap

FIELDS = ("ip.src", "udp.srcport", "udp.dstport", "infiniband.bth.opcode", "infiniband.bth.psn",
          "infiniband.bth.destqp", "infiniband.invariant.crc")
PSN_MASK = 0xffffff
MESSAGES, PACKETS = 10, 4
FIRST, MIDDLE, LAST, ACKNOWLEDGE = 0, 1, 2, 17


def source_port(local, remote):
    """rdma_calc_flow_label() and rdma_flow_label_to_udp_sport() of the kernel's ib_verbs.h."""
    value = local * remote
    value ^= value >> 20
    value ^= value >> 40
    label = value & 0xfffff
    return 0xc000 | ((label & 0x3fff) ^ (label >> 14))


def judge(tap, rows, ends):
    local, remote = ends["local"], ends["remote"]
    tap.case(all(r["udp.dstport"] == "4791" for r in rows), "tshark: all go to UDP port 4791")
    for here, there, address in ((local, remote, "192.0.2.1"), (remote, local, "192.0.2.2")):
        mine = [r for r in rows if r["ip.src"] == address]
        ports = {int(r["udp.srcport"]) for r in mine}
        tap.case(ports == {source_port(here["qpn"], there["qpn"])},
                 f"{address}: the source port is the kernel's hash of the two numbers", ports)
        tap.case({int(r["infiniband.bth.destqp"], 16) for r in mine} == {there["qpn"]},
                 f"{address}: to the other's queue pair")
        # Two servers on a busy machine may let a timeout pass: what is repeated counts once.
        sends = list({r["infiniband.bth.psn"]: r for r in reversed(mine)
                      if int(r["infiniband.bth.opcode"]) != ACKNOWLEDGE}.values())[::-1]
        tap.case([int(r["infiniband.bth.opcode"]) for r in sends] ==
                 [FIRST, MIDDLE, MIDDLE, LAST] * MESSAGES, f"{address}: ten messages of four packets",
                 [r["infiniband.bth.opcode"] for r in sends])
        psns = [int(r["infiniband.bth.psn"]) for r in sends]
        tap.case(psns == [(here["psn"] + i) & PSN_MASK for i in range(MESSAGES * PACKETS)],
                 f"{address}: numbers follow the first that the program told", psns)
        acknowledged = [int(r["infiniband.bth.psn"]) for r in rows if r["ip.src"] != address and
                        int(r["infiniband.bth.opcode"]) == ACKNOWLEDGE]
        tap.case(acknowledged[-1:] == psns[-1:], f"{address}: the last of them is acknowledged",
                 acknowledged)


def main():
    capture, output = sys.argv[1:]
    tap = Tap(output)
    ends = {side: {"qpn": int(qpn, 16), "psn": int(psn, 16)} for side, qpn, psn in
            re.findall(r"# first: +(local|remote) address: .*QPN (0x[0-9a-f]+), PSN (0x[0-9a-f]+)",
                       tap.text)}
    if not shutil.which("tshark"):
        tap.skip("tshark reads the frames", "tshark is not installed")
    elif len(ends) != 2:
        tap.case(False, "the program told its numbers")
    else:
        words = ["tshark", "-r", capture, "-T", "fields", *(w for f in FIELDS for w in ("-e", f))]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        rows = [dict(zip(FIELDS, line.split("\t"))) for line in done.stdout.splitlines()]
        tap.case(done.returncode == 0 and rows, "tshark reads the frames", done.stderr)
        judge(tap, rows, ends)
    tap.done()


main()
