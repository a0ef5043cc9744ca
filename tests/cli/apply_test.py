# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp apply: rules, matching, bad files, what is written and what is not, on simulated devices."""
import json
import os

from tap import Skipped, equal, main, true

# After the vendor's document, as in tests/fixtures/profile/two-ranges.toml.
RULE = """
[[device]]
match = "{match}"
profile = "two-ranges.toml"
leave_default = true
[device.accl]
roce_tx_window_en = 1
"""
TWO = {"format": "adp-sim-state", "version": 1, "devices": [
    {"ibdev": "sim0", "pci": "0000:1a:00.0", "board_id": "MT_0000000359"},
    {"ibdev": "sim1", "pci": "0000:3b:00.0", "board_id": "MT_0000000838"}]}


def configure(cli, text, name="adp.toml", profile=True):
    folder = cli.folder / "etc"
    (folder / "adp.d").mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    if profile:
        (folder / "two-ranges.toml").write_text(
            cli.fixture("profile/two-ranges.toml").read_text())
    return folder


def two_devices(cli):
    cli.state.write_text(json.dumps(TWO))


def apply(cli, folder, *words, options=()):
    return cli.sim("apply", *words, "config", folder, options=("-j", *options))


def check(cli, folder):
    return cli.sim("apply", "check", "config", folder, options=("-j",))


def states(result):
    return {e["dev"]: e["state"] for e in result.json}


def test_first_run_sets_and_the_second_writes_nothing(cli):
    folder = configure(cli, RULE.format(match="sim0"))
    one = apply(cli, folder).exits(0).json[0]
    equal((one["dev"], one["state"], one["simulated"], one["path"]), ("sim0", "applied", 1, "sim"))
    equal(one["rule"]["line"], 2, "line of the rule")
    true("adp_retx_profile_id" in one["changed"] and "roce_tx_window_en" in one["changed"],
         "profile and switch in one set")
    before = cli.state.read_bytes()
    two = apply(cli, folder).exits(0).json[0]
    equal((two["state"], two["changed"]), ("unchanged", []))
    equal(cli.state.read_bytes(), before, "the state file")
    shown = cli.sim("profile", "show", options=("-j",)).exits(0).json[0]
    equal(shown["active_id"], 1, "active profile")


def test_a_profile_within_the_rule_is_the_same(cli):
    text = cli.fixture("profile/two-ranges.toml").read_text().replace(
        "[[timeout_range]]", "[[device.profile.timeout_range]]")
    folder = configure(cli, f'[[device]]\nmatch = "*"\nleave_default = true\n'
                            f'[device.profile]\n{text}')
    equal(apply(cli, folder).exits(0).json[0]["state"], "applied")
    diff = cli.sim("profile", "diff", "dev", "sim0", "file",
                   cli.fixture("profile/two-ranges.toml"), options=("-j",))
    fields = {d["field"] for d in diff.json[0]["differences"]}
    true(fields <= {"roce_adp_retrans_en", "adp_retx_profile_id"}, f"differs in {fields}")


def test_leaving_the_default_profile_has_to_be_said(cli):
    two_devices(cli)
    folder = configure(cli, RULE.format(match="*").replace("leave_default = true\n", ""))
    refused = apply(cli, folder).exits(1).says("leaves the firmware's default profile", "adp.toml")
    equal(states(refused), {"sim0": "failed", "sim1": "failed"})
    equal(apply(cli, folder, options=("-y",)).exits(0).json[0]["state"], "applied")


def test_a_name_goes_before_a_board_and_that_before_all(cli):
    two_devices(cli)
    rule = '[[device]]\nmatch = "{}"\n[device.accl]\n{} = 1\n'
    folder = configure(cli, rule.format("*", "roce_slow_restart_en") +
                       rule.format("MT_0000000359", "roce_tx_window_en") +
                       rule.format("0000:3B:00.0", "roce_slow_restart_idle_en"))
    found = {e["dev"]: e["rule"]["match"] for e in apply(cli, folder).exits(0).json}
    equal(found, {"sim0": "MT_0000000359", "sim1": "0000:3B:00.0"})
    equal(check(cli, folder).exits(0).json[0]["valid"], 1)


def test_one_device_of_several(cli):
    two_devices(cli)
    folder = configure(cli, RULE.format(match="*"))
    equal(states(apply(cli, folder, "3b:00.0").exits(0)), {"sim1": "applied"})
    equal(states(apply(cli, folder).exits(0)), {"sim0": "applied", "sim1": "unchanged"})


def test_dry_run_writes_nothing(cli):
    folder = configure(cli, RULE.format(match="sim0"))
    one = apply(cli, folder, options=("-n",)).exits(0).json[0]
    equal((one["state"], one["dry_run"]), ("would_apply", 1))
    equal(apply(cli, folder).exits(0).json[0]["state"], "applied")


