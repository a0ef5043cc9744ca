# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Runs the tool and reports in TAP: what the tests of the command line share.

A test file is a list of functions named test_*; each gets a Cli with a folder of its own.
"""
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback


sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools"))
from reasons import unreasoned  # noqa: E402  pylint: disable=wrong-import-position


class Failed(AssertionError):
    pass


class Skipped(Exception):
    pass


class Result:
    def __init__(self, words, process):
        self.words = words
        self.status = process.returncode
        self.out = process.stdout.decode(errors="replace")
        self.err = process.stderr.decode(errors="replace")

    def __str__(self):
        return (f"$ adp {' '.join(self.words)}\nstatus {self.status}\n"
                f"--- stdout\n{self.out}--- stderr\n{self.err}")

    def exits(self, status):
        if self.status != status:
            raise Failed(f"exit status {status} expected\n{self}")
        return self

    def says(self, *patterns):
        """Each pattern (a regular expression) is found on stderr."""
        for pattern in patterns:
            if not re.search(pattern, self.err):
                raise Failed(f"stderr lacks {pattern!r}\n{self}")
        return self

    def shows(self, *patterns):
        """Each pattern is found on stdout."""
        for pattern in patterns:
            if not re.search(pattern, self.out, re.MULTILINE):
                raise Failed(f"stdout lacks {pattern!r}\n{self}")
        return self

    def silent(self):
        if self.err:
            raise Failed(f"nothing was expected on stderr\n{self}")
        return self

    def silent_out(self):
        if self.out:
            raise Failed(f"nothing was expected on stdout\n{self}")
        return self

    @property
    def json(self):
        try:
            value = json.loads(self.out)
        except ValueError as error:
            raise Failed(f"no JSON: {error}\n{self}") from error
        if not isinstance(value, list):
            raise Failed(f"the top level is no array\n{self}")
        if places := unreasoned(value):
            raise Failed(f"null without a reason: {places}\n{self}")
        return value


class Cli:
    def __init__(self, tool, fixtures, folder):
        self.tool = tool
        self.fixtures = pathlib.Path(fixtures)
        self.folder = pathlib.Path(folder)
        self.state = self.folder / "state.json"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ADP_")}
        self.env.update({"LC_ALL": "C.UTF-8", "HOME": str(self.folder)})

    def run(self, *words, stdin=b"", env=None, **more):
        words = [str(w) for w in words]
        process = subprocess.run([self.tool, *words], input=stdin, capture_output=True,
                                 timeout=120, env={**self.env, **(env or {})}, check=False, **more)
        return Result(words, process)

    def sim(self, *words, options=(), **more):
        """On simulated devices that last for the test."""
        return self.run(f"--sim={self.state}", *options, *words, **more)

    def file(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return path

    def fixture(self, name):
        return self.fixtures / name


def equal(got, wanted, what="value"):
    if got != wanted:
        raise Failed(f"{what}: {wanted!r} expected, {got!r} found")


def true(condition, what):
    if not condition:
        raise Failed(what)


def field(cli, name, dev="sim0"):
    return cli.sim("-j", "accl", "show", dev).exits(0).json[0]["fields"][name]


def change_state(cli, edit):
    state = json.loads(cli.state.read_text())
    edit(state)
    cli.state.write_text(json.dumps(state))


def tool(cli, *words, **how):
    return subprocess.Popen([cli.tool, f"--sim={cli.state}", *words], stderr=subprocess.PIPE,
                            stdout=subprocess.PIPE, env=cli.env, **how)


def main():
    tool, fixtures = os.path.abspath(sys.argv[1]), sys.argv[2]
    module = sys.modules["__main__"]
    tests = [(n, f) for n, f in inspect.getmembers(module, inspect.isfunction)
             if n.startswith("test_")]
    tests.sort(key=lambda t: t[1].__code__.co_firstlineno)
    failed = False
    print(f"1..{len(tests)}", flush=True)
    for number, (name, function) in enumerate(tests, 1):
        title = name[5:].replace("_", " ")
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Cli(tool, fixtures, folder))
                print(f"ok {number} - {title}", flush=True)
            except Skipped as skip:
                print(f"ok {number} - {title} # SKIP {skip}", flush=True)
            except Exception as error:  # one broken case must not hide the others
                failed = True
                text = str(error) if isinstance(error, Failed) else traceback.format_exc()
                print(f"not ok {number} - {title}")
                print("\n".join("# " + line for line in text.splitlines()), flush=True)
    sys.exit(1 if failed else 0)
