# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp profile on simulated devices and on text."""
import json
import os
import pty
import subprocess

from tap import equal, main, true

# The profile of the vendor's sample, in the vendor's own words (fixtures/roce_accl/set-named.txt).
SAMPLE = {
    "time_base": 4, "time_unit": 1, "start_range_index": 0, "range_num": 1, "qp_total_timeout": 1,
    "timeout_init_low_bound": 0, "timeout_init_range_size": 2, "retx_total_timeout": 0,
}
SAMPLE_RANGE = {"range_size": 2, "range_low_bound": 0, "timeout_retry_num": 1, "dec_mode": 1,
                "prev_range_index": 0}


def sample(cli):
    return cli.fixture("roce_accl/set-named.txt")


def raw(cli, dev="sim0"):
    return cli.sim("-j", "accl", "show", dev).exits(0).json[0]["raw"]


def preview(cli):
    """The dwords that the vendor's tool shows after its documented set."""
    text = cli.fixture("roce_accl/raw-set-preview.txt").read_text()
    return [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("0x")]


def test_show_of_the_default(cli):
    one = cli.run("--sim", "-j", "profile").exits(0).json[0]
    for key in ("active_id", "max_id", "max_range_num", "base_timeout_min_ns", "adp_enabled", "profile",
                "dev", "path", "simulated"):
        true(key in one, key)
    equal([one["active_id"], one["max_id"], one["max_range_num"], one["base_timeout_min_ns"],
           one["adp_enabled"]], [0, 1, 4, 4000, 1])
    equal(len(one["profile"]["timeout_range"]), 4)
    cli.run("--sim", "profile", "show", "sim0").shows("firmware's own timeouts")


def test_the_vendors_sample_ends_in_the_vendors_dwords(cli):
    one = cli.sim("-j", "profile", "set", "sim0", "file", sample(cli), options=["-y"]).exits(0).json[0]
    equal(one["after"]["raw"], preview(cli))
    equal(raw(cli), preview(cli))
    equal(one["commands"], 4, "the active profile had to be asked for")
    for key, value in SAMPLE.items():
        equal(one["profile"][key], value, key)
    equal(one["profile"]["timeout_range"][0], SAMPLE_RANGE)
    equal(one["leaves_default"], 1)


def test_raw_set_string_too(cli):
    cli.sim("profile", "set", "sim0", "file", cli.fixture("roce_accl/set-raw.txt"),
            options=["-y"]).exits(0)
    equal(raw(cli), preview(cli))


def test_other_profile_keeps_its_number(cli):
    cli.sim("profile", "set", "sim0", "file", sample(cli), options=["-y"]).exits(0)
    one = cli.sim("-j", "profile", "set", "sim0", "time_base", "8").exits(0).json[0]
    equal([one["commands"], one["changed"]], [3, ["time_base"]])
    one = cli.sim("-j", "profile", "show", "sim0", "id", "1").exits(0).json[0]
    equal([one["profile_id"], one["active_id"], one["profile"]["time_base"]], [1, 1, 8])
    cli.sim("profile", "show", "sim0", "id", "9").exits(1)


def test_leaving_the_default_is_asked(cli):
    got = cli.sim("profile", "set", "sim0", "file", sample(cli)).exits(1)
    got.says("firmware reset or a reboot", "-y", "nothing was written")
    equal(raw(cli)[1], "0x00000005")
    got = cli.sim("-j", "profile", "set", "sim0", "file", sample(cli), options=["-n"]).exits(0)
    equal(got.json[0]["leaves_default"], 1)
    equal(raw(cli)[1], "0x00000005")


def on_a_terminal(cli, answer):
    parent, child = pty.openpty()
    os.write(parent, answer)
    process = subprocess.run([cli.tool, f"--sim={cli.state}", "profile", "set", "sim0", "file",
                              str(sample(cli))], stdin=child, capture_output=True, env=cli.env,
                             timeout=60, check=False)
    os.close(parent)
    os.close(child)
    return process


def test_the_question_on_a_terminal(cli):
    no = on_a_terminal(cli, b"n\n")
    equal(no.returncode, 1)
    true(b"go on?" in no.stderr, no.stderr)
    equal(raw(cli)[1], "0x00000005")
    equal(on_a_terminal(cli, b"y\n").returncode, 0)
    equal(raw(cli), preview(cli))