def test_two_rules_for_one_device_stop_that_device_alone(cli):
    two_devices(cli)
    folder = configure(cli, RULE.format(match="sim0") + RULE.format(match="1a:00.0") +
                       RULE.format(match="sim1"))
    result = apply(cli, folder).exits(1).says("sim0: nothing was set: two rules for sim0")
    equal(states(result), {"sim0": "refused", "sim1": "applied"})
    # The same word twice is seen without a device.
    folder = configure(cli, RULE.format(match="1a:00.0") + RULE.format(match="0000:1A:00.0"))
    check(cli, folder).exits(1)
    equal([e["valid"] for e in check(cli, folder).json], [0, 0])


def test_a_rule_in_adp_d_counts_as_well(cli):
    folder = configure(cli, RULE.format(match="sim0"))
    configure(cli, RULE.format(match="sim0"), name="adp.d/10-site.toml")
    apply(cli, folder).exits(1).says("two rules for sim0", "10-site.toml")
    (folder / "adp.toml").unlink()
    apply(cli, folder).exits(0)


def test_unknown_keys_name_the_nearest(cli):
    folder = configure(cli, '[[device]]\nmatch = "sim0"\nprofil = "two-ranges.toml"\n')
    apply(cli, folder).exits(1).says("line 3", "'?profil'?", "did you mean profile")
    folder = configure(cli, '[[device]]\nmatch = "sim0"\n[device.accl]\nroce_tx_window = 1\n')
    check(cli, folder).exits(1).shows("did you mean roce_tx_window_en")
    folder = configure(cli, '[[devices]]\nmatch = "sim0"\n')
    apply(cli, folder).exits(1).says("did you mean device", "nothing was set on any device")
    equal(apply(cli, folder).json, [], "elements")


def test_values_are_checked_before_a_device_is_opened(cli):
    bad = {
        "roce_tx_window_en = 2": "roce_tx_window_en",
        "roce_tx_window_en = -1": "negative",
        "roce_tx_window_en = 'x'": "string",
        "adp_retx_base_timeout_min = 1": "read only",
        "time_base = 4": "belongs to a profile",
    }
    for line, why in bad.items():
        folder = configure(cli, f'[[device]]\nmatch = "sim0"\n[device.accl]\n{line}\n')
        equal(states(apply(cli, folder).exits(1).says(why))["sim0"], "refused", line)


def test_an_invalid_profile_stops_its_device_and_no_other(cli):
    two_devices(cli)
    folder = configure(cli, RULE.format(match="sim0").replace("two-ranges", "broken") +
                       RULE.format(match="sim1"))
    (folder / "broken.toml").write_text(
        cli.fixture("profile/two-ranges.toml").read_text().replace("dec_mode = 2", "dec_mode = 3"))
    result = apply(cli, folder).exits(1).says("profile: dec_mode_0 3: ", "sim0: nothing was set")
    equal(states(result), {"sim0": "refused", "sim1": "applied"})
    (folder / "broken.toml").unlink()
    apply(cli, folder).exits(1).says("broken.toml: No such file")


def test_what_the_device_refuses_leaves_it_as_it_is(cli):
    # The highest profile of this device is 1.
    folder = configure(cli, RULE.format(match="*"))
    text = cli.fixture("profile/two-ranges.toml").read_text()
    (folder / "two-ranges.toml").write_text("adp_retx_profile_id = 2\n" +
                                            "\n".join(line for line in text.splitlines()
                                                      if "adp_retx_profile_id" not in line))
    result = apply(cli, folder)
    true(result.status in (1, 2), "refused")
    shown = cli.sim("accl", "show", options=("-j",)).exits(0).json[0]["fields"]
    equal((shown["adp_retx_profile_id"], shown["roce_tx_window_en"]), (0, 0),
          "neither profile nor switch")


def test_files_that_others_can_write_are_refused(cli):
    folder = configure(cli, RULE.format(match="sim0"))
    for name in ("adp.toml", "two-ranges.toml", "adp.d", "."):
        path = folder / name
        mode = path.stat().st_mode & 0o777
        path.chmod(mode | 0o002)
        apply(cli, folder).exits(1).says("everybody can write to it", "chmod o-w")
        check(cli, folder).exits(1)
        path.chmod(mode)
        if os.geteuid() == 0:  # another group than one's own
            os.chown(path, 0, 12345)
            path.chmod(mode | 0o020)
            apply(cli, folder).exits(1).says(r"its group \(12345\) can write to it", "chmod g-w")
            os.chown(path, 0, 0)
            path.chmod(mode)
    # Nothing was set before.
    equal(apply(cli, folder).exits(0).json[0]["state"], "applied")


def test_folders_that_others_can_write_are_refused(cli):
    # Of a profile that is named, and of a file that a link leads to: who can write there can swap it.
    folder = configure(cli, RULE.format(match="sim0"))
    open_one = cli.folder / "open"
    open_one.mkdir()
    (open_one / "p.toml").write_text(cli.fixture("profile/two-ranges.toml").read_text())
    (folder / "adp.toml").write_text(
        f'[[device]]\nmatch = "sim0"\nprofile = "{open_one}/p.toml"\nleave_default = true\n')
    open_one.chmod(0o777)
    apply(cli, folder).exits(1).says("open: everybody can write to it", "chmod o-w")
    open_one.chmod(0o755)
    check(cli, folder).exits(0)
    (open_one / "adp.toml").write_text(RULE.format(match="sim0"))
    (folder / "adp.toml").unlink()
    (folder / "adp.toml").symlink_to(open_one / "adp.toml")
    check(cli, folder).exits(0)
    open_one.chmod(0o777)
    check(cli, folder).exits(1).says("open: everybody can write to it")


