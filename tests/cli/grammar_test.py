# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Options, words, help, completion, exit status."""
import json
import os
import pathlib
import pty
import shlex
import shutil
import subprocess

from tap import Skipped, equal, main, true


def test_no_words_is_usage_on_stderr(cli):
    cli.run().exits(1).says("Usage: adp")
    equal(cli.run().out, "", "stdout")


def test_help_is_for_stdout(cli):
    for words in (["help"], ["-h"], ["--help"]):
        cli.run(*words).exits(0).silent().shows("Usage: adp", "adp profile set")


def test_help_of_an_object_and_a_command(cli):
    cli.run("help", "profile").exits(0).shows("adp profile show", "adp profile restore")
    cli.run("profile", "help").exits(0).shows("adp profile show")
    one = cli.run("help", "profile", "set").exits(0).shows("adp profile set DEV")
    true("profile show" not in one.out, "only the one command")
    cli.run("help", "nothing").exits(1).says('object "nothing": unknown')


def test_version(cli):
    cli.run("-V").exits(0).shows(r"libadp \d+\.\d+\.\d+")
    cli.run("--version").exits(0)


def test_unknown_words_name_themselves_and_the_nearest(cli):
    cli.run("profil3").exits(1).says('object "profil3": unknown', '"profile" perhaps')
    cli.run("profile", "shwo").exits(1).says('profile: command "shwo": unknown', '"show" perhaps')
    cli.run("--jsn", "dev").exits(1).says("option --jsn: unknown", "--json perhaps")
    cli.run("-jx", "dev").exits(1).says("-x .in -jx.: unknown")
    cli.run("").exits(1).says('object "": unknown|could be')


def test_unique_prefixes(cli):
    cli.run("--sim", "prof", "sh", "sim0").exits(0)
    cli.run("--sim", "ac", "sh", "sim0").exits(0)
    cli.run("--sim", "profile", "s", "sim0").exits(1).says('"s": could be show, set, save')
    cli.run("--sim", "accl", "", "sim0").exits(1)


def test_options_stand_before_the_object(cli):
    cli.run("dev", "show", "-j").exits(1).says("-j")


def test_via_is_checked(cli):
    cli.run("--via", "carrier-pigeon", "--sim", "dev").exits(1).says("carrier-pigeon")
    cli.run("--via").exits(1).says("--via")
    cli.run("--sim=", "dev").exits(1).says("no file name")


def test_json_is_one_array(cli):
    equal(len(cli.run("--sim", "-j", "dev").exits(0).json), 2, "elements")
    true("\n    " in cli.run("--sim", "-p", "dev").out, "pretty is indented")
    equal(cli.run("-j", "--sim", "profile", "show", "nothing0").exits(2).json[0]["error"], "ENODEV")


def test_every_example_runs(cli):
    table = json.loads(cli.run("-j", "help").exits(0).out)
    examples = [c["example"] for c in table["commands"] if c["example"]]
    true(len(examples) > 8, "examples are there")
    for example in examples:
        words = shlex.split(example)
        equal(words[0], "adp")
        words = words[1:] if "--sim" in example else [f"--sim={cli.state}", *words[1:]]
        cli.run(*words).exits(0)


def test_every_command_has_a_summary_and_stands_in_help(cli):
    table = json.loads(cli.run("-j", "help").out)
    text = cli.run("help").out
    for c in table["commands"]:
        true(c["summary"], f"{c['object']} {c['command']} has a summary")
        true(f"adp {c['object']} {c['command']}" in text, f"{c['object']} {c['command']} in help")


def complete(cli, *words):
    return cli.run("__complete", *words).out.split()


def test_completion(cli):
    objects = {c["object"] for c in json.loads(cli.run("-j", "help").exits(0).out)["commands"]}
    true({"accl", "apply", "dev", "profile"} <= objects, "objects")
    equal(complete(cli, ""), sorted(objects | {"help"}))
    equal(complete(cli, "prof"), ["profile"])
    true("set" in complete(cli, "accl", ""), "commands")
    equal(complete(cli, "--sim", "accl", "show", "sim"), ["sim0", "sim1"])
    true("min_ack_timeout_limit_disabled" in complete(cli, "accl", "set", "sim0", "min"), "fields")
    true("FILE" in complete(cli, "profile", "check", ""), "files")
    true("mstreg" in complete(cli, "profile", "encode", "x", "m"), "formats")
    equal(complete(cli, "nothing", ""), [])