def test_enable_and_disable(cli):
    cli.sim("profile", "disable", "sim0").exits(0)
    equal(cli.sim("-j", "profile", "show", "sim0").json[0]["adp_enabled"], 0)
    cli.sim("profile", "enable", "sim0").exits(0)
    equal(cli.sim("-j", "profile", "show", "sim0").json[0]["adp_enabled"], 1)
    equal(raw(cli), [*"0x1800065f 0x00000005 0x41000fa0".split(), *["0x00000000"] * 13])


def test_check(cli):
    one = cli.run("-j", "profile", "check", sample(cli)).exits(0).json[0]
    equal([one["valid"], one["errors"]], [1, []])
    true(any("29" in w["rule"] for w in one["warnings"]), "the sample's timer events are counted")
    broken = cli.file("broken.toml", """
adp_retx_profile_id = 2
time_base = 3
time_unit = 2
qp_total_timeout = 0
retx_total_timeout = 20
timeout_init_low_bound = 0
timeout_init_range_size = 0
[[timeout_range]]
range_low_bound = 5
range_size = 1
timeout_retry_num = 1
dec_mode = 3
[[timeout_range]]
range_low_bound = 5
range_size = 1
timeout_retry_num = 1
dec_mode = 1
prev_range_index = 1
""")
    one = cli.run("-j", "profile", "check", broken).exits(1).json[0]
    equal(one["valid"], 0)
    named = " ".join(e["field"] for e in one["errors"])
    for field in ("adp_retx_profile_id", "time_base", "time_unit", "dec_mode_0", "range_low_bound_1",
                  "prev_range_index_1"):
        true(field in named, f"{field} in {named}")
    for error in one["errors"]:
        true(error["rule"], "a rule")
    equal({e["field"]: e["value"] for e in one["errors"]}["time_base"], 3, "a number is a number")


def test_a_broken_profile_is_not_set(cli):
    got = cli.sim("profile", "set", "sim0", "time_base", "3", options=["-y"]).exits(1)
    got.says("time_base 3", "nothing was written")
    equal(raw(cli)[4], "0x00000000")


def test_decode_of_the_vendors_dumps(cli):
    after = cli.run("-j", "profile", "decode", cli.fixture("roce_accl/named-after.txt")).exits(0).json[0]
    equal([after["format"], after["active_id"], after["adp_enabled"]], ["named", 1, 1])
    for key, value in SAMPLE.items():
        equal(after["profile"][key], value, key)
    equal(after["profile"]["timeout_range"][0], SAMPLE_RANGE)
    equal([r["name"] for r in after["unknown_rows"]], ["ps_metadata_reg_id_select", "ps_metadata_reg_id"])
    rawd = cli.run("-j", "profile", "decode", cli.fixture("roce_accl/raw-set-preview.txt")).exits(0).json[0]
    equal(rawd["profile"], after["profile"], "named and raw say the same")
    equal(rawd["format"], "raw")
    text = cli.fixture("roce_accl/named-before.txt").read_bytes()
    equal(cli.run("-j", "profile", "decode", stdin=text).exits(0).json[0]["active_id"], 0)
    equal(cli.run("-j", "profile", "decode", "-", stdin=text).exits(0).json[0]["max_id"], 1)


def test_an_old_dump_has_no_invented_zeros(cli):
    old = cli.fixture("profile/R32-old-roce-accl.txt")
    one = cli.run("-j", "profile", "decode", old).exits(0).json[0]
    equal(one["adp_enabled"], 1)
    equal(one["active_id"], None)
    equal(one["profile"]["time_base"], None)
    true(one["profile"]["time_base_reason"], "the reason")
    equal(one["fields"]["adaptive_routing_forced_en"], 1)


def test_encode_and_back(cli):
    for form in ("toml", "json", "hex", "mlxreg", "mstreg"):
        text = cli.run("profile", "encode", sample(cli), form).exits(0).out
        one = cli.run("-j", "profile", "decode", stdin=text.encode()).exits(0).json[0]
        for key, value in SAMPLE.items():
            if key != "retx_total_timeout":  # the sample does not name it
                equal(one["profile"][key], value, f"{form} {key}")
        equal({k: one["profile"]["timeout_range"][0][k] for k in SAMPLE_RANGE}, SAMPLE_RANGE, form)
    cli.run("profile", "encode", sample(cli), "xml").exits(1).says("xml")