def test_an_unreadable_file_stops_everything(cli):
    folder = configure(cli, RULE.format(match="sim0"))
    (folder / "adp.d" / "x.toml").mkdir()
    apply(cli, folder).exits(1).says("Is a directory", "nothing was set on any device")
    (folder / "adp.d" / "x.toml").rmdir()
    if os.geteuid() == 0:
        os.chown(folder / "adp.toml", 12345, 12345)
        apply(cli, folder).exits(1).says("belongs to another user")
        return
    (folder / "adp.toml").chmod(0)
    apply(cli, folder).exits(1).says("Permission denied")


def test_broken_files_say_where(cli):
    for text, why in ((b"[[device]\n", "line 1"), (b"\xff\xfe", "UTF-8|binary|text"),
                      (b'[[device]]\nprofile = "x"\n', "line 1: the rule has no match"),
                      (b'[[device]]\nmatch = 3\n', "line 2: match: a number"),
                      (b'[[device]]\nmatch = "mlx5_*"\n', "line 2: match"),
                      (b'[[device]]\nmatch = "../x"\n', "line 2: match"),
                      (b'device = 3\n', "rules are written"),
                      (b'[device]\nmatch = "sim0"\n', "rules are written")):
        folder = configure(cli, "")
        (folder / "adp.toml").write_bytes(text)
        apply(cli, folder).exits(1).says(why, "nothing was set on any device")


def test_a_rule_that_sets_nothing_is_an_error(cli):
    folder = configure(cli, '[[device]]\nmatch = "sim0"\n')
    apply(cli, folder).exits(1).says("it sets nothing")


def test_a_field_given_twice(cli):
    folder = configure(cli, RULE.format(match="sim0") + "roce_adp_retrans_en = 1\n")
    profile = folder / "two-ranges.toml"
    profile.write_text("roce_adp_retrans_en = 1\n" + "\n".join(
        line for line in profile.read_text().splitlines() if "roce_adp_retrans_en" not in line))
    apply(cli, folder).exits(1).says("roce_adp_retrans_en is given twice")


def test_missing_devices(cli):
    folder = configure(cli, RULE.format(match="sim0") + RULE.format(match="sim7") +
                       RULE.format(match="MT_0000000001"))
    result = apply(cli, folder).exits(2).says("sim7: no such RDMA device")
    equal(states(result), {"sim0": "applied", "sim1": "no_rule", "sim7": "no_device"})
    # One that is asked for by name, and no rule is for it: that is fine.
    equal(states(apply(cli, folder, "sim0").exits(0)), {"sim0": "unchanged"})
    apply(cli, folder, "sim9").exits(2).says("sim9: no such RDMA device")


def test_no_rule_is_no_failure(cli):
    two_devices(cli)
    folder = configure(cli, RULE.format(match="sim0"))
    equal(states(apply(cli, folder, "sim1").exits(0)), {"sim1": "no_rule"})


def test_no_configuration(cli):
    apply(cli, cli.folder / "nowhere").exits(1).says("neither adp.toml nor")
    empty = configure(cli, "# nothing\n")
    equal(states(apply(cli, empty).exits(0)), {"sim0": "no_rule", "sim1": "no_rule"})


def test_the_firmware_refuses(cli):
    state = json.loads(json.dumps(TWO))
    state["devices"][0]["faults"] = "op=0x805,rw=w,status=3,syndrome=0x1234"
    cli.state.write_text(json.dumps(state))
    folder = configure(cli, RULE.format(match="*"))
    result = apply(cli, folder).exits(2).says("sim0", "0x1234")
    equal(states(result), {"sim0": "failed", "sim1": "applied"})
    equal(result.json[0]["fw_syndrome"], 0x1234)


def test_a_temporary_setting_is_left_alone(cli):
    folder = configure(cli, RULE.format(match="sim0"))
    apply(cli, folder).exits(0)
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "0", "for", "1h").exits(0)
    one = apply(cli, folder).exits(0).json[0]
    equal((one["state"], one["set_temporarily"]), ("unchanged", ["roce_tx_window_en"]))
    cli.sim("accl", "restore").exits(0)
    equal(cli.sim("accl", "show", options=("-j",)).json[0]["fields"]["roce_tx_window_en"], 1)


def test_words(cli):
    folder = configure(cli, RULE.format(match="sim0"))
    cli.sim("apply", "config").exits(1).says("FOLDER is missing")
    cli.sim("apply", "sim0", "sim1").exits(1).says('"sim1": not expected')
    cli.sim("apply", "check", "sim0", "config", folder).exits(1).says('"sim0": not expected')
    cli.sim("apply", "run", "sim0", "config", folder).exits(0).shows("adp_retx_profile_id 0 -> 1")


if __name__ == "__main__":
    main()
