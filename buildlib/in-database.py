#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""in-database.py BUILD < NUL-separated names: those that BUILD's compile_commands.json has."""
import json
import os
import sys

build = sys.argv[1]
with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
    known = {os.path.realpath(os.path.join(c["directory"], c["file"])) for c in json.load(file)}
for name in sys.stdin.read().split("\0"):
    if name and os.path.realpath(name) in known:
        sys.stdout.write(name + "\0")
