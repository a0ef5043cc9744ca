# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp dev, adp accl, adp report on simulated devices."""
import json
import os
import signal
import subprocess
import time

from tap import change_state, equal, field, main, tool, true

# The register of the vendor's document (fixtures/roce_accl/raw-before.txt).
BEFORE = ["0x1800065f", "0x00000005", "0x41000fa0"] + ["0x00000000"] * 13


def test_dev(cli):
    one = cli.run("--sim", "-j", "dev", "show", "sim0").exits(0).json[0]
    for key in ("dev", "port", "driver", "pci", "fw_ver", "netdev", "path", "path_reason", "simulated"):
        true(key in one, key)
    equal([one["dev"], one["port"], one["pci"], one["simulated"]], ["sim0", 1, "0000:1a:00.0", 1])
    true(one["simulated"] is not True, "flags are numbers")


def test_dev_details(cli):
    one = cli.run("--sim", "-j", "-d", "dev", "show", "sim0").exits(0).json[0]
    equal(one["adp"]["max_range_num"], 4)
    equal(one["adp"]["base_timeout_min_ns"], 4000)
    equal(one["lag_members"], 1)
    equal(one["access"], [{"path": "sim", "usable": 1, "reason": None, "reason_reason": "it is usable"}])


def test_show_is_the_vendors_register(cli):
    one = cli.run("--sim", "-j", "accl").exits(0).json[0]
    equal(one["raw"], BEFORE)
    equal(one["fields"]["roce_slow_restart_en"], 1)
    equal(one["fields"]["adp_retx_base_timeout_min"], 4000)
    equal(one["supported"]["roce_tx_window_en"], 1)
    equal(one["supported"]["adaptive_routing_forced_en"], 0)
    equal(one["path"], "sim")


def test_a_value_without_a_meaning_is_warned_of(cli):
    # mstflint's table: 0, 1, 2 and 7.
    for value, known in ((1, True), (7, True), (5, False), (3, False)):
        got = cli.sim("-j", "accl", "set", "sim0", "cc_burst_size", value).exits(0)
        equal(field(cli, "cc_burst_size"), value)
        equal([w for w in got.json[0]["warnings"] if "cc_burst_size" in w] == [], known, value)


def test_a_report_invents_no_register(cli):
    state = cli.folder / "bond.json"
    state.write_text(json.dumps({"format": "adp-sim-state", "version": 1, "preset": "bond"}))
    cli.run(f"--sim={state}", "accl", "set", "all", "roce_tx_window_en", "1").exits(0)
    devices = lambda: cli.run(f"--sim={state}", "report").exits(0).json[0]["sim_state"]["devices"]
    equal(len(devices()), 2, "both as they are")
    content = json.loads(state.read_text())
    content["devices"][1]["roce_accl"][1] = "0x00000005"
    state.write_text(json.dumps(content))
    equal([d["roce_accl"][1] for d in devices()], [content["devices"][0]["roce_accl"][1]])


def test_device_words(cli):
    show = lambda dev: [e["dev"] for e in cli.run("--sim", "-j", "accl", "show", dev).exits(0).json]
    equal(show("all"), ["sim0", "sim1"])
    equal(show("sim*"), ["sim0", "sim1"])
    equal(show("sim1,sim0"), ["sim1", "sim0"])
    equal(show("0000:1b:00.0"), ["sim1"])
    equal(show("1b:00.0"), ["sim1"])
    equal(show("sim0/1"), ["sim0"])
    cli.run("--sim", "accl", "show", "sim0/7").exits(2).says("no such port")
    cli.run("--sim", "accl", "show", "sim0/x").exits(1).says("DEV/PORT")
    cli.run("--sim", "accl", "show", "zzz*").exits(2).says(r"zzz\*")
    cli.run("--sim", "accl", "show", "sim0,,sim1").exits(1).says("empty")
    for name in ("../sim0", "/dev/null", "a/../b", ".."):
        cli.run("--sim", "accl", "show", name).exits(1)
    cli.run("--sim", "accl", "show", "nothing0").exits(2).says("nothing0", "sim0, sim1")