FORMS = ("toml", "json", "hex", "mlxreg", "mstreg")

# As in adp-profile(5): a whole profile, which leaves roce_adp_retrans_en alone.
FAST = """
adp_retx_profile_id = 1
time_base = 64
qp_total_timeout = 0
retx_total_timeout = 16
timeout_init_low_bound = 3
timeout_init_range_size = 2
[[timeout_range]]
range_low_bound = 3
range_size = 3
timeout_retry_num = 2
dec_mode = 1
[[timeout_range]]
range_low_bound = 7
range_size = 3
timeout_retry_num = 4
dec_mode = 1
prev_range_index = 0
"""


def test_what_a_file_leaves_out_stays_out_in_every_form(cli):
    fast = cli.file("fast.toml", FAST)
    for form in FORMS:
        text = cli.run("profile", "encode", fast, form).exits(0).silent().out
        other = cli.file(f"fast.{form}", text)
        one = cli.run("-j", "profile", "decode", other).exits(0).json[0]
        equal([one["adp_enabled"], one["active_id"]], [None, 1], form)
        cli.run("profile", "diff", "file", fast, "file", other).exits(0)
        again = cli.run("profile", "encode", other, form).exits(0).out
        equal(again, text, f"{form} of {form}")
        cli.state.unlink(missing_ok=True)
        cli.sim("profile", "set", "sim0", "file", other, options=["-y"]).exits(0)
        equal(cli.sim("-j", "profile", "show", "sim0").json[0]["adp_enabled"], 1, form)
        cli.sim("profile", "diff", "dev", "sim0", "file", other).exits(0)
    digits = (cli.folder / "fast.hex").read_text()
    # Select bit 28 alone, as the vendor's raw set of a profile alone would have it.
    equal([digits[:8], digits[8:16]], ["10000000", "10000000"])


def test_hex_digits_of_a_part(cli):
    part = cli.file("part.txt", "time_base=8,range_num=1\n")
    got = cli.run("profile", "encode", part, "hex").exits(0)
    got.says("adp_retx_profile_id, which is 1", "are 0 in the hex digits")
    equal(got.out[:16], "1000000010000000")


def test_a_set_is_verified_by_a_diff(cli):
    fast = cli.file("fast.toml", FAST)
    for dev, enabled in (("sim0", "enable"), ("sim1", "disable")):
        cli.sim("profile", enabled, dev).exits(0)
        cli.sim("profile", "set", dev, "file", fast, options=["-y"]).exits(0)
        for sides in (("dev", dev, "file", fast), ("file", fast, "dev", dev)):
            got = cli.sim("-dj", "profile", "diff", *sides).exits(0).json[0]
            equal([got["differences"], got["equal"]], [[], 1])
    # Of two files, what one leaves alone and the other sets is a difference.
    other = cli.file("other.toml", "roce_adp_retrans_en = 0\n" + FAST)
    got = cli.run("-j", "profile", "diff", "file", fast, "file", other).exits(3).json[0]
    equal([d["field"] for d in got["differences"]], ["roce_adp_retrans_en"])
    cli.sim("profile", "diff", "dev", "sim0", "file", other).exits(3).shows("retrans_en: 1 .on. -> 0")


def test_a_profile_that_was_never_set_has_no_times(cli):
    text = cli.run("--sim", "profile", "show", "sim0", "id", "1").exits(0).out
    true(" 0 ns" not in text and "fails after" not in text, text)
    true("no profile" in text, text)


def test_no_profile_no_number_of_one(cli):
    for words in (("--sim=preset:cx4", "-j", "profile", "show", "sim0"),
                  ("-j", "profile", "decode", cli.fixture("profile/R32-old-roce-accl.txt"))):
        one = cli.run(*words).exits(0).json[0]
        equal([one["active_id"], one["profile_id"]], [None, None])
    one = cli.run("--sim=preset:cx4", "-jd", "dev", "show", "sim0").exits(0).json[0]["adp"]
    equal([one["adp_profile"], one["active_id"], one["max_id"], one["max_range_num"],
           one["base_timeout_min_ns"]], [0, None, None, None, None])