def shell_completion(cli, shell, script, *more):
    """What a shell makes of the completion file: a candidate a line."""
    if shutil.which(shell) is None:
        raise Skipped(f"there is no {shell}")
    (cli.folder / "bin").mkdir(exist_ok=True)
    if not (cli.folder / "bin" / "adp").exists():
        (cli.folder / "bin" / "adp").symlink_to(cli.tool)
    env = {**cli.env, "PATH": f"{cli.folder}/bin:/usr/bin:/bin"}
    process = subprocess.run([shell, *more, "-c", script], env=env, capture_output=True, timeout=60,
                             cwd=cli.folder, check=False)
    return process.stdout.decode().split()


FILES = pathlib.Path(__file__).resolve().parents[2] / "utils" / "completion"


def test_completion_of_bash(cli):
    def bash(*words):
        quoted = " ".join(shlex.quote(w) for w in words)
        return shell_completion(cli, "bash", f"""
            . {FILES}/adp; COMP_LINE={shlex.quote(" ".join(words))}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _adp
            printf '%s\\n' "${{COMPREPLY[@]}}" """, "--norc")
    equal(bash("adp", "prof"), ["profile"])
    equal(bash("adp", "--sim", "accl", "show", "s"), ["sim0", "sim1"])


def test_completion_of_a_line_in_bash(cli):
    """With COMP_WORDS as readline cuts it: an interactive bash completes, and prints what it found."""
    if shutil.which("bash") is None:
        raise Skipped("there is no bash")
    (cli.folder / "bin").mkdir(exist_ok=True)
    if not (cli.folder / "bin" / "adp").exists():
        (cli.folder / "bin" / "adp").symlink_to(cli.tool)
    cli.run(f"--sim={cli.folder}/nic.json", "dev").exits(0)

    def line(text):
        log = cli.folder / "log"
        log.unlink(missing_ok=True)
        setup = (f". {FILES}/adp; shown() {{ _adp; printf '%s\\n' \"${{COMPREPLY[@]}}\" >{log}; }}; "
                 "complete -F shown adp; bind 'set bell-style none'; PS1='REA''DY'\n")
        env = {**cli.env, "PATH": f"{cli.folder}/bin:/usr/bin:/bin", "TERM": "dumb"}
        parent, child = pty.openpty()
        process = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], stdin=child, stdout=child,
                                   stderr=child, env=env, cwd=cli.folder, start_new_session=True)
        os.close(child)
        os.write(parent, setup.encode())
        seen = b""
        try:
            while b"READY" not in seen:  # from here on readline has the terminal
                seen += os.read(parent, 4096)
            os.write(parent, text.encode() + b"\t\x15exit\n")
            while os.read(parent, 4096):
                pass
        except OSError:
            pass  # the terminal's other end is gone
        process.wait(timeout=60)
        os.close(parent)
        return log.read_text().split() if log.exists() else None

    equal(line("adp prof"), ["profile"])
    equal(line("adp --sim=nic.json accl show s"), ["sim0", "sim1"])
    equal(line("adp --sim=nic.json pro"), ["profile"])
    equal(line("adp --via=sim --sim=preset:full accl histogram "), ["all", "sim0"])
    true("roce_tx_window_en" in line("adp --sim=nic.json accl set 0000:1a:00.0 roce_t"), "fields")
    equal(line("adp --sim=nic."), [])


def test_completion_of_zsh(cli):
    def zsh(*words):
        quoted = " ".join(shlex.quote(w) for w in words)
        return shell_completion(cli, "zsh", f"""
            compadd() {{ shift; print -l -- ${{(P)1}} }}; _files() {{ print FILES }}
            try() {{ local words=({quoted}) CURRENT={len(words)}; . {FILES}/_adp }}; try""", "-f")
    equal(zsh("adp", "prof"), ["profile"])
    equal(zsh("adp", "--sim", "accl", "show", "s"), ["sim0", "sim1"])
    true("FILES" in zsh("adp", "profile", "check", ""), "files")