def test_one_bad_device_does_not_hide_the_others(cli):
    got = cli.run("--sim", "-j", "accl", "show", "nothing0,sim1").exits(2)
    equal([e["dev"] for e in got.json], ["nothing0", "sim1"])
    equal(got.json[0]["path"], None)
    true("raw" in got.json[1], "sim1 is shown")


def test_set_one_field(cli):
    one = cli.sim("-j", "accl", "set", "sim0", "roce_tx_window_en", "1").exits(0).json[0]
    equal(one["changed"], ["roce_tx_window_en"])
    equal([one["before"]["fields"]["roce_tx_window_en"], one["after"]["fields"]["roce_tx_window_en"]],
          [0, 1])
    equal(one["commands"], 3, "firmware commands")
    equal(field(cli, "roce_tx_window_en"), 1)
    equal(field(cli, "roce_slow_restart_en"), 1, "another field")
    equal(field(cli, "roce_tx_window_en", "sim1"), 0, "another device")


def test_set_takes_equal_signs_and_any_case(cli):
    cli.sim("accl", "set", "sim0", "ROCE_TX_WINDOW_EN=1", "ack_dscp", "0x1a").exits(0)
    equal([field(cli, "roce_tx_window_en"), field(cli, "ack_dscp")], [1, 26])


def test_dry_run_writes_nothing(cli):
    got = cli.sim("-j", "accl", "set", "sim0", "roce_tx_window_en", "1", options=["-n"]).exits(0).json[0]
    equal(got["dwords"][0]["written"], "0x00000002", "just the select bit")
    equal(got["dwords"][1]["after"], "0x00000007")
    true("0x0.0:32=0x00000002,0x4.0:32=0x00000007" in got["mstreg"][0], got["mstreg"])
    equal(field(cli, "roce_tx_window_en"), 0)


def test_nothing_to_do_is_said(cli):
    cli.sim("accl", "set", "sim0", "roce_slow_restart_en", "1").exits(0).shows("no change")


def test_bad_values_are_refused_before_anything(cli):
    bad = [
        (["no_such_field", "1"], "no_such_field"),
        (["roce_tx_windw_en", "1"], "roce_tx_window_en"),
        (["roce_tx_window_en", "2"], "roce_tx_window_en"),
        (["roce_tx_window_en", "-1"], "-1"),
        (["roce_tx_window_en", "1x"], "1x"),
        (["roce_tx_window_en", "0x"], "0x"),
        (["roce_tx_window_en", ""], "roce_tx_window_en"),
        (["roce_tx_window_en", "99999999999999999999"], "roce_tx_window_en"),
        (["ack_dscp", "64"], "ack_dscp"),
        (["roce_tx_window_en"], "roce_tx_window_en"),
        (["roce_tx_window_en", "1", "roce_tx_window_en", "0"], "roce_tx_window_en"),
        (["adp_retx_profile_max_id", "1"], "adp_retx_profile_max_id"),
        (["roce_adp_retrans_field_select", "1"], "roce_adp_retrans_field_select"),
    ]
    for words, named in bad:
        cli.sim("accl", "set", "sim0", *words).exits(1).says(named)
    true(not cli.state.exists(), "no device was touched: not even the state file was made")


def test_a_field_that_the_firmware_lacks(cli):
    got = cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1", "dc_half_handshake_en", "1").exits(2)
    got.says("dc_half_handshake_en", "nothing was written", "it lets be set: .*roce_tx_window_en")
    equal(field(cli, "roce_tx_window_en"), 0)


def test_old_firmware(cli):
    got = cli.run("--sim=preset:cx4", "accl", "set", "sim0", "roce_tx_window_en", "1").exits(2)
    got.says("roce_tx_window_en", "roce_adp_retrans_en")


def test_a_pipe_in_place_of_the_lock_does_not_hang(cli):
    cli.sim("accl", "show", "sim0").exits(0)
    os.mkfifo(f"{cli.state}-0000:1a:00.0.lock")
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1").exits(0).says("not locked")


