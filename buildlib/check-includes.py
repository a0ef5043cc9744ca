#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""check-includes.py < NUL-separated file names: holds each #include to buildlib/include-rules.txt,
and standard names to the headers that they come from. Says what breaks a rule, a line each; exit status 1 when something does."""
import fnmatch
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
PROSE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
NAME = re.compile(r"\b((?:std|fmt)::\w+)")


class Rules:
    def __init__(self, path):
        self.folders = {}  # folder -> part
        self.may = {}  # part -> set of parts
        self.deny = {}  # part -> patterns
        self.only = {}
        self.homes = {}  # name -> headers
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split("#")[0].split()
                if not words:
                    continue
                kind, name, rest = words[0], words[1], words[2:]
                if kind == "names":
                    for word in rest:
                        full = word if "::" in word else "std::" + word
                        self.homes.setdefault(full, set()).add(name.strip("<>"))
                elif kind == "part":
                    folder, allowed = rest[0].rstrip(":"), rest[1:]
                    self.folders[folder] = name
                    self.may[name] = set(allowed) | {name}
                elif kind in ("deny", "only"):
                    patterns = getattr(self, kind).setdefault(name, [])
                    patterns += [p.strip("<>") for p in rest]
                else:
                    sys.exit("%s: unknown word '%s'" % (path, kind))
        for name in set().union(*self.may.values()) - set(self.may) - {"*"}:
            sys.exit("%s: no part of the name '%s'" % (path, name))

    def part_of(self, path):
        best = ""
        for folder in self.folders:
            if path.startswith(folder + "/") and len(folder) > len(best):
                best = folder
        return self.folders.get(best)

    def roots(self, part):
        """Where the headers of a part are looked for: its folder and those within that belong to
        it (each may be an include path of the build)."""
        return [f for f, p in self.folders.items() if p == part]


def resolve(rules, files, including, part, name, quoted):
    """The project's file that an #include means, or None: a system header."""
    here = os.path.normpath(os.path.join(os.path.dirname(including), name))
    if quoted and here in files:
        return here
    suffix = "/" + name
    allowed = rules.may[part]
    order = sorted(rules.may) if "*" in allowed else \
        sorted(allowed) + sorted(set(rules.may) - allowed)
    for other in order:
        for root in rules.roots(other):
            if root + suffix in files:
                return root + suffix
    found = [f for f in files if f.endswith(suffix)]
    return found[0] if quoted and found else None


def check(rules, files, path):
    part = rules.part_of(path)
    if part is None:
        yield "belongs to no part in include-rules.txt"
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    for mark, name in INCLUDE.findall(text):
        target = resolve(rules, files, path, part, name, mark == '"')
        if target:
            other = rules.part_of(target)
            if other not in rules.may[part] and "*" not in rules.may[part]:
                yield "%s may not include %s (%s)" % (part, other, target)
        elif mark == '"':
            yield 'no such file in the project: "%s"' % name
        if mark == "<":
            if any(fnmatch.fnmatch(name, p) for p in rules.deny.get(part, [])):
                yield "%s may not include <%s>" % (part, name)
            if part in rules.only and not any(fnmatch.fnmatch(name, p) for p in rules.only[part]):
                yield "%s may not include <%s>: it is not in its list" % (part, name)


class Names:
    """Which standard headers a file has by its own #include lines and those of the project's headers
    that it includes: another header of the library may bring a name along today, in this version."""

    def __init__(self, rules, files):
        self.rules, self.files, self.known = rules, files, {}

    def headers(self, path):
        if path not in self.known:
            self.known[path] = set()  # one that includes itself in the end adds nothing
            part = self.rules.part_of(path)
            with open(path, encoding="utf-8", errors="replace") as file:
                found = INCLUDE.findall(file.read())
            for mark, name in found:
                target = part and resolve(self.rules, self.files, path, part, name, mark == '"')
                self.known[path] |= self.headers(target) if target else {name}
        return self.known[path]

    def check(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            used = set(NAME.findall(PROSE.sub(" ", INCLUDE.sub("", file.read()))))
        for name in sorted(used & set(self.rules.homes)):
            homes = self.rules.homes[name]
            if not homes & self.headers(path):
                yield "%s without %s" % (name, " or ".join("<%s>" % h for h in sorted(homes)))


def main():
    rules = Rules(os.path.join(os.path.dirname(__file__), "include-rules.txt"))
    files = {name for name in sys.stdin.read().split("\0") if name}
    names = Names(rules, files)
    bad = 0
    for path in sorted(files):
        for message in [*check(rules, files, path), *names.check(path)]:
            print("%s: %s" % (path, message))
            bad += 1
    print("%d files, %d findings" % (len(files), bad))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
