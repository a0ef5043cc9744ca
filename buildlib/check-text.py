#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""check-text.py spdx|unicode < NUL-separated file names: says what is wrong, a line each; exit
status 1 when something is."""
import os
import re
import sys
import unicodedata

OURS = "GPL-2.0-only OR Linux-OpenIB"
# Folders with files of other origin, which keep their own licence.
FOREIGN = ("kernel-headers/",)
SOURCES = (".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".map", ".build")
MISSING = set()  # licences without a text, each reported once
NAMES = ("meson_options.txt", ".clang-format", ".clang-tidy")


def is_source(name, text):
    return (name.endswith(SOURCES) or os.path.basename(name) in NAMES or text.startswith("#!"))


def licence_texts(expression):
    return [w for w in re.findall(r"[A-Za-z0-9.+-]+", expression)
            if w not in ("OR", "AND", "WITH")]


def check_spdx(name, text):
    if not is_source(name, text):
        return
    head = "\n".join(text.splitlines()[:3])
    match = re.search(r"SPDX-License-Identifier: (.*?)\s*(\*/|-->)?$", head, re.M)
    if not match:
        yield "no SPDX-License-Identifier in the first three lines"
        return
    expression = match.group(1)
    if not name.startswith(FOREIGN) and expression != OURS:
        yield "licence '%s', expected '%s'" % (expression, OURS)
    for licence in licence_texts(expression):
        if licence not in MISSING and not os.path.exists("LICENSES/%s.txt" % licence):
            MISSING.add(licence)
            yield "no text of the licence %s in LICENSES/" % licence


# What a command made of a word that was meant otherwise ("-", "--help") lies about in such names.
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.+,@:-]*(/[A-Za-z0-9_.][A-Za-z0-9_.+,@:-]*)*")


def check_unicode(name, text):
    if not PLAIN_NAME.fullmatch(name):
        yield "no name for a file of the project"
    for number, line in enumerate(text.split("\n"), 1):
        for char in line:
            # Format characters (bidirectional marks, zero width, byte order mark), other control
            # characters than a tab, private use, and blanks that are not the blank.
            category = unicodedata.category(char)
            if (category in ("Cf", "Co", "Cs", "Zl", "Zp") or (category == "Zs" and char != " ")
                    or (category == "Cc" and char != "\t")):
                yield "line %d: U+%04X %s" % (
                    number, ord(char), unicodedata.name(char, "control character"))


def main():
    check = {"spdx": check_spdx, "unicode": check_unicode}[sys.argv[1]]
    bad = count = 0
    for name in sys.stdin.read().split("\0"):
        if not name:
            continue
        with open(name, "rb") as file:
            data = file.read()
        if b"\0" in data:
            continue  # binary
        # Test inputs are as people have them: printed with anything.
        if sys.argv[1] == "unicode" and name.startswith(("tests/fixtures/", "tests/fuzz/corpus/")):
            continue
        count += 1
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            if sys.argv[1] == "unicode":
                print("%s: not UTF-8: %s" % (name, error))
                bad += 1
            continue
        for message in check(name, text):
            print("%s: %s" % (name, message))
            bad += 1
    print("%d files, %d findings" % (count, bad))
    return 1 if bad or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
