#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""set-version.py X.Y.Z: puts the version of a release wherever it stands: meson.build first, and the
places that repeat it. ADP_RELEASE_DATE: seconds since 1970."""
import datetime
import email.utils
import os
import re
import sys

MAINTAINER = "libadp maintainers <maintainers@libadp.example>"


def change(path, pattern, text, what):
    with open(path, encoding="utf-8") as file:
        old = file.read()
    new, count = re.subn(pattern, lambda _: text, old, count=1, flags=re.M)
    if count != 1:
        sys.exit(f"{path}: {what} was not found")
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    version = sys.argv[1]
    seconds = int(os.environ["ADP_RELEASE_DATE"])
    day = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    stanza = "LIBADP_" + ".".join(version.split(".")[:2])

    change("meson.build", r"^  version : '[\d.]+'", f"  version : '{version}'", "the version")
    change("man/meson.build", r"^man_date = '[\d-]+'", f"man_date = '{day:%Y-%m-%d}'", "the date")
    change("NEWS.md", r"^## Unreleased$", f"## {version} ({day:%Y-%m-%d})", "'## Unreleased'")

    for part, value in zip(("MAJOR", "MINOR", "PATCH"), version.split(".")):
        change("libadp/include/adp/adp.h", rf"^(#define ADP_VERSION_{part}) \d+$",
               f"#define ADP_VERSION_{part} {value}", f"ADP_VERSION_{part}")

    # Symbols of the version in the making stand in a stanza of that name.
    unreleased = "LIBADP_UNRELEASED"
    if unreleased in read("libadp/abi/libadp.map"):
        change("libadp/abi/libadp.map", unreleased, stanza, "the stanza")
    symbols = read("debian/libadp0.symbols")
    for name, body in re.findall(r"^(LIBADP_[\d.]+) \{(.*?)^\}", read("libadp/abi/libadp.map"), re.M | re.S):
        if f"(symver){name} " not in symbols:
            symbols += f" (symver){name} {version}\n"
        for symbol in re.findall(r"^\t\t(_?adp_\w+);$", body, re.M):
            if f" {symbol}@{name} " not in symbols:
                symbols += f" {symbol}@{name} {version}\n"
    with open("debian/libadp0.symbols", "w", encoding="utf-8") as file:
        file.write(symbols)

    change("redhat/libadp.spec", r"^(Version: +)\S+$", f"Version:        {version}", "Version")
    head = f"* {day:%a %b %d %Y} {MAINTAINER} - {version}-1"
    spec = read("redhat/libadp.spec")
    if f"- {version}-1\n" not in spec:
        change("redhat/libadp.spec", r"^%changelog$", f"%changelog\n{head}\n- See NEWS.md.\n",
               "%changelog")
    else: # the first release: its entry was written before
        change("redhat/libadp.spec", rf"^\* .* - {re.escape(version)}-1$", head, "the entry")
    changelog = read("debian/changelog")
    # Packages of the project itself: older than the first of a distribution, which is revision 1.
    entry = (f"libadp ({version}-1~adp1) unstable; urgency=medium\n\n  * See NEWS.md.\n\n"
             f" -- {MAINTAINER}  {email.utils.formatdate(seconds)}\n")
    if changelog.startswith(f"libadp ({version}-"):
        # The first release: its entry was written before.
        changelog = re.sub(r"\) UNRELEASED;", ") unstable;", changelog, count=1)
        changelog = re.sub(r"^ -- .*$", f" -- {MAINTAINER}  {email.utils.formatdate(seconds)}",
                           changelog, count=1, flags=re.M)
    else:
        changelog = entry + "\n" + changelog
    with open("debian/changelog", "w", encoding="utf-8") as file:
        file.write(changelog)


if __name__ == "__main__":
    main()
