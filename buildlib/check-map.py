#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""check-map.py: holds libadp.map to Documentation/versioning.md, and every place that repeats a
version to meson.build. Says what is wrong, a line each; exit status 1 when something is."""
import re
import subprocess
import sys

MAP = "libadp/abi/libadp.map"
STANZA = re.compile(r"^(\w+[\d.]*) \{\n(.*?)^\}\s*(\w[\w.]*)?;", re.M | re.S)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parse(text):
    """[(name, symbols, has local *, parent or None)] from the oldest to the newest."""
    stanzas = []
    for name, body, parent in STANZA.findall(text):
        symbols = re.findall(r"^\t\t(_?adp_\w+);$", body, re.M)
        stanzas.append((name, symbols, "local:" in body and "*;" in body, parent or None))
    return stanzas


UNRELEASED = "LIBADP_UNRELEASED"


def number(name):
    if name == UNRELEASED:
        return (sys.maxsize,)
    return tuple(int(n) for n in name.split("_", 1)[1].split("."))


def check_map(text, version):
    stanzas = parse(text)
    if not stanzas:
        yield "no stanza"
        return
    lines = [line for line in text.splitlines() if line.strip() and "SPDX" not in line]
    known = sum(len(s[1]) for s in stanzas)
    others = [line.strip() for line in lines
              if line.startswith("\t\t") and not re.match(r"^\t\t_?adp_\w+;$", line)
              and line.strip() != "*;"]
    if others:
        yield "not a symbol of ours: " + ", ".join(others)
    previous = None
    for name, symbols, local, parent in stanzas:
        if not re.fullmatch(r"LIBADP_\d+\.\d+|" + UNRELEASED, name):
            yield f"{name}: stanzas are named LIBADP_MAJOR.MINOR"
            continue
        if parent != previous:
            yield f"{name}: inherits {parent or 'nothing'}, expected {previous or 'nothing'}"
        if previous and number(name) <= number(previous):
            yield f"{name}: not newer than {previous}"
        if symbols != sorted(symbols):
            wrong = next(a for a, b in zip(symbols, sorted(symbols)) if a != b)
            yield f"{name}: not sorted, from {wrong} on"
        if local != (previous is None):
            yield f"{name}: 'local: *' belongs to the first stanza, and to no other"
        if not symbols:
            yield f"{name}: empty"
        previous = name
    every = [s for stanza in stanzas for s in stanza[1]]
    for symbol in sorted({s for s in every if every.count(s) > 1}):
        yield f"{symbol}: in two stanzas"
    if known != len(every):
        yield "not all symbols were read"
    if previous != UNRELEASED and number(previous) > tuple(int(n) for n in version.split(".")[:2]):
        yield f"{previous}: newer than the project's version {version}"


def released_maps():
    """Of each tag: (tag, text of the map)."""
    tags = subprocess.run(["git", "tag", "--list", "v[0-9]*"], capture_output=True, text=True,
                          check=False).stdout.split()
    for tag in tags:
        shown = subprocess.run(["git", "show", f"{tag}:{MAP}"], capture_output=True, text=True,
                               check=False)
        if shown.returncode == 0:
            yield tag, shown.stdout


def check_released(text):
    """What was released is never edited: a program built against it runs on."""
    now = {name: symbols for name, symbols, _, _ in parse(text)}
    for tag, old in released_maps():
        for name, symbols, _, _ in parse(old):
            for symbol in sorted(set(symbols) - set(now.get(name, []))):
                yield f"{name}: {symbol} was released with {tag} and is gone"
            for symbol in sorted(set(now.get(name, [])) - set(symbols)):
                yield f"{name}: {symbol} is new; {name} was released with {tag}"


def check_versions(text, version):
    newest = [name for name, _, _, _ in parse(text) if name != UNRELEASED][-1]
    symbols = text_of("debian/libadp0.symbols")
    for name, _, _, _ in parse(text):
        if name != UNRELEASED and not re.search(rf"^ \(symver\){re.escape(name)} \d", symbols, re.M):
            yield f"debian/libadp0.symbols: no line for {name}"
    for name, of_stanza, _, _ in parse(text):
        for symbol in of_stanza:
            if name != UNRELEASED and not re.search(rf"^ {symbol}@{re.escape(name)} \d", symbols, re.M):
                yield f"debian/libadp0.symbols: no line for {symbol}"
    head = re.match(r"libadp \(([\d.]+)[^)]*\)", text_of("debian/changelog"))
    spec = text_of("redhat/libadp.spec")
    header = text_of("libadp/include/adp/adp.h")
    said = {
        "adp.h": ".".join(re.search(rf"^#define ADP_VERSION_{part} (\d+)$", header, re.M).group(1)
                          for part in ("MAJOR", "MINOR", "PATCH")),
        "debian/changelog": head and head.group(1),
        "redhat/libadp.spec": re.search(r"^Version: +(\S+)$", spec, re.M).group(1),
        "redhat/libadp.spec, %changelog":
            re.search(r"^\* .* - ([\d.]+)-\d+$", spec, re.M).group(1),
    }
    for place, what in said.items():
        if what != version:
            yield f"{place}: version {what}, meson.build has {version}"
    soname = re.search(r"soversion : '(\d+)'", text_of("libadp/abi/meson.build")).group(1)
    if (soname == "0") != (number(newest)[0] == 0):
        yield f"soname libadp.so.{soname} with symbols {newest}"
    built = re.search(r"provider_abi = '(\d+)'", text_of("meson.build")).group(1)
    header = re.search(r"ADP_PROVIDER_ABI\b\D*(\d+)", text_of("libadp/provider/provider.h")).group(1)
    if built != header:
        yield f"provider_abi is {built} in meson.build, {header} in provider.h"


def main():
    text = text_of(MAP)
    version = re.search(r"^ *version : '([\d.]+)'", text_of("meson.build"), re.M).group(1)
    bad = 0
    for check in (check_map(text, version), check_released(text), check_versions(text, version)):
        for message in check:
            print(message)
            bad += 1
    print("%d stanzas, %d symbols, %d findings" % (
        len(parse(text)), sum(len(s[1]) for s in parse(text)), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
