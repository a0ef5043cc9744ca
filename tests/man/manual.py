# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The sources of the manual, taken apart: what the tests of tests/man share."""
import os
import pathlib
import re
import signal
import sys

ROOT = pathlib.Path(sys.argv[3])
BUILT = pathlib.Path(sys.argv[4])
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "buildlib")]
sys.dont_write_bytecode = True

FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.M | re.S)


class Page:
    def __init__(self, path):
        self.file = path.name
        self.name, self.section = path.stem.rsplit(".", 1)
        self.text = path.read_text(encoding="utf-8")
        # Without code, so that a comment in it is no heading.
        self.prose = FENCE.sub("", self.text)
        parts = re.split(r"^# (.+)\n", self.prose, flags=re.M)
        self.headings = parts[1::2]
        self.sections = dict(zip(self.headings, parts[2::2]))

    def __str__(self):
        return self.file

    @property
    def names(self):
        return " ".join(self.sections["NAME"].split()).split(" - ")[0].split(", ")

    @property
    def blocks(self):
        """(info, text, line) of each block of code."""
        for match in FENCE.finditer(self.text):
            indent, info, body = match.groups()
            body = "\n".join(line.removeprefix(indent) for line in body.split("\n"))
            yield info, body, self.text.count("\n", 0, match.start()) + 2

    @property
    def commands(self):
        """(line, command, exit status, lines of output or None) of each "$ " in a block."""
        for info, body, first in self.blocks:
            if info:
                continue
            found = []
            for number, line in enumerate(body.rstrip("\n").split("\n"), first):
                if found and found[-1][1].endswith("\\"):
                    found[-1][1] = found[-1][1][:-1] + " " + line.strip()
                elif line.startswith("$ "):
                    found.append([number, line[2:], 0, None])
                elif found:
                    found[-1][3] = (found[-1][3] or []) + [line]
            for one in found:
                status = re.search(r"# exit status (\d+)$", one[1])
                one[2] = int(status.group(1)) if status else 0
                yield tuple(one)


PAGES = [Page(path) for path in sorted((ROOT / "man").glob("*.md"))]


def end_guardians(cli):
    """The processes of temporary settings, which would wait for their time."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = pathlib.Path("/proc", pid, "comm").read_text(encoding="ascii").strip()
            line = pathlib.Path("/proc", pid, "cmdline").read_bytes()
        except OSError:
            continue
        if name == "adp-restore" and str(cli.state).encode() in line:
            os.kill(int(pid), signal.SIGKILL)


def page(name):
    return next(p for p in PAGES if p.file == name + ".md")
