# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""For the scripts that judge on the machine what a suite in a guest has left: they go on with its TAP."""
import re


class Tap:
    """output: the file with what the suite printed; its text is kept."""

    def __init__(self, output):
        with open(output, encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        self.count = len(re.findall(r"^(?:not )?ok \d+", self.text, re.M))

    def case(self, good, name, why=""):
        self.count += 1
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        if not good:
            print(f"# {why}")

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}")

    def done(self):
        print(f"1..{self.count}")
