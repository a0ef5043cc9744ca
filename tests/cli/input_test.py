# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Files that are no profiles: each is refused with its name and the reason, and nothing is touched."""
import os

from tap import main, true


def refused(cli, path, *says, **more):
    for words in (["profile", "check", path], ["profile", "decode", path],
                  ["profile", "encode", path, "toml"]):
        cli.run(*words, **more).exits(1).says(*says)
    cli.sim("profile", "set", "sim0", "file", path, options=["-y"], **more).exits(1).says(*says)
    true(not cli.state.exists(), "no device was touched")


def test_empty(cli):
    refused(cli, cli.file("empty.toml", ""), "empty.toml")


def test_blank(cli):
    refused(cli, cli.file("blank.toml", "\n \t\n"), "blank.toml")


def test_binary(cli):
    refused(cli, cli.file("binary.toml", bytes(range(256)) * 4), "binary.toml")


def test_not_utf8(cli):
    refused(cli, cli.file("latin.toml", b"time_base = 4 # \xe4\xf6\xfc\n"), "latin.toml")


def test_huge(cli):
    path = cli.folder / "huge.toml"
    with open(path, "wb") as f:
        f.truncate(100 << 20)
    refused(cli, path, "huge.toml")


def test_directory(cli):
    refused(cli, cli.folder, "[Dd]irectory")


def test_absent(cli):
    refused(cli, cli.folder / "absent.toml", "absent.toml", "No such file")


def test_unreadable(cli):
    if os.geteuid() == 0:
        path = "/proc/self/mem"  # root reads any file; this one fails all the same
        cli.run("profile", "check", path).exits(1).says("/proc/self/mem")
        return
    path = cli.file("secret.toml", "time_base = 4\n")
    path.chmod(0)
    refused(cli, path, "secret.toml", "Permission denied")


def test_pipe_without_a_writer(cli):
    path = cli.folder / "pipe"
    os.mkfifo(path)
    refused(cli, path, "pipe")


def test_device_node(cli):
    refused(cli, "/dev/zero", "/dev/zero")


def test_endless_standard_input(cli):
    with open("/dev/zero", "rb") as zero:
        import subprocess
        process = subprocess.run([cli.tool, "profile", "decode"], stdin=zero, capture_output=True,
                                 env=cli.env, timeout=60, check=False)
    true(process.returncode == 1 and b"1 MiB" in process.stderr, process.stderr)


def test_toml_with_a_mistake(cli):
    refused(cli, cli.file("bad.toml", "time_base = \n"), "bad.toml", "line 1|1:")
    refused(cli, cli.file("unknown.toml", "time_bse = 4\n"), "time_bse", "time_base")
    refused(cli, cli.file("wide.toml", "time_base = 65536\n"), "time_base", "65536", "16")
    refused(cli, cli.file("word.toml", 'time_base = "four"\n'), "time_base")
    refused(cli, cli.file("minus.toml", "time_base = -4\n"), "time_base")


def test_json_with_a_mistake(cli):
    refused(cli, cli.file("bad.json", '{"time_base": 4'), "bad.json")
    refused(cli, cli.file("unknown.json", '{"profile": {"time_bse": 4}}'), "time_bse")


def test_a_register_without_a_profile_is_no_profile_to_set(cli):
    path = cli.file("flags.txt", "roce_tx_window_en=1")
    cli.run("profile", "check", path).exits(1).says("flags.txt", "no ADP profile")
    cli.sim("profile", "set", "sim0", "file", path, options=["-y"]).exits(1)


def test_over_wide_in_a_set_string(cli):
    refused(cli, cli.file("wide.txt", "dec_mode_0=4,time_base=4"), "dec_mode_0", "4", "2")
    refused(cli, cli.file("rawwide.txt", "0x10.22:2=4"), "4")
    refused(cli, cli.file("range.txt", "0x40.0:1=1"), "0x40")


if __name__ == "__main__":
    main()
