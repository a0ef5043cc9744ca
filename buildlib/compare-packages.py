#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""compare-packages.py DEBS RPMS: the packages in two folders, Debian's and the RPM ones, hold the same
files. Says what differs, a line each; exit status 1 when something does."""
import glob
import re
import subprocess
import sys

# Debian's name -> RPM's name.
PAIRS = {"libadp0": "libadp", "libadp-providers": "libadp-providers", "libadp-dev": "libadp-devel",
         "adp-utils": "adp-utils"}
# What the two put in places or forms of their own.
OWN = re.compile(r"^/usr/share/(doc|licenses|lintian)/|^/usr/lib/\.build-id")


def normal(path):
    path = re.sub(r"^/lib/", "/usr/lib/", path)
    path = re.sub(r"^/usr/lib(64|/[a-z0-9_]+-linux-gnu\w*)/", "LIBDIR/", path)
    path = re.sub(r"/zsh/(vendor-completions|site-functions)/", "/ZSH/", path)
    return re.sub(r"(/man/.*)\.gz$", r"\1", path)


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def in_deb(path):
    for line in output("dpkg-deb", "-c", path).splitlines():
        words = line.split(None, 5)
        if not words[0].startswith("d"):
            yield words[5].split(" -> ")[0].removeprefix(".")


def in_rpm(path):
    for line in output("rpm", "-qp", "--nosignature", "-lv", path).splitlines():
        if not line.startswith("d") and "/" in line:
            yield line[line.index(" /") + 1:].split(" -> ")[0]


def package(folder, pattern, kind):
    found = glob.glob(f"{folder}/{pattern}")
    if len(found) != 1:
        sys.exit(f"{folder}/{pattern}: {len(found)} packages, one is expected")
    listed = in_deb(found[0]) if kind == "deb" else in_rpm(found[0])
    return {normal(p) for p in listed if not OWN.match(p)}


def main():
    debs, rpms = sys.argv[1:3]
    bad = 0
    for deb, rpm in PAIRS.items():
        one = package(debs, f"{deb}_*.deb", "deb")
        other = package(rpms, f"{rpm}-[0-9]*.rpm", "rpm")
        for path in sorted(one - other):
            print(f"{path}: in {deb} (Debian), not in {rpm} (RPM)")
        for path in sorted(other - one):
            print(f"{path}: in {rpm} (RPM), not in {deb} (Debian)")
        bad += len(one ^ other)
        print(f"{deb}: {len(one)} files, {rpm}: {len(other)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