def test_select_bits_of_a_text(cli):
    old = cli.fixture("profile/R32-old-roce-accl.txt")
    one = cli.run("-j", "profile", "decode", old).exits(0).json[0]
    names = [line.split()[0] for line in old.read_text().splitlines() if "_select" in line]
    equal(len(names), 7)
    equal(one["selects"], dict.fromkeys(names, 1))
    cli.run("-d", "profile", "decode", old).exits(0).shows(*[rf"^ *{n} +1$" for n in names])
    # A text of nothing else shows them at once.
    cli.run("profile", "decode", cli.file("mask.txt", "roce_adp_retrans_field_select 1\n"
                                          "roce_tx_window_field_select 0\n")).exits(0).shows(
        "roce_adp_retrans_field_select +1", "roce_tx_window_field_select +0")


def test_an_empty_device_is_no_device(cli):
    cli.sim("profile", "show").exits(0)
    before = cli.state.read_text()
    fast = cli.file("fast.toml", FAST)
    for words in (("accl", "set", "", "roce_tx_window_en", "1"), ("accl", "show", ""), ("dev", ""),
                  ("accl", "histogram", "", "bin_num", "4"), ("accl", "pending", ""),
                  ("accl", "restore", ""), ("profile", "show", ""), ("profile", "disable", ""),
                  ("profile", "enable", ""), ("profile", "set", "", "file", fast),
                  ("profile", "set", "", "time_base", "4"), ("profile", "restore", "", fast),
                  ("profile", "save", "", cli.folder / "x"), ("profile", "diff", "dev", "", "file", fast),
                  ("statistic", "show", ""), ("statistic", "watch", "", "count", "1"),
                  ("statistic", "snapshot", "", "file", "-"), ("statistic", "qp", ""),
                  ("statistic", "mode", ""), ("statistic", "mode", "", "auto"), ("qp", ""),
                  ("export", "show", ""), ("report", "show", ""), ("apply", "run", "")):
        got = cli.sim(*words, options=["-y"]).exits(1)
        equal(got.out.strip(), "", words)
        true("empty" in got.err or "missing" in got.err, got)
    equal(cli.state.read_text(), before, "nothing was touched")


def test_a_word_twice_is_refused(cli):
    file = cli.folder / "out"
    for words in (("profile", "show", "id", "1", "id", "0"),
                  ("statistic", "show", "side", "requester", "side", "responder"),
                  ("statistic", "show", "name", "a", "name", "b"), ("statistic", "show", "pma", "pma"),
                  ("statistic", "watch", "count", "1", "count", "2"),
                  ("statistic", "snapshot", "file", file, "file", file),
                  ("statistic", "qp", "lqpn", "1", "lqpn", "2"),
                  ("accl", "histogram", "sim0", "bin_num", "4", "bin_num", "5"),
                  ("export", "show", "file", file, "file", file),
                  ("report", "show", "file", file, "file", file),
                  ("apply", "run", "config", cli.folder, "config", cli.folder)):
        cli.sim(*words).exits(1).says("twice").silent_out()
    true(not file.exists(), "nothing was written")


def test_a_dash_is_standard_output(cli):
    cli.sim("profile", "set", "sim0", "file", cli.file("fast.toml", FAST), options=["-y"]).exits(0)
    saved = cli.sim("profile", "save", "sim0", "-", cwd=cli.folder).exits(0)
    cli.sim("profile", "diff", "dev", "sim0", "file", cli.file("saved.toml", saved.out)).exits(0)
    report = cli.sim("report", "show", "sim0", "file", "-", cwd=cli.folder).exits(0).json
    equal(report[0]["devices"][0]["dev"], "sim0")
    cli.sim("export", "show", "sim0", "file", "-", cwd=cli.folder).exits(0).shows("# EOF")
    true(not (cli.folder / "-").exists(), "no file of that name")


