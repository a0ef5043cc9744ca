# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Runs what the manual shows: each "$ adp ..." line of sections 5 and 8 on simulated devices, and
compares the output where it is shown ("..." stands for any lines); compiles and runs the C of
section 3."""
import json
import os
import pathlib
import re
import subprocess
import sys

from manual import PAGES, ROOT, end_guardians
from tap import Failed, equal, main, true

LIBRARY, MODE, COMPILER = pathlib.Path(sys.argv[5]), sys.argv[6], sys.argv[7:]
DEVICES = [{"ibdev": "mlx5_0", "pci": "0000:1a:00.0", "netdev": "ens1f0np0"},
           {"ibdev": "mlx5_1", "pci": "0000:1b:00.0", "netdev": "ens2f0np0"}]


def prepare(cli):
    """A machine with two NICs, and the files that the pages print."""
    state = {"format": "adp-sim-state", "version": 1, "devices": DEVICES}
    cli.file("state.json", json.dumps(state))
    for page in PAGES:
        for info, body, _ in page.blocks:
            name = re.search(r'file="([\w.-]+)"', info)
            if name:
                cli.file(name.group(1), body)
    wrapper = cli.file("adp", f'#!/bin/sh\nexec "{cli.tool}" "--sim={cli.state}" "$@"\n')
    wrapper.chmod(0o755)


def same(shown, got):
    """Does the output have the lines shown, with "..." for any number of them?"""
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "..." else re.escape(line + "\n")
                      for line in shown)
    return re.fullmatch(pattern, got) is not None


def run_page(cli, page):
    prepare(cli)
    env = {**cli.env, "PATH": f"{cli.folder}:{os.environ['PATH']}"}
    try:
        for line, command, status, shown in page.commands:
            process = subprocess.run(["bash", "-c", command], cwd=cli.folder, env=env, check=False,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, timeout=60)
            got = process.stdout.decode(errors="replace")
            what = f"man/{page.file}:{line}: $ {command}\n{got}"
            if process.returncode != status:
                raise Failed(f"exit status {process.returncode}, not {status}\n{what}")
            if shown and not same(shown, got):
                raise Failed("the manual shows another output:\n" + "\n".join(shown) + "\n" + what)
    finally:
        end_guardians(cli)


def run_program(cli, page):
    found = [body for info, body, _ in page.blocks if info == "c" and "int main(" in body]
    equal(len(found), 1, "programs")
    source = cli.file("example.c", found[0])
    program = cli.folder / "example"
    words = [*COMPILER, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
             f"-I{ROOT}/libadp/include", str(source), "-o", str(program)]
    words += ["-c"] if MODE == "compile" else [str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    equal(made.returncode, 0, f"the compiler's exit status\n{made.stderr}")
    if MODE == "compile":
        return
    ran = subprocess.run([program, "sim0"], capture_output=True, text=True, check=False,
                         env=cli.env, timeout=60)
    true(ran.returncode == 0, f"exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")


def test_shown_output_is_compared(_):
    """The comparison itself: what is wrong must not pass."""
    true(same(["a", "..."], "a\nb\nc\n") and same(["a", "...", "c"], "a\nb\nc\n"), "any lines")
    true(same(["a", "..."], "a\n"), "no lines")
    true(not same(["a"], "a\nb\n") and not same(["a", "..."], "b\nc\n"), "wrong lines")


def test_there_are_examples(_):
    true(sum(len(list(p.commands)) for p in PAGES) > 40, "commands")


for each in PAGES:
    if each.section == "3":
        globals()["test_" + each.file.replace(".md", "")] = lambda cli, p=each: run_program(cli, p)
    elif list(each.commands):
        globals()["test_" + each.file.replace(".md", "")] = lambda cli, p=each: run_page(cli, p)

if __name__ == "__main__":
    main()