def test_interrupted_while_it_waits_for_the_lock(cli):
    cli.sim("accl", "set", "sim0", "ack_dscp", "1").exits(0)
    lock = f"{cli.state}-0000:1a:00.0.lock"
    with subprocess.Popen(["flock", lock, "sleep", "30"]) as holder:
        time.sleep(0.5)
        with subprocess.Popen([cli.tool, f"--sim={cli.state}", "accl", "set", "sim0", "ack_dscp", "9"],
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=cli.env) as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
        holder.kill()
    true(b"interrupted while waiting" in err, err)
    equal(field(cli, "ack_dscp"), 1)


def test_output_files_of_other_kinds(cli):
    target = cli.file("target.json", "old")
    link = cli.folder / "link.json"
    link.symlink_to(target)
    cli.sim("report", "file", link).exits(0)
    true(link.is_symlink() and target.read_text() != "old", "the link stays, its target is written")
    cli.sim("report", "file", "/dev/null").exits(0)
    true(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"), "/dev/null is still there")
    cli.sim("report", "nothing0").exits(2).says("nothing0")


def test_histogram(cli):
    cli.sim("accl", "histogram", "sim0").exits(2).says("no ADP retransmission histogram")
    full = "--sim=preset:full"
    one = cli.run(full, "-j", "accl", "histogram", "sim0").exits(0).json[0]
    for key in ("count_enable", "time_unit", "bin_num", "bins"):
        true(key in one, key)
    equal(len(one["bins"]), one["bin_num"], "bins")
    cli.run(full, "accl", "histogram", "sim0", "time_unit", "weeks").exits(1).says("weeks")
    cli.run(full, "accl", "histogram", "sim0", "bin_num", "0").exits(1).says("bin_num")
    one = cli.run(full, "-j", "accl", "histogram", "sim0", "count_enable", "1", "time_unit", "us",
                  "bin0_width", "8").exits(0).json[0]
    equal([one["count_enable"], one["time_unit"], one["bin0_width"]], [1, "us", 8])


def test_a_change_of_the_histogram_leaves_the_counts(cli):
    cli.file("state.json", json.dumps({"format": "adp-sim-state", "version": 1, "devices": [{
        "ibdev": "sim0", "pci": "0000:1a:00.0", "nic_cap": "0x00020000",
        "histogram": {"config": ["0x8cf00000", "0x10100000", "0x00100010", "0x00000000"],
                      "bins": [5, 4, 3, 2, 1] + [0] * 11}}]}))
    counts = lambda: [b["count"] for b in cli.sim("-j", "accl", "histogram", "sim0").exits(0).json[0]["bins"]][:5]
    equal(counts(), [5, 4, 3, 2, 1])
    got = cli.sim("-j", "accl", "histogram", "sim0", "clear_on_read", "1").exits(0).json[0]
    equal([got["clear_on_read"], got["bins"]], [1, None])
    cli.sim("accl", "histogram", "sim0", "count_enable", "1", options=["-n"]).exits(0)
    cli.sim("accl", "histogram", "sim0", "count_enable", "0").exits(0)
    equal(counts(), [5, 4, 3, 2, 1])
    equal(counts(), [0] * 5, "this reading cleared them")


def test_bond_is_set_whole(cli):
    one = cli.run("--sim=preset:bond", "-j", "accl", "set", "all", "roce_tx_window_en", "1").exits(0).json[0]
    equal(len(one["pci"]), 2, "functions")


def test_trace(cli):
    got = cli.run("--sim", "-dd", "accl", "show", "sim0").exits(0)
    got.says(r"trace: .*query register 0x402c", "answer: 1800065f 00000005")
    cli.run("--sim", "accl", "show", "sim0", env={"ADP_LOG": "debug"}).says("query register 0x402c")


def test_report_replays(cli):
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "1").exits(0)
    report = cli.folder / "report.json"
    cli.sim("report", "file", report).exits(0)
    text = report.read_text()
    true(os.uname().nodename not in text or len(os.uname().nodename) < 4, "no host name in it")
    one = json.loads(text)[0]
    equal(one["devices"][0]["access"][0]["path"], "sim")
    true(one["devices"][0]["trace"], "the trace is in it")
    again = cli.run(f"--sim={report}", "-j", "accl", "show", "sim0").exits(0).json[0]
    equal(again["fields"]["roce_tx_window_en"], 1)
    equal(cli.sim("report").exits(0).json[0]["devices"][1]["dev"], "sim1")


