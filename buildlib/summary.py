#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""summary.py BUILD SUITE...: counts the single cases of a test run, names what failed and what was
skipped and why, and ends with the line "N passed, N failed, N skipped".

meson leaves three records of a suite, and none is enough: the list of its tests (what should have
run), a JSON line for each test that ended (how), and JUnit (its cases). A test that died before it
wrote its cases has them only in its output. Exit status 1 when a case failed or none ran.
"""
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

GOOD = {"OK", "EXPECTEDFAIL"}


class Tally:
    """The cases of one suite."""

    def __init__(self):
        self.passed = 0
        self.failed = []  # (name, text)
        self.skipped = []  # (name, reason)


def load_records(path):
    """The JSON lines of a suite that are whole: the last one may be cut when meson was killed."""
    records = []
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    records.append(json.loads(line))
                except ValueError:
                    break
    except OSError:
        pass
    return records


def load_cases(path):
    """JUnit's cases by the name of their test: [(name, kind, text)]."""
    cases = {}
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return cases
    for suite in root.iter("testsuite"):
        for case in suite.findall("testcase"):
            kind, text = "passed", ""
            for element in case:
                if element.tag in ("failure", "error"):
                    kind, text = "failed", element.text or element.get("message") or text
                elif element.tag == "skipped":
                    kind, text = "skipped", element.text or element.get("message") or text
                elif element.tag == "system-out" and not text:
                    text = element.text or ""
            if case.get("status") == "notrun":
                kind, text = "skipped", "disabled in the source"
            group = case.get("classname", "")
            cases.setdefault(suite.get("name", ""), []).append(
                (case.get("name", "?"), group, kind, text.strip()))
    return cases


def cases_of(cases, test):
    """Cases of one test. TAP: suite PROJECT.TEST; GoogleTest: suite PROJECT.TEST.GROUP."""
    found = []
    for suite, members in cases.items():
        rest = suite.split(".", 1)[-1]
        if rest == test:
            found += [(name, kind, text) for name, _, kind, text in members]
        elif rest.startswith(test + "."):
            found += [(group + "." + name, kind, text) for name, group, kind, text in members]
    return found


def cases_in_output(text):
    """Cases that GoogleTest named in its output before it died."""
    found, running = [], None
    for line in text.splitlines():
        match = re.match(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] (\S+?)(?:,| \(|$)", line)
        if not match:
            continue
        word, name = match.groups()
        if word == "RUN":
            running = name
        elif name == running:
            kind = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}[word]
            found.append((name, kind, ""))
            running = None
    if running:
        found.append((running, "failed", "it did not come back from this case"))
    return found


def tail(text, count=40):
    return "\n".join((text or "").strip().splitlines()[-count:])


def output_of(record):
    return "\n".join(filter(None, [record.get("stdout"), record.get("stderr")]))


def diagnostics(output, case):
    """The lines with # that follow a failed TAP case."""
    found, inside = [], False
    for line in (output or "").splitlines():
        if inside and line.lstrip().startswith("#"):
            found.append(line.strip())
        else:
            inside = line.startswith("not ok") and line.rstrip().endswith(case)
    return "\n".join(found)


def skip_reason(record):
    """What a wholly skipped test said: TAP's plan line, else the last line of its output."""
    match = re.search(r"^1\.\.0\s*#\s*skip\S*\s*(.*)$", output_of(record), re.I | re.M)
    if match and match.group(1):
        return match.group(1)
    return tail(output_of(record), 1) or "it gave no reason"


def reason_of(text):
    """One line, without the place in the source that GoogleTest puts in front."""
    return " ".join(re.sub(r"^\S+:\d+\n", "", text).split()) or "it gave no reason"


def how_it_ended(record):
    code = record.get("returncode", 0)
    if record["result"] == "TIMEOUT":
        return "stopped by its time limit"
    if record["result"] == "INTERRUPT":
        return "stopped: an interrupt, or the time limit of its suite"
    if code is not None and code < 0:
        return "killed by signal %d" % -code
    return "%s, exit status %s" % (record["result"].lower(), code)


def count_test(tally, name, record, cases):
    result = record["result"]
    if not cases and result == "SKIP":
        tally.skipped.append((name, skip_reason(record)))
        return
    died = not cases and result not in GOOD
    if died:
        cases = cases_in_output(record.get("stdout") or "")
    failed = len(tally.failed)
    for case, kind, text in cases:
        full = name + ": " + case
        if kind == "passed":
            tally.passed += 1
        elif kind == "skipped":
            tally.skipped.append((full, reason_of(text)))
        else:
            tally.failed.append((full, text or diagnostics(record.get("stdout"), case)))
    if result not in GOOD and result != "SKIP":
        # A test can fail beside its cases: a crash at exit, a leak, a plan that was not kept.
        if len(tally.failed) == failed:
            tally.failed.append((name, ""))
        last, text = tally.failed[-1]
        if died or not text or result not in ("FAIL", "ERROR"):
            text = "\n".join(filter(None, [how_it_ended(record), text, tail(output_of(record))]))
        tally.failed[-1] = (last, text)
    elif not cases:
        tally.passed += 1


def count_suite(build, suite, expected):
    logs = os.path.join(build, "meson-logs", "adp-" + suite)
    records = load_records(logs + ".json")
    cases = load_cases(logs + ".junit.xml")
    tally, seen = Tally(), set()
    for record in records:
        name = re.split(r" / |:", record["name"])[-1]
        for test in expected:  # names may hold what meson also uses as a separator
            if re.search(r"(^| / |:)" + re.escape(test) + "$", record["name"]):
                name = test
        seen.add(name)
        count_test(tally, name, record, cases_of(cases, record["name"]))
    try:
        with open(logs + ".status", encoding="ascii") as text:
            status, limit = text.read().split()
    except (OSError, ValueError):
        status, limit = "?", "?"
    why = "the suite was stopped after %s s" % limit if status in ("124", "137") \
        else "no result (meson test ended with status %s)" % status
    for test in expected:
        if test not in seen:
            tally.failed.append((test, why))
    if not expected:
        tally.failed.append(("suite " + suite, "there is no test of that suite"))
    return tally


def indent(text):
    return "\n".join("    " + line for line in text.splitlines())


def main():
    build, suites = sys.argv[1], sys.argv[2:]
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
        tests = json.load(file)
    tallies = {}
    for suite in suites:
        expected = [t["name"] for t in tests
                    if suite in (s.split(":")[-1] for s in t["suite"])]
        tallies[suite] = count_suite(build, suite, expected)
    skipped = [(s, *x) for s, t in tallies.items() for x in t.skipped]
    failed = [(s, *x) for s, t in tallies.items() for x in t.failed]
    if skipped:
        print("\nSKIPPED, so not known to work here:")
        for suite, name, reason in skipped:
            print("  %s: %s: %s" % (suite, name, reason))
    if failed:
        print("\nFAILED:")
        for suite, name, text in failed:
            print("  %s: %s" % (suite, name))
            if text:
                print(indent(tail(text)))
    print("\n%-12s %8s %8s %8s" % ("suite", "passed", "failed", "skipped"))
    for suite, t in tallies.items():
        print("%-12s %8d %8d %8d" % (suite, t.passed, len(t.failed), len(t.skipped)))
    passed = sum(t.passed for t in tallies.values())
    if passed + len(failed) == 0:
        print("\nno test ran: that is a failure")
    print("\n%d passed, %d failed, %d skipped" % (passed, len(failed), len(skipped)))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