def test_save_diff_restore(cli):
    saved, other = cli.folder / "saved.toml", cli.folder / "other.toml"
    cli.sim("profile", "set", "sim0", "file", sample(cli), options=["-y"]).exits(0)
    cli.sim("profile", "save", "sim0", saved).exits(0)
    cli.sim("profile", "diff", "dev", "sim0", "file", saved).exits(0)
    cli.sim("profile", "set", "sim0", "time_base", "16", "range_size_0", "5").exits(0)
    got = cli.sim("-j", "profile", "diff", "dev", "sim0", "file", saved).exits(3).json[0]
    true({"time_base", "range_size_0"} <= {d["field"] for d in got["differences"]}, got)
    cli.sim("profile", "save", "sim0", other).exits(0)
    cli.sim("profile", "restore", "sim0", saved).exits(0)
    equal(raw(cli), preview(cli))
    cli.sim("profile", "diff", "file", saved, "file", other).exits(3).shows("time_base: 4 .* -> 16")


def test_the_default_profile_cannot_be_restored(cli):
    saved = cli.folder / "default.toml"
    cli.sim("profile", "save", "sim0", saved).exits(0).says("default profile")
    cli.sim("profile", "restore", "sim0", saved).exits(1).says("default profile", "firmware reset")


def test_older_firmware(cli):
    got = cli.run("--sim=preset:pre-46", "-y", "profile", "set", "sim0", "file", sample(cli))
    got.says("older than xx.46.1006")
    got = cli.run("--sim=preset:old-no-adp", "-y", "profile", "set", "sim0", "file", sample(cli)).exits(2)
    got.says("adp_retx_profile_id", "nothing was written")
    one = cli.run("--sim=preset:old-no-adp", "-j", "profile", "show", "sim0").exits(0).json[0]
    equal([one["active_id"], one["profile"]["time_base"]], [None, None])


def test_bond_all_or_none(cli):
    one = cli.run("--sim=preset:bond", "-j", "-y", "profile", "set", "all", "file", sample(cli)).exits(0).json[0]
    equal(len(one["pci"]), 2)
    # The second member refuses: the first is put back.
    cli.run(f"--sim={cli.state}", "dev")
    state = cli.folder / "bond.json"
    state.write_text(json.dumps({"format": "adp-sim-state", "version": 1, "preset": "bond"}))
    cli.run(f"--sim={state}", "accl", "set", "all", "roce_tx_window_en", "1").exits(0)
    content = json.loads(state.read_text())
    content["devices"][1]["faults"] = "op=0x805,reg=0x402c,rw=w,status=3,syndrome=0x1234"
    state.write_text(json.dumps(content))
    got = cli.run(f"--sim={state}", "accl", "set", "all", "roce_tx_window_en", "0").exits(2)
    got.says("bond member", "status 0x0?3", "0x0*1234", "was put back")
    for device in json.loads(state.read_text())["devices"]:
        equal(device["roce_accl"][1], "0x00000007")


def two_profiles(cli, faults=("", "")):
    """A bond whose firmware has two profiles; 2 is active, 1 is stored."""
    state = cli.folder / "two.json"
    dwords = lambda base: [f"0x904000{base:02x}", "0x00000002", "0x04010002", *["0x00000000"] * 9]
    devices = [{"ibdev": "sim0", "pci": f"0000:1a:00.{i}",
                "roce_accl": ["0x1800065f", "0x20000005", "0x42000fa0", "0x00000000", *dwords(4)],
                "profiles": {"1": dwords(8)}, "faults": faults[i]} for i in range(2)]
    state.write_text(json.dumps({"format": "adp-sim-state", "version": 1, "devices": devices}))
    return state


def active(state):
    return [int(d["roce_accl"][1], 16) >> 28 & 7 for d in json.loads(state.read_text())["devices"]]


def test_a_switch_of_profiles_without_effect_is_seen(cli):
    state = two_profiles(cli, ("reg=0x402c,rw=w,ignore=1", "reg=0x402c,rw=w,ignore=1"))
    got = cli.run(f"--sim={state}", "profile", "set", "sim0", "adp_retx_profile_id", "1").exits(2)
    got.says("adp_retx_profile_id: asked 1, the device shows 2")
    equal(active(state), [2, 2])


def test_a_bond_goes_back_to_the_profile_that_was_active(cli):
    state = two_profiles(cli, ("", "reg=0x402c,rw=w,status=3"))
    before = json.loads(state.read_text())["devices"][0]
    got = cli.run(f"--sim={state}", "profile", "set", "sim0", "adp_retx_profile_id", "1", "time_base", "16")
    got.exits(2).says("0000:1a:00.0 was put back")
    equal(active(state), [2, 2])
    after = json.loads(state.read_text())["devices"][0]
    equal([after["roce_accl"], after["profiles"]], [before["roce_accl"], before["profiles"]])


