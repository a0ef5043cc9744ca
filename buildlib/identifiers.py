#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""identifiers.py FILE...: the words that the identifiers in the files are made of, one a line."""
import re
import sys

words = set()
for name in sys.argv[1:]:
    if not name or name.startswith("."):
        continue
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except IsADirectoryError:
        continue
    for identifier in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text):
        for part in identifier.split("_"):
            words.update(w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", part))
print("\n".join(sorted(w for w in words if len(w) > 3)))