def test_broken_state_files(cli):
    for content in (b"", b"{", b"\0\1\2", b"[]", b'{"format":"something else"}'):
        path = cli.file("broken.json", content)
        cli.run(f"--sim={path}", "accl", "show", "sim0").says("broken.json")
        equal(path.read_bytes(), content, "the file")
    cli.run(f"--sim={cli.folder}", "accl", "show", "sim0").says(str(cli.folder))
    cli.run("--sim=/nowhere/state.json", "accl", "show", "sim0").exits(1).says("/nowhere/state.json")


def slow_set(cli, **how):
    """A set whose read-back takes three seconds, just after its write."""
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "0").exits(0)
    change_state(cli, lambda s: s["devices"][0].update(faults="reg=0x402c,rw=r,skip=1,count=1,delay_ms=3000"))
    process = tool(cli, "accl", "set", "sim0", "roce_tx_window_en", "1", **how)
    for _ in range(300):
        if json.loads(cli.state.read_text())["devices"][0]["roce_accl"][1] == "0x00000007":
            break
        time.sleep(0.01)
    return process


def test_interrupt_between_write_and_read_back(cli):
    with slow_set(cli) as process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    equal(process.returncode, -signal.SIGINT, "ended by the signal")
    true(b"roce_tx_window_en 0 -> 1" in out, f"the state is reported: {out}")
    cli.sim("accl", "set", "sim0", "roce_tx_window_en", "0").exits(0)  # the lock is free


def test_a_second_signal_ends_at_once_and_an_echo_does_not(cli):
    """What `timeout` or an init system sends to a group comes directly, and passed on: an echo."""
    for number, pause, again in ((signal.SIGTERM, 0.02, False), (signal.SIGINT, 0.5, True)):
        with slow_set(cli) as process:
            process.send_signal(number)
            time.sleep(pause)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        equal(process.returncode, 128 + number if again else -number, f"signal {number}")
        equal(b"second signal" in err, again, err)
        equal(b"roce_tx_window_en 0 -> 1" in out, not again, out)


def test_a_signal_that_is_ignored_stays_so(cli):
    """nohup"""
    with slow_set(cli, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=60)
    equal(process.returncode, 0)
    true(b"roce_tx_window_en 0 -> 1" in out, out)
    with tool(cli, "-j", "statistic", "watch", "sim0", "interval", "200ms", "count", "8",
              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        first = process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        rest, _ = process.communicate(timeout=60)
    equal(process.returncode, 0)
    times = {json.loads(line)["time_ms"] for line in [first, *rest.splitlines()]}
    true(len(times) >= 8, f"{len(times)} rounds")


def test_dry_runs_leave_the_folder_as_it_is(cli):
    set_one = ("accl", "set", "sim0", "roce_tx_window_en", "1")
    requests = (set_one, ("profile", "disable", "sim0"), ("accl", "show"), ("dev",),
                ("accl", "set", "all", "roce_tx_window_en", "1", "for", "1h"))
    for words in requests:
        cli.sim(*words, options=["-n"]).exits(0)
        equal(os.listdir(cli.folder), [], words)
    state = json.loads(cli.sim("-j", "accl", "show", "sim0").exits(0).out)
    equal(state[0]["fields"]["roce_tx_window_en"], 0)
    for name in os.listdir(cli.folder):
        if name != "state.json":
            (cli.folder / name).unlink()
    before = cli.state.read_bytes()
    for words in requests:
        cli.sim(*words, options=["-n"]).exits(0)
        equal([os.listdir(cli.folder), cli.state.read_bytes()], [["state.json"], before], words)
    got = cli.sim("-j", *set_one, options=["-n"]).exits(0)
    true("forgotten" not in got.err and "gone at the end" not in got.err, got.err)
    cli.sim(*set_one).exits(0)
    cli.sim(*set_one, options=["-n"]).exits(0).shows("no change")  # it reads the file


if __name__ == "__main__":
    main()