def test_a_profile_that_was_never_set_does_not_keep_a_bond_from_going_back(cli):
    for first, never_shown in (("", False), ("reg=0x402c,rw=r,skip=1,count=1,status=3", True)):
        state = two_profiles(cli, (first, "reg=0x402c,rw=w,status=3"))
        content = json.loads(state.read_text())
        for device in content["devices"]:
            device["profiles"] = {}
        state.write_text(json.dumps(content))
        before = content["devices"][0]["roce_accl"]
        got = cli.run(f"--sim={state}", "profile", "set", "sim0", "adp_retx_profile_id", "1", "time_unit", "1",
                      "time_base", "4", "range_num", "1", "retx_total_timeout", "10",
                      "range_size_0", "4", "timeout_retry_num_0", "1").exits(2)
        got.says("0000:1a:00.0 was put back, but for the contents of profile 1")
        equal(active(state), [2, 2])
        equal(json.loads(state.read_text())["devices"][0]["roce_accl"], before)


def test_the_failing_member_of_a_bond_goes_back_too(cli):
    state = two_profiles(cli, ("", "reg=0x402c,rw=w,count=1,late=1,status=3"))
    got = cli.run(f"--sim={state}", "accl", "set", "sim0", "roce_tx_window_en", "1").exits(2)
    got.says("0000:1a:00.1 was put back")
    equal([d["roce_accl"][1] for d in json.loads(state.read_text())["devices"]], ["0x20000005"] * 2)


def test_one_refused_device_does_not_hide_the_others(cli):
    got = cli.sim("-j", "profile", "set", "all", "file", sample(cli)).exits(1)
    equal([e["dev"] for e in got.json], ["sim0", "sim1"])
    true("firmware reset" in got.json[0]["path_reason"], "the reason")


def faulty(cli, fault):
    cli.sim("accl", "show", "sim0").exits(0)
    state = json.loads(cli.state.read_text())
    state["devices"][0]["faults"] = fault
    cli.state.write_text(json.dumps(state))


def test_a_write_that_has_no_effect(cli):
    faulty(cli, "reg=0x402c,rw=w,ignore=1")
    got = cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1").exits(2)
    got.says("roce_tx_window_en: asked 1, the device shows 0")


def test_refusals_of_the_firmware(cli):
    faulty(cli, "reg=0x402c,rw=w,status=3,syndrome=0xabc")
    got = cli.sim("-j", "profile", "set", "sim0", "file", sample(cli), options=["-y"]).exits(2)
    got.says("status 0x0?3", "bad parameter", "0x0*abc", "nothing was changed")
    equal([got.json[0]["error"], got.json[0]["fw_status"], got.json[0]["fw_syndrome"]],
          ["EREMOTEIO", 3, 0xabc])


def test_system_errors(cli):
    for fault, name in (("errno=1", "EPERM"), ("errno=13", "EACCES"), ("errno=5", "EIO"),
                        ("gone=1", "ENODEV"), ("short=8", "EPROTO")):
        cli.state.unlink(missing_ok=True)
        faulty(cli, f"reg=0x402c,{fault}")
        got = cli.sim("-j", "profile", "show", "sim0").exits(2)
        equal(got.json[0]["error"], name, fault)
        true(got.json[0]["path_reason"], "the reason")


def test_decode_reads_colons_and_names_what_it_does_not(cli):
    one = cli.run("-j", "profile", "decode", "-",
                  stdin=b"roce_adp_retrans_en 1\nroce_tx_window_en: 0\n").exits(0).json[0]
    equal([one["adp_enabled"], one["fields"]["roce_tx_window_en"], one["notes"]], [1, 0, []])
    one = cli.run("-j", "profile", "decode", "-",
                  stdin=b"roce_adp_retrans_en: 1\nroce_tx_window_en; 1\nprompt$\n").exits(0).json[0]
    equal(one["adp_enabled"], 1)
    true(any("line 2" in n and "roce_tx_window_en; 1" in n for n in one["notes"]), one["notes"])
    true("1 other line" in one["notes"], one["notes"])


if __name__ == "__main__":
    main()
