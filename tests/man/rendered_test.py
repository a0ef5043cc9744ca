# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The pages as installed: mandoc and groff accept them, man-db finds them by name, and the synopsis
is what the tool's own help says."""
import re
import shutil
import subprocess
import sys

from manual import BUILT, PAGES
from tap import Failed, Skipped, equal, main, true


def built(page):
    return BUILT / page.file.removesuffix(".md")


def every(words, complain):
    """Runs a tool on each page; what it says is a fault."""
    if shutil.which(words[0]) is None:
        raise Skipped(f"{words[0]} is not installed")
    faults = ""
    for page in PAGES:
        ran = subprocess.run([*words, built(page)], capture_output=True, text=True, check=False,
                             env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80",
                                  "MANROFFSEQ": ""})
        faults += complain(page, ran)
    if faults:
        raise Failed(faults)


def test_mandoc_lint(_):
    every(["mandoc", "-T", "lint", "-W", "warning"], lambda page, ran: ran.stdout + ran.stderr)


def test_groff_has_no_warning(_):
    """As lintian looks at manual pages."""
    every(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"], lambda page, ran: ran.stderr)


def test_man_db_reads_the_names(_):
    def complain(page, ran):
        found = all(f'"{name} - ' in ran.stdout for name in page.names)
        return "" if found else f"{page}: {ran.stdout}{ran.stderr}"

    every(["lexgrog"], complain)


def test_every_page_was_made(_):
    equal(sorted(p.name for p in BUILT.glob("*.[3578]")),
          sorted(p.file.removesuffix(".md") for p in PAGES), "pages")


def test_nothing_is_left_of_the_sources(_):
    for page in PAGES:
        text = built(page).read_text(encoding="utf-8")
        true("{{" not in text, f"{page}: a directive")
        true("\\f[C" not in text and "\\f[V" not in text, f"{page}: a font that terminals lack")


def synopsis(page):
    text = built(page).read_text(encoding="utf-8")
    part = re.search(r"^\.SH SYNOPSIS\n(.*?)^\.SH", text, re.M | re.S).group(1)
    lines = re.sub(r"\\f\[\w\]", "", part).replace("\\-", "-").split("\n")
    return [" ".join(line.split()) for line in lines if line and not line.startswith(".")]


def test_synopsis_is_what_help_says(cli):
    for page in PAGES:
        if page.section != "8":
            continue
        if page.name == "adp":
            text = cli.run("help").exits(0).out.split("\n\n")[0].replace("Usage:", "")
            wanted = [" ".join(line.split()) for line in text.split("\n")]
        else:
            text = cli.run("help", page.name.removeprefix("adp-")).exits(0).out
            wanted = [" ".join(line.split()).replace("adp ", "adp [ OPTIONS ] ", 1)
                      for line in text.split("\n") if line.startswith("  adp ")]
        true(wanted, f"{page}: help is there")
        equal(synopsis(page), wanted, f"{page}: synopsis")


if __name__ == "__main__":
    if not built(PAGES[0]).exists():
        print("1..0 # SKIP no pages were made: pandoc is not installed, or -Dman=disabled")
        sys.exit(0)
    main()