def test_completion_of_fish(cli):
    def fish(line):
        return shell_completion(cli, "fish", f"source {FILES}/adp.fish; complete -C {line!r}")
    equal(fish("adp prof"), ["profile"])
    equal(fish("adp --sim accl show s"), ["sim0", "sim1"])
    cli.file("fast.toml", "")
    true("fast.toml" in fish("adp profile check fa"), "files")


def test_closed_and_full_output(cli):
    with open("/dev/full", "wb") as full:
        process = subprocess.run([cli.tool, "--sim", "accl", "show", "sim0"], stdout=full,
                                 stderr=subprocess.PIPE, env=cli.env, check=False)
    equal(process.returncode, 2, "status with a full disk")
    true(b"No space left" in process.stderr, "says why")
    process = subprocess.run(["/bin/sh", "-c", f"{cli.tool} --sim accl show sim0 >&-"],
                             stderr=subprocess.PIPE, env=cli.env, check=False)
    equal(process.returncode, 2, "status with closed stdout")


def test_a_reader_that_goes_away_is_no_message(cli):
    process = subprocess.run(["/bin/bash", "-c",
                              f"{cli.tool} --sim -d -j accl show | head -c 1 >/dev/null"],
                             stderr=subprocess.PIPE, env=cli.env, check=False)
    equal(process.stderr, b"")


def test_json_is_an_array_when_the_request_is_wrong(cli):
    for words in (("-j", "bogus"), ("-j", "flow", "bogus"), ("-j", "r"), ("-j", "--bogus", "dev"),
                  ("--bogus", "-j", "dev"), ("-jX", "dev"), ("-p", "bogus"), ("-j",),
                  ("-j", "--sim=", "dev"), ("-j", "--via"), ("-j", "-h", "bogus"),
                  ("-j", "dev", "show", "a", "b"), ("-j", "--sim=/nonexistent/x", "dev")):
        got = cli.run(*words).exits(1)
        equal(got.json, [], words)
        true(got.err, "what is wrong is on stderr")
    for words in (("bogus",), ("flow", "bogus"), ("--bogus", "dev"), ()):
        cli.run(*words).exits(1).silent_out()


def test_state_files_that_cannot_be(cli):
    plain = cli.file("plain", "x")
    for path, why in (("/tmp", "Is a directory"), ("/nonexistent/x", "No such file"),
                      (f"{plain}/x", "Not a directory"), (cli.folder / ("x" * 300), "too long"),
                      ("/dev/null", "not a regular file"), (plain, "plain")):
        for words in (("dev",), ("-n", "accl", "set", "sim0", "roce_tx_window_en", "1"),
                      ("statistic",), ("accl", "show", "sim0")):
            options = [w for w in words if w == "-n"]
            got = cli.run(f"--sim={path}", *options, *[w for w in words if w != "-n"]).exits(1)
            got.says(str(path)[:40], why).silent_out()
            true(".lock" not in got.err, "the state file is named, not its lock")
    big = cli.folder / "big.json"
    with open(big, "wb") as f:
        f.truncate(100 << 20)
    cli.run(f"--sim={big}", "dev").exits(1).says("big.json")


def test_a_sysfs_root_that_is_none(cli):
    plain = str(cli.file("plain", ""))
    for root, why in (("/nonexistent", "No such file"), (plain, "Not a directory")):
        env = {"ADP_SYSFS_ROOT": root}
        for words in (("dev",), ("accl",), ("profile", "show", "mlx5_0"), ("statistic",), ("qp",),
                      ("report",), ("export",), ("dev", "show", "mlx5_0")):
            got = cli.run("-j", *words, env=env).exits(1).says("ADP_SYSFS_ROOT", root, why)
            equal(got.json, [])
        cli.run("--sim", "dev", env=env).exits(0)  # asks no sysfs
    empty = cli.folder / "empty"
    empty.mkdir()
    cli.run("dev", env={"ADP_SYSFS_ROOT": str(empty)}).exits(0).says(f"{empty}.*ADP_SYSFS_ROOT")


def test_completion_makes_no_state_file(cli):
    equal(cli.run("__complete", f"--sim={cli.state}", "accl", "show", "s").exits(0).out.split(),
          ["sim0", "sim1"])
    equal(os.listdir(cli.folder), [])


if __name__ == "__main__":
    main()
